"""The process that serves the small local model: `python -m crmarena.harness.local_server WEIGHTS PORT`.

It ends when its standard input does, or when it is terminated.
"""

from __future__ import annotations

import sys


def serve(weights: str, port: int) -> None:
    """Serve the model on the loopback interface until standard input ends."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = weights
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.model_alias = {"smollm2"}
    parameters.n_ctx = 8192
    parameters.n_parallel = 1
    parameters.no_extra_bufts = True
    parameters.ui = False
    server = xllamacpp.Server(parameters)
    sys.stdin.buffer.read()
    del server


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
