"""Runs every benchmark of this folder, one after another, and prints what each prints."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def main() -> None:
    for script in sorted(Path(__file__).parent.glob("*.py")):
        if script.name != "run.py":
            subprocess.run([sys.executable, str(script)], check=True)
            print(flush=True)


if __name__ == "__main__":
    main()
