"""The environment, read once; whatever is missing or wrong is one sentence that names the variable and shows no secret."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.edges.github.auth import load_key
from app.ports import JOB_BACKOFF
from app.settings import Settings, SettingsError, load_settings, require_server_settings
from app.words import Permanent

COMPLETE = {
    "TETHER_GITHUB_APP_ID": "1",
    "TETHER_GITHUB_PRIVATE_KEY": r"-----BEGIN-----\nabc\n-----END-----",
    "TETHER_GITHUB_WEBHOOK_SECRET": "new, old",
    "TETHER_DATAHUB_URL": "http://datahub:8080/",
}


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name, value in COMPLETE.items():
        monkeypatch.setenv(name, value)
    return monkeypatch


@pytest.mark.usefixtures("environment")
def test_a_complete_environment() -> None:
    settings = load_settings()
    require_server_settings(settings)
    assert settings.webhook_secrets == ("new", "old")
    assert settings.read_private_key() == "-----BEGIN-----\nabc\n-----END-----"
    assert settings.datahub_url == "http://datahub:8080"
    assert settings.check_name == "tether"
    assert settings.backoff == JOB_BACKOFF, "the queue's own default is the server's"
    assert settings.database_url.get_secret_value().startswith("sqlite:///")
    assert "old" not in repr(settings)
    assert "abc" not in repr(settings)


@pytest.mark.parametrize("name", COMPLETE)
def test_a_server_does_not_start_without(environment: pytest.MonkeyPatch, name: str) -> None:
    environment.setenv(name, "")
    with pytest.raises(SettingsError, match=f"^{name}.* is not set: ") as caught:
        require_server_settings(load_settings())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TETHER_DATAHUB_URL", "datahub:8080"),
        ("TETHER_DATABASE_URL", "mysql://root:hunter2@db/x"),
        ("TETHER_RETRY_BACKOFF", "soon"),
        ("TETHER_RETRY_BACKOFF", "30,inf"),
        ("TETHER_LOG_LEVEL", "LOUD"),
        ("TETHER_LEASE_SECONDS", "0"),
    ],
)
def test_what_cannot_be_used_is_named_without_its_value(environment: pytest.MonkeyPatch, name: str, value: str) -> None:
    environment.setenv(name, value)
    with pytest.raises(SettingsError, match=f"^{name}: ") as caught:
        load_settings()
    assert "hunter2" not in str(caught.value)
    assert "Value error" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("TETHER_DATAHUB_URL", "datahub:8080", "must start with http:// or https://."),
        ("TETHER_RETRY_BACKOFF", "a", "must be seconds above 0, separated by commas, like 30,120,600."),
        ("TETHER_LOG_LEVEL", "LOUD", "must be one of DEBUG, INFO, WARNING, ERROR, CRITICAL."),
        ("TETHER_LEASE_SECONDS", "0", "must be greater than 0."),
        ("TETHER_DATABASE_URL", "mysql://db/x", "must be sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE."),
    ],
)
def test_the_sentence_says_what_is_expected(
    environment: pytest.MonkeyPatch, name: str, value: str, sentence: str
) -> None:
    environment.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert f"{name}: {sentence}" == str(caught.value)


def test_all_that_cannot_be_used_is_told_at_once(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("TETHER_DATAHUB_URL", "datahub:8080")
    environment.setenv("TETHER_LEASE_SECONDS", "0")
    environment.setenv("TETHER_LOG_LEVEL", "LOUD")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    named = {line.partition(": ")[0] for line in str(caught.value).splitlines()}
    assert named == {"TETHER_DATAHUB_URL", "TETHER_LEASE_SECONDS", "TETHER_LOG_LEVEL"}


def test_a_level_may_be_small(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("TETHER_LOG_LEVEL", "debug")
    assert load_settings().log_level == "DEBUG"


def test_all_that_is_missing_is_told_at_once(environment: pytest.MonkeyPatch) -> None:
    for name in COMPLETE:
        environment.setenv(name, "")
    with pytest.raises(SettingsError) as caught:
        require_server_settings(load_settings())
    assert {line.split(" ")[0] for line in str(caught.value).splitlines()} == set(COMPLETE)


def test_the_source_of_the_key_is_named(environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert load_settings().private_key_source == "TETHER_GITHUB_PRIVATE_KEY"
    environment.setenv("TETHER_GITHUB_PRIVATE_KEY", "")
    environment.setenv("TETHER_GITHUB_PRIVATE_KEY_FILE", str(tmp_path / "key.pem"))
    (tmp_path / "key.pem").write_text("PEM")
    settings = load_settings()
    with pytest.raises(Permanent, match=r"TETHER_GITHUB_PRIVATE_KEY_FILE: .*key\.pem is not a private key"):
        load_key(settings.read_private_key(), source=settings.private_key_source)


def test_the_key_may_be_in_a_file(environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    environment.setenv("TETHER_GITHUB_PRIVATE_KEY", "")
    environment.setenv("TETHER_GITHUB_PRIVATE_KEY_FILE", str(tmp_path / "key.pem"))
    with pytest.raises(SettingsError, match=r"key\.pem cannot be read"):
        require_server_settings(load_settings())
    (tmp_path / "key.pem").write_text("PEM")
    assert load_settings().read_private_key() == "PEM"


def test_env_example_explains_exactly_what_is_read() -> None:
    text = (Path(__file__).parent.parent / "deploy/env.example").read_text()
    named = re.findall(r"^(TETHER_\w+)=", text, re.MULTILINE)
    assert sorted(named) == sorted(f"TETHER_{field.upper()}" for field in Settings.model_fields)
