"""The models of a run by role: names checked before anything is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import GenerateConfig, Model, get_model

from crmarena.errors import UsageError
from crmarena.harness.settings import Generation

_EXAMPLES = "openai, anthropic, google, mistral, grok, groq, together, openrouter, ollama, vllm, openai-api"
_MARKUP = re.compile(r"\[/?[a-z ]+\]")


def make_model(name: str, role: str, generation: Generation | None = None, **overrides: Any) -> Model:
    """The model of a name; UsageError, in one line, where it cannot be had.

    `overrides` are further generation settings (`extra_body`).
    """
    generation = generation or Generation()
    agent = role == "agent"
    try:
        return get_model(
            name,
            config=_config(generation, overrides),
            base_url=generation.base_url if agent else None,
            memoize=False,
            **(dict(generation.model_args) if agent else {}),
        )
    except PrerequisiteError as error:
        raise UsageError(f"The {role} model {name} cannot be used: {_one_line(error)}") from None
    except (ValueError, TypeError, ImportError) as error:
        raise _unknown(name, role, error) from None


def check_provider(name: str, role: str) -> None:
    """UsageError for a provider that Inspect does not know; keys and packages are not looked at."""
    try:
        get_model(name, memoize=False)
    except ValueError as error:
        raise _unknown(name, role, error) from None
    except (PrerequisiteError, ImportError):
        return


def role_usage(usage: Mapping[str, Any]) -> dict[str, dict[str, float | int | None]]:
    """Tokens and cost by role, as plain numbers; the cost is None where no price is known."""
    return {
        role: {
            "input_tokens": used.input_tokens
            + (used.input_tokens_cache_read or 0)
            + (used.input_tokens_cache_write or 0),
            "output_tokens": used.output_tokens,
            "total_tokens": used.total_tokens,
            "cost": used.total_cost,
        }
        for role, used in usage.items()
    }


def _config(generation: Generation, overrides: Mapping[str, Any]) -> GenerateConfig:
    return GenerateConfig(
        temperature=generation.temperature,
        max_tokens=generation.max_tokens,
        max_retries=generation.max_retries,
        timeout=generation.timeout,
        attempt_timeout=generation.attempt_timeout,
        **overrides,
    )


def _unknown(name: str, role: str, error: Exception) -> UsageError:
    return UsageError(
        f"Unknown {role} model {name!r} ({_one_line(error)}); write PROVIDER/NAME with a provider "
        f"of Inspect AI ({_EXAMPLES}, ...), or `local`."
    )


def _one_line(error: Exception) -> str:
    text = _MARKUP.sub("", str(error))
    return " ".join(text.replace("ERROR:", "").split()).rstrip(".")
