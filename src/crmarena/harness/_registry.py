"""What Inspect finds through the package's entry point: `crmarena/b2b`, `crmarena/react` and their like."""

from crmarena.harness.inspect_tasks import b2b, b2c, original
from crmarena.harness.scorer import graded
from crmarena.harness.solver import act, constant, none, oracle, react, refuse

__all__ = ["act", "b2b", "b2c", "constant", "graded", "none", "oracle", "original", "react", "refuse"]
