"""Runs every benchmark of this folder, one after another, and prints what each prints."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    for script in sorted(Path(__file__).parent.glob("*.py")):
        if script.name not in {"run.py", "timing.py"}:
            subprocess.run([sys.executable, "-m", f"benchmarks.{script.stem}"], check=True, cwd=ROOT)
            print(flush=True)


if __name__ == "__main__":
    main()
