"""Whether the key is accepted and the model exists: a look at the list of models, which costs nothing and sends no text."""

from __future__ import annotations

from app.words import Permanent, Transient

TIMEOUT = 20.0  # seconds


async def probe_key(key: str, *, base_url: str | None = None, model: str | None = None) -> str:
    """The model that would be asked, or "" where none is configured. Raises `Permanent` and `Transient`, never with the key."""
    import anthropic  # noqa: PLC0415 - it takes a second to load, and most have no key

    async with anthropic.AsyncAnthropic(api_key=key, base_url=base_url, timeout=TIMEOUT, max_retries=1) as client:
        try:
            if model is None:
                await client.models.list(limit=1)
                return ""
            return (await client.models.retrieve(model)).id
        except (anthropic.AuthenticationError, anthropic.PermissionDeniedError) as exc:
            sentence = f"Anthropic does not accept TETHER_ANTHROPIC_API_KEY ({exc.status_code}): copy the key again."
            raise Permanent(sentence) from None
        except anthropic.NotFoundError:
            raise Permanent(f"Anthropic knows no model {model}: set TETHER_LLM_MODEL to one of its models.") from None
        except anthropic.APIStatusError as exc:
            raise Transient(f"Anthropic answered {exc.status_code} when asked for its models.") from None
        except anthropic.AnthropicError as exc:
            raise Transient(f"Anthropic could not be asked for its models ({type(exc).__name__}).") from None
