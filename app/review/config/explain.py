"""`tether config --explain`: every value that holds, and where it comes from."""

from __future__ import annotations

from app.review.config.layers import Defaults, Origin, find_origins
from app.review.config.parse import parse_config, read_layers
from app.review.config.shape import File
from app.words import CONFIG_PATH


def explain_config(
    text: str | None, *, name: str = CONFIG_PATH, defaults: Defaults | None = None
) -> tuple[Origin, ...]:
    """All keys in the schema's order. Raises `ConfigError` as `parse_config` does."""
    parse_config(text, name=name, defaults=defaults)
    merged = read_layers(text, name=name, defaults=defaults)
    merged.value.pop("repositories", None)
    return find_origins(File, merged)
