"""One question to Anthropic's Messages API: one request, structured output, no retry. Every failure is a sentence.

Fulfils `app.ports.Advisor`. What the answer means is not decided here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from app.ports import RETRIES, ModelAnswer

if TYPE_CHECKING:
    from anthropic.types import Message

DEFAULT_MODEL: Final = "claude-sonnet-5-5"
_MOST_TOKENS: Final = 1_024
_SENTENCES: Final = {
    401: "does not accept TETHER_ANTHROPIC_API_KEY (401)",
    403: "does not allow the question with this key (403)",
    404: "does not know the model (404)",
    413: "finds the question too large (413)",
    429: "limits the rate of questions (429)",
    529: "is overloaded (529)",
}


@dataclass(frozen=True)
class ClaudeAdvisor:
    """`timeout` in seconds, for the whole question."""

    key: str
    model: str = DEFAULT_MODEL
    base_url: str | None = None
    timeout: float = 20.0

    async def propose(self, system: str, prompt: str, schema: Mapping[str, Any]) -> ModelAnswer:
        """The text of the answer, which may be anything; or why there is none."""
        import anthropic  # noqa: PLC0415 - it takes a second to load, and most have no key

        client = anthropic.AsyncAnthropic(
            api_key=self.key, base_url=self.base_url, timeout=self.timeout, max_retries=RETRIES["anthropic"].tries - 1
        )
        try:
            async with asyncio.timeout(self.timeout), client:
                message = await client.messages.create(
                    model=self.model,
                    max_tokens=_MOST_TOKENS,
                    system=system,
                    messages=[{"role": "user", "content": prompt}],
                    output_config={"format": {"type": "json_schema", "schema": dict(schema)}},
                )
        except (anthropic.APITimeoutError, TimeoutError):
            return ModelAnswer(why=f"Anthropic did not answer within {self.timeout:g} seconds")
        except anthropic.APIStatusError as error:
            return ModelAnswer(why=f"Anthropic {_SENTENCES.get(error.status_code, f'answered {error.status_code}')}")
        except anthropic.AnthropicError as error:
            return ModelAnswer(why=f"Anthropic could not be asked ({type(error).__name__})")
        except (ValueError, TypeError, AttributeError) as error:  # a body that the SDK cannot make a message of
            return ModelAnswer(why=f"Anthropic's answer cannot be read ({type(error).__name__})")
        return _read(message)


def _read(message: Message) -> ModelAnswer:
    reason = getattr(message, "stop_reason", None)
    if reason == "refusal":
        return ModelAnswer(why="the model refused to answer")
    if reason != "end_turn":
        return ModelAnswer(why=f"the model's answer is not whole ({str(reason)[:40]})")
    content = getattr(message, "content", None)
    blocks = content if isinstance(content, list) else []
    texts = [block.text for block in blocks if getattr(block, "type", None) == "text" and isinstance(block.text, str)]
    if len(texts) != 1 or len(blocks) != 1:
        return ModelAnswer(why="the model's answer has another form than was asked for")
    return ModelAnswer(texts[0])
