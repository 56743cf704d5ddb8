"""`.tether.yml`: what it may say, what it comes to, and where each value comes from."""

from app.review.config.document import ConfigError, find_config_text
from app.review.config.explain import explain_config
from app.review.config.layers import Defaults, Origin
from app.review.config.parse import parse_config
from app.review.config.schema import config_schema

__all__ = [
    "ConfigError",
    "Defaults",
    "Origin",
    "config_schema",
    "explain_config",
    "find_config_text",
    "parse_config",
]
