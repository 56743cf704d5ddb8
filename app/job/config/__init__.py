"""`.tether.yml`: what it may say, what it comes to, and where each value comes from."""

from app.job.config.document import CONFIG_PATH, ConfigError, find_config_text
from app.job.config.explain import explain_config
from app.job.config.layers import Defaults, Origin
from app.job.config.parse import parse_config
from app.job.config.schema import config_schema

__all__ = [
    "CONFIG_PATH",
    "ConfigError",
    "Defaults",
    "Origin",
    "config_schema",
    "explain_config",
    "find_config_text",
    "parse_config",
]
