"""All that the environment decides, read once, here and nowhere else. `deploy/env.example` explains every name to operators."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.words import Permanent


class SettingsError(Permanent):
    """A setting is missing or cannot be used; the message has a line for each, which names the variable and says what to do."""


LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def _is_duration(text: str) -> bool:
    try:
        return 0 < float(text) < math.inf
    except ValueError:
        return False


class Settings(BaseSettings):
    """Names are the fields' in capitals behind `TETHER_`. An empty variable counts as not set. Durations are in seconds."""

    model_config = SettingsConfigDict(env_prefix="TETHER_", env_ignore_empty=True, frozen=True, extra="ignore")

    github_app_id: str | None = None
    github_private_key: SecretStr | None = None
    github_private_key_file: Path | None = None
    github_webhook_secret: SecretStr | None = None
    github_api_url: str = "https://api.github.com"
    github_web_url: str = "https://github.com"
    github_write_spacing: float = Field(1.0, ge=0, le=60)
    datahub_url: str | None = None
    datahub_token: SecretStr | None = None
    database_url: SecretStr = SecretStr("sqlite:///tether.db")
    admin_token: SecretStr | None = None
    anthropic_api_key: SecretStr | None = None
    anthropic_base_url: str | None = None
    llm_model: str | None = None
    llm_timeout_seconds: float = Field(20, gt=0, le=300)
    llm_daily_budget: int = Field(200, ge=0)
    check_name: str = Field("tether", min_length=1, max_length=100)
    public_url: str | None = None
    log_level: str = "INFO"
    retry_backoff: str = "30,120,600,1800,3600"
    lease_seconds: float = Field(15, gt=0)
    job_timeout_seconds: float = Field(900, gt=0)
    stop_grace_seconds: int = Field(20, ge=0)

    @field_validator("github_api_url", "github_web_url", "datahub_url", "public_url", "anthropic_base_url")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("http://", "https://")):
            raise ValueError("must start with http:// or https://")
        return value.rstrip("/") if value else value

    @field_validator("database_url")
    @classmethod
    def _is_known_database(cls, value: SecretStr) -> SecretStr:
        if not value.get_secret_value().startswith(("sqlite:///", "postgresql://", "postgresql+psycopg://")):
            raise ValueError("must be sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE")
        return value

    @field_validator("retry_backoff")
    @classmethod
    def _is_backoff(cls, value: str) -> str:
        if not all(_is_duration(part) for part in value.split(",")):
            raise ValueError("must be seconds above 0, separated by commas, like 30,120,600")
        return value

    @field_validator("log_level")
    @classmethod
    def _is_level(cls, value: str) -> str:
        if value.upper() not in LEVELS:
            raise ValueError(f"must be one of {', '.join(LEVELS)}")
        return value.upper()

    @property
    def webhook_secrets(self) -> tuple[str, ...]:
        """The active secrets: several while one is being rotated."""
        text = self.github_webhook_secret.get_secret_value() if self.github_webhook_secret else ""
        return tuple(part.strip() for part in text.split(",") if part.strip())

    @property
    def backoff(self) -> tuple[float, ...]:
        """Seconds before each later attempt of a job that could not finish."""
        return tuple(float(part) for part in self.retry_backoff.split(","))

    @property
    def rules_url(self) -> str:
        """Where the pages of the rules are served, "" when Tether's own address is not known."""
        return f"{self.public_url}/rules" if self.public_url else ""

    @property
    def private_key_source(self) -> str:
        """Where the App's key comes from, for whoever has to repair it: the variable, and the file if it names one."""
        if self.github_private_key is not None or self.github_private_key_file is None:
            return "TETHER_GITHUB_PRIVATE_KEY"
        return f"TETHER_GITHUB_PRIVATE_KEY_FILE: {self.github_private_key_file}"

    def read_private_key(self) -> str:
        """The App's PEM key, from the variable or the file. Raises `SettingsError`."""
        if self.github_private_key is not None:
            # Env files hold a key on one line, with its line breaks written out.
            return self.github_private_key.get_secret_value().replace("\\n", "\n")
        if self.github_private_key_file is None:
            raise SettingsError(
                "TETHER_GITHUB_PRIVATE_KEY (or TETHER_GITHUB_PRIVATE_KEY_FILE) is not set: "
                "generate a private key on the App's settings page at GitHub."
            )
        try:
            return self.github_private_key_file.read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no PEM file"
            raise SettingsError(
                f"TETHER_GITHUB_PRIVATE_KEY_FILE: {self.github_private_key_file} cannot be read ({reason}): "
                "name the .pem file that GitHub gave out for the App."
            ) from None


def load_settings() -> Settings:
    """The environment's settings. Raises `SettingsError` with a line for each variable that cannot be used."""
    try:
        return Settings()
    except ValidationError as error:
        raise SettingsError("\n".join(_describe(error))) from None


def _describe(error: ValidationError) -> Iterator[str]:
    for wrong in error.errors(include_input=False, include_url=False):  # an input may be a secret
        name = "_".join(str(part) for part in wrong["loc"])
        # Our own sentences come wrapped into "Value error, ...", pydantic's begin with "Input should"
        sentence = str(wrong["ctx"]["error"]) if wrong["type"] == "value_error" else wrong["msg"]
        yield f"TETHER_{name.upper()}: {sentence.replace('Input should', 'must')}."


def require_server_settings(settings: Settings) -> None:
    """What the server does not start without. Raises `SettingsError` with a line for each that is missing."""
    if missing := list(_find_missing(settings)):
        raise SettingsError("\n".join(missing))


def _find_missing(settings: Settings) -> Iterator[str]:
    required = (
        (
            settings.webhook_secrets,
            "TETHER_GITHUB_WEBHOOK_SECRET",
            "copy the secret that you gave the App's webhook at GitHub",
        ),
        (
            settings.github_app_id,
            "TETHER_GITHUB_APP_ID",
            "copy the App id (or client id) from its settings page at GitHub",
        ),
    )
    for value, name, why in required:
        if not value:
            yield f"{name} is not set: {why}."
    try:
        settings.read_private_key()
    except SettingsError as error:
        yield str(error)
    if not settings.datahub_url:
        yield "TETHER_DATAHUB_URL is not set: give the address of DataHub's metadata service (GMS)."
