"""`tether rules` and `tether config`, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.cli import tether
from app.verdict import RULES
from app.words import Permanent
from tests import suite


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(tether, [str(one) for one in arguments])
    if isinstance(done.exception, Permanent):
        return 3, str(done.exception)
    return done.exit_code, done.output


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    (tmp_path / ".tether.yml").write_text("version: 1\npolicy:\n  rules: {meaning_changed: off}\n")
    return tmp_path


def test_every_rule_is_listed_with_its_level() -> None:
    code, listed = run("rules")

    assert code == 0
    assert [line.split()[:2] for line in listed.splitlines()] == [[rule.id, rule.level] for rule in RULES]


def test_one_rule_has_a_page() -> None:
    code, page = run("rules", "type_changed")
    (rule,) = [rule for rule in RULES if rule.id == "type_changed"]

    assert (code, rule.summary in page, rule.advice in page) == (0, True, True)


def test_the_levels_that_a_configuration_sets(repo: Path) -> None:
    _, listed = run("rules", "--config", repo / ".tether.yml", "--format", "json")
    (found,) = [rule for rule in json.loads(listed) if rule["set_to"] is not None]

    assert (found["id"], found["level"], found["set_to"]) == ("meaning_changed", "warn", "off")


def test_a_rule_that_is_not_there() -> None:
    code, said = run("rules", "type_chnaged")

    assert code != 0
    assert "there is no rule 'type_chnaged'" in said


def test_where_each_value_comes_from(repo: Path) -> None:
    org = repo / "org.yml"
    org.write_text("version: 1\ncatalog: {platform: snowflake}\n")
    code, told = run("config", "--explain", "--repo", repo, "--org", org, "--format", "json")
    sources = {one["key"]: one["source"] for one in json.loads(told)}

    assert code == 0
    assert sources["catalog.platform"] == f"{org} line 2"
    assert sources["policy.rules.meaning_changed"] == ".tether.yml line 3"
    assert sources["mode"] == "default"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"version: 1\nnonsense: 1\n", ".tether.yml line 2: unknown key `nonsense`"),
        (b"version: 1\n# caf\xe9\n", ".tether.yml: cannot be used: it is not UTF-8 (line 2)"),
        (b"#" * 5_000_000, ".tether.yml: cannot be used: it is larger than 1 MB (5,000,000 bytes)"),
        (b"version: 1\na: &a [1]\nb: [*a, *a]\n", ".tether.yml line 2: anchors and aliases are not allowed"),
        (b"version: 1\n---\nversion: 1\n", ".tether.yml line 2: not YAML"),
        (b"version: 1\n\tmode: observe\n", ".tether.yml line 2: not YAML"),
        (b"version: true\n", ".tether.yml line 1: `version`"),
        (b"\xff\xfev\0e\0", ".tether.yml: cannot be used: it is UTF-16; save it as UTF-8"),
    ],
)
def test_what_is_wrong_is_one_sentence(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / ".tether.yml").write_bytes(content)
    code, told = run("config", "--repo", tmp_path)

    assert code == 3
    assert told.startswith(said)
    assert "\n" not in told.strip()


def test_the_schema_is_json() -> None:
    code, told = run("config", "--schema")

    assert (code, json.loads(told)["title"]) == (0, ".tether.yml")


def test_a_file_that_cannot_be_read_is_no_missing_file_for_repair(tmp_path: Path) -> None:
    (tmp_path / ".tether.yml").write_bytes(b"version: 1\n# caf\xe9\n")
    catalog = suite.lay_out_catalog("drop_column", tmp_path / "catalog.json")
    code, told = run("repair", "--repo", tmp_path, "--catalog", catalog, "--dry-run")

    assert (code, told) == (3, ".tether.yml: cannot be used: it is not UTF-8 (line 2)")


def test_no_configuration_is_not_called_a_good_one(repo: Path) -> None:
    assert run("config", "--repo", repo) == (0, "The configuration can be used. --explain says what it comes to.\n")
    (repo / ".tether.yml").unlink()
    said = f"There is no {repo}/.tether.yml: what holds without one can be used. --explain says what that comes to.\n"
    assert run("config", "--repo", repo) == (0, said)


def test_a_configuration_under_another_name_is_told(repo: Path) -> None:
    (repo / ".tether.yml").rename(repo / ".tether.yaml")
    code, said = run("config", "--repo", repo)
    assert (code, f"{repo}/.tether.yaml is not read: it has to be called .tether.yml" in said) == (2, True)


def test_the_option_whose_file_is_missing_is_the_one_that_is_named(repo: Path) -> None:
    _, said = run("config", "--repo", repo, "--org", repo / "nope.yml")
    assert f"--org {repo}/nope.yml: No such file or directory" in said


def test_a_rule_that_is_not_there_is_answered_with_the_near_one() -> None:
    code, said = run("rules", "removed_colum_is_read")

    assert code != 0
    assert "did you mean removed_column_is_read?" in said


def test_a_decision_on_what_is_no_urn_is_refused_before_anything_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, said = run("repair", "--confirm", "customer_features")

    assert code != 0
    assert "'customer_features' is no URN" in said
    assert list(tmp_path.iterdir()) == []
