"""The harness's CPU per sample, as a ratio to a bare Inspect eval with the same messages.

Both run the same tasks with the same mocked model, log in the same way, and end with one score a
sample; the bare one knows no episode, no org and no grading. Target: 1.3 or less.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from inspect_ai import Task, eval_set, task
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo

from crmarena.harness.run import RunSettings, carry_out, prepare, run

SAMPLES = 120
ROUNDS = 3
TARGET = 1.3
QUERIES = (
    "SELECT Id, Subject, OwnerId FROM Case WHERE Status = 'Closed' ORDER BY CreatedDate LIMIT 10",
    "SELECT OwnerId, COUNT(Id) FROM Case GROUP BY OwnerId ORDER BY COUNT(Id) DESC LIMIT 5",
    "SELECT Id, Name FROM Issue__c LIMIT 20",
)
ANSWER = "<thought> That settles it. </thought>\n<respond> None </respond>"


def speak(
    messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
) -> ModelOutput:
    """Three queries, then an answer."""
    turn = sum(message.role == "assistant" for message in messages)
    text = f"<thought> Next. </thought>\n<execute> {QUERIES[turn]} </execute>" if turn < 3 else ANSWER
    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage(input_tokens=1000, output_tokens=30, total_tokens=1030)
    return output


def model() -> Model:
    return get_model("mockllm/model", custom_outputs=speak, memoize=False)


@solver
def replay(conversations: str) -> Solver:
    """Says to the model what the harness said, turn by turn."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.messages.clear()
        for message in recorded[conversations][str(state.sample_id)]:
            if message.role == "assistant":
                state.output = await get_model(role="agent").generate(state.messages)
                state.messages.append(state.output.message)
            else:
                state.messages.append(message)
        return state

    return solve


@scorer(metrics=[mean()])
def fixed() -> Scorer:
    """One score for all."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=0.0, answer=state.output.completion)

    return score


@task
def bare(name: str) -> Task:
    """The floor: the same messages, and nothing of this project."""
    samples = [Sample(id=idx, input="What is asked?") for idx in recorded[name]]
    return Task(dataset=samples, solver=replay(name), scorer=fixed())


recorded: dict[str, dict[str, list[ChatMessage]]] = {}
"""By name: the messages of each sample, as the harness sent them."""


def cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def measure_harness(folder: Path) -> float:
    prepared = prepare(RunSettings(model="mockllm/model", limit=SAMPLES), models={"agent": model()})
    folder.mkdir()
    return cpu(lambda: carry_out(folder, prepared))


def measure_bare(folder: Path) -> float:
    work = bare("first")
    return cpu(
        lambda: eval_set(
            work,
            log_dir=str(folder),
            model="none",
            model_roles={"agent": model()},
            retry_attempts=0,
            retry_immediate=False,
            log_buffer=1,
            log_realtime=False,
            display="none",
            log_level="error",
            ctl_server=False,
        )
    )


def main() -> None:
    for name in [name for name in os.environ if name.startswith("INSPECT_")]:
        del os.environ[name]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        first = run(
            RunSettings(model="mockllm/model", limit=SAMPLES, out=folder / "first"), models={"agent": model()}
        )
        log = read_eval_log(str(first.agents[0].log))
        recorded["first"] = {str(sample.id): sample.messages for sample in log.samples or []}
        harness, floor = [], []
        for number in range(ROUNDS):
            floor.append(measure_bare(folder / f"bare{number}"))
            harness.append(measure_harness(folder / f"harness{number}"))
    samples = len(recorded["first"])
    report(samples, statistics.median(floor), statistics.median(harness))


def report(samples: int, floor: float, harness: float) -> None:
    ratio = harness / floor
    verdict = "ok" if ratio <= TARGET else f"over {TARGET:g}"
    print(f"CPU per sample ({samples} samples, 4 model calls each, median of {ROUNDS})")
    print(f"  {'floor: bare Inspect, the same messages':44} {floor / samples * 1000:7.1f} ms")
    print(f"  {'the harness':44} {harness / samples * 1000:7.1f} ms {ratio:6.2f} x  {verdict}")


if __name__ == "__main__":
    main()
