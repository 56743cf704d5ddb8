"""`tether doctor` against both sandboxes over real HTTP: all well, then each thing broken in turn."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from time import time
from typing import Any

import pytest
from pydantic import SecretStr

from app.catalog import CatalogStore, Proposal, create_app
from app.commands.doctor import examine
from app.doctor.checkup import Check, find_exit
from app.doctor.health import Health
from app.edges.github.app import EVENTS, REQUIRED
from app.review import lag
from app.settings import Settings
from app.standin.github import AppRecord, GitHubWorld, InstallationRecord, ServingGitHub
from app.words import Tree
from tests.commands.run import finish, start, tether
from tests.edges.datahub.world import FEATURES, MODEL, STAGING, ml_path
from tests.fakes.serving import Answer, Faulty, json_answer, serving
from tests.keys import app_key

SECRET = "a-secret-of-decent-length"
TOKEN = "t0ken-of-the-catalog"


class Answering:
    """A plain HTTP server whose answers are set by the test: (status, body, headers)."""

    def __init__(self, answer: Callable[[str], tuple[int, Any, Mapping[str, str]]]) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer()

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self._answer()

            def _answer(self) -> None:
                status, body, headers = answer(self.path)
                content = json.dumps(body).encode()
                self.send_response_only(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *args: object) -> None:
                return

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Answering:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@dataclass
class Install:
    """A complete install; tests break one part of it. `door`: the status that the webhook's address answers."""

    world: GitHubWorld
    app: AppRecord
    installed: InstallationRecord
    store: CatalogStore
    settings: dict[str, Any]
    door: dict[str, int]
    faults: list[Callable[[str, str, int], Answer | None]]

    def deliver(self) -> None:
        self.world.push(self.world.repo("acme/warehouse").id, "main", {f"f{time()}.sql": "SELECT 1;"})
        self.world.wait_for_deliveries()

    def look(self, tree: Tree | None = None, **changes: Any) -> tuple[tuple[Check, ...], Health | None]:
        return asyncio.run(examine(Settings(**{**self.settings, **changes}), tree))


@pytest.fixture
def install(tmp_path: Path) -> Iterator[Install]:
    world = GitHubWorld(tmp_path)
    with ExitStack() as stack:
        github = stack.enter_context(ServingGitHub(world))
        world.create_org("acme")
        world.create_repo("acme", "warehouse", {"a.sql": "SELECT 1;\n"})
        store = stack.enter_context(CatalogStore())
        store.write(ml_path())
        faults: list[Callable[[str, str, int], Answer | None]] = []
        catalog = Faulty(
            create_app(store, token=TOKEN),
            lambda *asked: next((answer for fault in faults if (answer := fault(*asked)) is not None), None),
        )
        status = {"status": 202}
        door = stack.enter_context(Answering(lambda _: (status["status"], {}, {})))
        app = world.create_app(
            "tether",
            {"metadata": "read", **REQUIRED},
            EVENTS,
            webhook_url=f"{door.url}/webhooks/github",
            webhook_secret=SECRET,
            private_key_pem=app_key(),
        )
        settings = {
            "github_app_id": str(app.id),
            "github_private_key": SecretStr(app.private_key_pem),
            "github_webhook_secret": SecretStr(SECRET),
            "github_api_url": github.url,
            "datahub_url": stack.enter_context(serving(catalog)),
            "datahub_token": SecretStr(TOKEN),
        }
        installed = world.install(app, "acme")
        world.wait_for_deliveries()
        yield Install(world, app, installed, store, settings, status, faults)
    world.close()


def wrong(checks: tuple[Check, ...]) -> dict[str, Check]:
    """What is wrong, each with what to do about it, in the order in which it has to be right."""
    found = {f"{one.group}/{one.name}": one for one in checks if one.status == "wrong"}
    assert all(one.fix for one in found.values())
    groups = [one.group for one in checks]
    assert groups == sorted(groups, key=["github", "catalog", "repository", "llm", "graph"].index)
    return found


def status_of(checks: tuple[Check, ...], name: str) -> set[str]:
    return {one.status for one in checks if f"{one.group}/{one.name}" == name}


def rows(store: CatalogStore) -> list[tuple[object, ...]]:
    with store.reading() as connection:
        return [
            tuple(row)
            for table in ("node", "aspect", "history", "edge")
            for row in connection.execute(f"SELECT * FROM {table}")  # noqa: S608 - one of four constants
        ]


# --- all well ------------------------------------------------------------------------------------------------------


def test_a_complete_install_is_well_and_nothing_is_changed(install: Install) -> None:
    before = rows(install.store)
    install.deliver()
    checks, health = install.look()

    assert wrong(checks) == {}
    assert find_exit(checks) == 0
    assert {one.status for one in checks} <= {"ok", "note"}
    assert [one.name for one in checks if one.group == "github"] == [
        *("credentials", "clock", "permissions", "events", "installations", "webhook", "webhook secret", "deliveries")
    ]
    assert [one.name for one in checks if one.group == "catalog"] == ["address", "server", "token", *["rights"] * 5]
    assert health is not None
    assert rows(install.store) == before


def test_no_secret_is_ever_printed(install: Install) -> None:
    install.faults.append(lambda _, path, __: json_answer({}, 500) if path == "/config" else None)
    broken: tuple[dict[str, Any], ...] = (
        {},
        {"datahub_token": SecretStr("other-t0ken")},
        {"github_private_key": SecretStr("no key")},
    )
    for changes in broken:
        said = str(install.look(None, **changes)[0])
        assert SECRET not in said
        assert "t0ken" not in said.replace("token belongs", "")
        assert "PRIVATE KEY-----" not in said


# --- GitHub --------------------------------------------------------------------------------------------------------


def test_an_app_id_that_is_not_set(install: Install) -> None:
    checks, _ = install.look(github_app_id=None)

    assert "TETHER_GITHUB_APP_ID is not set" in wrong(checks)["github/credentials"].said
    assert {"skipped"} == status_of(checks, "github/permissions")
    assert find_exit(checks) == 1


def test_a_key_that_is_none(install: Install) -> None:
    checks, _ = install.look(github_private_key=SecretStr("not a key"))

    assert "TETHER_GITHUB_PRIVATE_KEY" in wrong(checks)["github/credentials"].said


def test_the_key_of_another_app(install: Install) -> None:
    other = install.world.create_app("other", REQUIRED, (), private_key_pem=app_key(1))
    checks, _ = install.look(github_private_key=SecretStr(other.private_key_pem))

    assert "github/credentials" in wrong(checks)
    assert {"skipped"} == status_of(checks, "github/webhook")
    assert {"ok"} == status_of(checks, "github/clock")  # a refusal tells the time as well


def test_a_clock_that_is_wrong(install: Install) -> None:
    def hour_ago(_: str) -> tuple[int, Any, Mapping[str, str]]:
        said = {
            "message": "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
        }
        return 401, said, {"Date": formatdate(time() - 3600, usegmt=True)}

    with Answering(hour_ago) as github:
        checks, _ = install.look(github_api_url=github.url)

    assert "ahead of GitHub's" in wrong(checks)["github/clock"].said
    assert "set it right first" in wrong(checks)["github/credentials"].said


def test_github_that_cannot_be_reached(install: Install) -> None:
    checks, _ = install.look(github_api_url="http://127.0.0.1:1")

    assert {"github/credentials", "github/clock"} == {name for name in wrong(checks) if name.startswith("github/")}


def test_permissions_and_events_that_the_app_does_not_ask_for(install: Install) -> None:
    fewer = {**REQUIRED, "checks": "read"}
    install.world.change_permissions(install.app, fewer, events=("pull_request", "push"))
    checks, _ = install.look()

    assert "checks: write" in wrong(checks)["github/permissions"].said
    assert "merge_group" in wrong(checks)["github/events"].said


def test_permissions_that_an_organisation_has_not_accepted(install: Install) -> None:
    del install.installed.permissions["contents"]
    checks, _ = install.look()

    assert "acme (contents: read)" in wrong(checks)["github/installations"].said
    assert {"ok"} == status_of(checks, "github/permissions")


def test_an_app_that_is_installed_nowhere(install: Install) -> None:
    install.world.uninstall(install.installed)
    checks, _ = install.look()

    assert "installed nowhere" in wrong(checks)["github/installations"].said


def test_a_suspended_installation_is_said(install: Install) -> None:
    install.world.suspend(install.installed)
    checks, _ = install.look()

    assert {"note"} == status_of(checks, "github/installations")


@pytest.mark.parametrize(
    ("url", "said"),
    [(None, "has no webhook"), ("https://tether.example.com/", "does not end with /webhooks/github")],
)
def test_a_webhook_that_goes_nowhere(url: str | None, said: str, install: Install) -> None:
    install.app.webhook_url = url
    checks, _ = install.look()

    assert said in wrong(checks)["github/webhook"].said


def test_a_webhook_to_another_host_than_ours(install: Install) -> None:
    checks, _ = install.look(public_url="https://tether.example.com")

    assert "TETHER_PUBLIC_URL" in wrong(checks)["github/webhook"].said


def test_a_secret_that_is_not_set(install: Install) -> None:
    checks, _ = install.look(github_webhook_secret=None)

    assert "TETHER_GITHUB_WEBHOOK_SECRET is not set" in wrong(checks)["github/webhook secret"].said


def test_a_secret_that_is_short_is_said(install: Install) -> None:
    assert {"note"} == status_of(install.look(github_webhook_secret=SecretStr("short"))[0], "github/webhook secret")


def test_a_secret_that_is_another_one_shows_in_refused_deliveries(install: Install) -> None:
    install.door["status"] = 401
    install.deliver()
    checks, _ = install.look()

    assert "another signature" in wrong(checks)["github/deliveries"].said


def test_deliveries_that_nobody_takes(install: Install) -> None:
    install.door["status"] = 503
    install.deliver()
    checks, _ = install.look()

    assert "503" in wrong(checks)["github/deliveries"].said


# --- catalog -------------------------------------------------------------------------------------------------------


def test_a_catalog_that_is_not_set(install: Install) -> None:
    checks, health = install.look(datahub_url=None)

    assert "TETHER_DATAHUB_URL is not set" in wrong(checks)["catalog/address"].said
    assert health is None


def test_a_catalog_that_cannot_be_reached(install: Install) -> None:
    checks, _ = install.look(datahub_url="http://127.0.0.1:1")

    assert "catalog/address" in wrong(checks)
    assert {"skipped"} == status_of(checks, "catalog/token")


def test_the_web_interface_in_place_of_the_metadata_service(install: Install) -> None:
    page = Answer(200, b"<html></html>", (("Content-Type", "text/html"),))
    install.faults.append(lambda _, __, ___: page)
    checks, _ = install.look()

    assert "web page" in wrong(checks)["catalog/address"].said


def test_a_token_that_the_catalog_does_not_accept(install: Install) -> None:
    checks, health = install.look(datahub_token=SecretStr("wrong"))

    assert "TETHER_DATAHUB_TOKEN" in wrong(checks)["catalog/token"].said
    assert {"ok"} == status_of(checks, "catalog/address")  # /config answers without a token
    assert {"skipped"} == status_of(checks, "catalog/rights")
    assert health is None


def test_a_token_that_no_header_can_carry(install: Install) -> None:
    assert "catalog/token" in wrong(install.look(datahub_token=SecretStr("two words"))[0])


@pytest.mark.parametrize(
    ("kind", "said"),
    [("incident", "may not raise incidents"), ("mlFeature", "may not write sources of features")],
)
def test_a_token_that_may_not_write(kind: str, said: str, install: Install) -> None:
    refusal = json_answer({"message": "unauthorized to UPDATE entities"}, 403)
    install.faults.append(
        lambda method, path, _: refusal if method == "POST" and path.endswith(f"/entity/{kind}") else None
    )
    before = rows(install.store)
    checks, _ = install.look()

    assert said in wrong(checks)["catalog/rights"].said
    assert status_of(checks, "catalog/rights") == {"ok", "wrong"}
    assert rows(install.store) == before


def test_a_server_that_ignores_conditions_is_found_out_and_cleaned_up(install: Install) -> None:
    from app.catalog import writing  # noqa: PLC0415 - this one test makes the server careless

    before = [row[1:3] for row in rows(install.store) if len(row) == 5]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "require_conditions", lambda *_: None)
        checks, _ = install.look()

    assert "was deleted again" in wrong(checks)["catalog/rights"].said
    with install.store.reading() as connection:
        left = connection.execute("SELECT n.urn FROM aspect a JOIN node n ON n.id = a.node WHERE n.urn LIKE '%tether%'")
        assert left.fetchall() == []
    assert before != []


def test_an_older_server_is_slow_and_no_more(install: Install) -> None:
    missing = json_answer({"message": "No endpoint"}, 404)
    install.faults.append(lambda _, path, __: missing if path.endswith("/scroll") else None)
    checks, health = install.look()

    assert wrong(checks) == {}
    assert {"note"} == status_of(checks, "catalog/server")
    assert health is not None
    assert health.models == 1


# --- the repository's file, the language model ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "status"),
    [({}, "note"), ({".tether.yml": "version: 1\n"}, "ok"), ({".tether.yml": "version: 1\nnonsense: 2\n"}, "wrong")],
)
def test_the_file_of_a_repository(files: dict[str, str], status: str, install: Install) -> None:
    checks, _ = install.look(Tree(files))

    assert {status} == status_of(checks, "repository/.tether.yml")
    if status == "wrong":
        assert "nonsense" in wrong(checks)["repository/.tether.yml"].said


def test_without_a_repository_its_file_is_not_looked_at(install: Install) -> None:
    assert status_of(install.look()[0], "repository/.tether.yml") == set()


MODEL_INFO = {
    "type": "model",
    "id": "claude-x",
    "display_name": "X",
    "created_at": "2026-01-01T00:00:00Z",
}


@pytest.mark.parametrize(
    ("status", "model", "found", "said"),
    [
        (200, None, "ok", "accepted"),
        (200, "claude-x", "ok", "claude-x"),
        (401, None, "wrong", "does not accept TETHER_ANTHROPIC_API_KEY"),
        (404, "claude-none", "wrong", "TETHER_LLM_MODEL"),
        (529, None, "wrong", "529"),
    ],
)
def test_the_key_of_the_language_model(status: int, model: str | None, found: str, said: str, install: Install) -> None:
    def answer(path: str) -> tuple[int, Any, Mapping[str, str]]:
        listed = {"data": [MODEL_INFO], "has_more": False, "first_id": "claude-x", "last_id": "claude-x"}
        error = {"type": "error", "error": {"type": "x", "message": "no"}}
        return status, (listed if "models?" in path else MODEL_INFO) if status == 200 else error, {}

    with Answering(answer) as claude:
        checks, _ = install.look(
            anthropic_api_key=SecretStr("sk-made-up"), anthropic_base_url=claude.url, llm_model=model
        )
    (key,) = [one for one in checks if one.group == "llm"]

    assert key.status == found
    assert said in key.said
    assert "sk-made-up" not in key.said


FIELD = {
    "nullable": True,
    "type": {"type": {"com.linkedin.schema.NumberType": {}}},
    "nativeDataType": "NUMBER",
    "recursive": False,
    "isPartOfKey": False,
}
SCHEMA = {
    "schemaName": "customer",
    "platform": "urn:li:dataPlatform:snowflake",
    "version": 0,
    "hash": "",
    "platformSchema": {"com.linkedin.schema.OtherSchema": {"rawSchema": ""}},
}


# --- the graph's health --------------------------------------------------------------------------------------------


def test_health_counts_inputs_and_readable_sql(install: Install) -> None:
    view = """CREATE VIEW shop.features.customer AS
    SELECT customer_id, AVG(discount) AS discount_sensitivity FROM shop.staging.orders GROUP BY 1;"""
    for urn, columns in ((STAGING, "customer_id discount"), (FEATURES, "customer_id discount_sensitivity")):
        fields = [{**FIELD, "fieldPath": column} for column in columns.split()]
        install.store.write([Proposal(urn, "schemaMetadata", value={**SCHEMA, "fields": fields})])
    _, here = install.look(Tree({"features/customer.sql": view, ".tether.yml": "version: 1\ndialect: snowflake\n"}))
    _, nowhere = install.look(Tree({"a.sql": "SELECT 1 AS x;"}))
    _, unasked = install.look()

    assert here is not None
    assert (here.serving, here.without_inputs, here.features, here.readable) == (("churn_v4",), (), 1, 1)
    assert nowhere is not None
    assert (nowhere.readable, nowhere.reasons[0][1]) == (0, 1)
    assert unasked is not None
    assert (unasked.readable, unasked.undecided) == (None, ())


def test_a_graph_index_that_lacks_what_models_declare_is_wrong(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lag, "PAUSE", 0)
    install.faults.append(lambda _, path, __: json_answer({"results": []}) if path.endswith("ship/scroll") else None)
    checks, health = install.look()

    assert health is not None
    assert len(health.behind) == 1
    assert "graph index is behind" in wrong(checks)["graph/index"].said


def test_health_names_what_would_raise_the_number(install: Install) -> None:
    from app.doctor.health import find_advice  # noqa: PLC0415 - one test reads the advice alone

    idle = MODEL.replace("churn_v4", "idle")
    install.store.write([Proposal(idle, "mlModelProperties", value={"customProperties": {}, "tags": []})])
    _, health = install.look()
    _, told = install.look(
        Tree({".tether.yml": "version: 1\nmodels:\n  idle: {serving: true, features: [customer_features.x]}\n"})
    )

    assert health is not None
    assert (health.without_inputs, health.undecided) == (("idle",), ("idle",))
    advice = "\n".join(find_advice(health))
    assert "declare no inputs" in advice
    assert "--repo DIR" in advice
    assert told is not None
    assert (told.without_inputs, told.undecided, told.features) == ((), (), 2)


def test_a_catalog_that_fails_while_models_are_read_is_wrong(install: Install) -> None:
    install.faults.append(lambda _, path, __: json_answer({}, 500) if path == "/openapi/v3/entity/scroll" else None)
    checks, health = install.look()

    assert "mlModel" in wrong(checks)["graph/health"].said
    assert health is None


def test_numbers_that_are_not_whole_are_wrong(install: Install) -> None:
    install.faults.append(
        lambda _, path, __: json_answer({}, 500) if path.endswith("/mlModelDeployment/batchGet") else None
    )
    checks, health = install.look()

    assert "not whole" in wrong(checks)["graph/health"].said
    assert health is not None
    assert (health.models, health.serving) == (1, ("churn_v4",))  # nobody can tell that it does not serve


def test_every_check_is_there_in_order(install: Install) -> None:
    checks, health = install.look(Tree({".tether.yml": "version: 1\n"}))
    names = list(dict.fromkeys(f"{one.group}/{one.name}" for one in checks))

    assert wrong(checks) == {}
    assert health is not None
    assert names == [
        *("github/credentials", "github/clock", "github/permissions", "github/events", "github/installations"),
        *("github/webhook", "github/webhook secret", "github/deliveries"),
        *("catalog/address", "catalog/server", "catalog/token", "catalog/rights"),
        *("repository/.tether.yml", "llm/key", "graph/index"),
    ]
    assert [one.said for one in checks if one.name == "rights"] == [
        "may raise incidents",
        "may write lineage of datasets",
        "may write sources of features",
        "may write inputs of models",
        "may set tags",
    ]


# --- the command ---------------------------------------------------------------------------------------------------


def names(install: Install, **others: str) -> dict[str, str]:
    return {
        "TETHER_GITHUB_APP_ID": install.settings["github_app_id"],
        "TETHER_GITHUB_PRIVATE_KEY": install.app.private_key_pem,
        "TETHER_GITHUB_WEBHOOK_SECRET": SECRET,
        "TETHER_GITHUB_API_URL": install.settings["github_api_url"],
        "TETHER_DATAHUB_URL": install.settings["datahub_url"],
        "TETHER_DATAHUB_TOKEN": TOKEN,
        **others,
    }


def test_the_command_says_and_exits_what_it_found(install: Install, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / ".tether.yml").write_text("version: 1\n")
    well = finish(start("doctor", "--repo", tmp_path / "shop", settings=names(install)))
    ill = tether("doctor", "--format", "json", settings=names(install, TETHER_DATAHUB_TOKEN="wrong"))
    usage = tether("doctor", "--repo", tmp_path / "nowhere", settings=names(install))
    setting = tether("doctor", settings=names(install, TETHER_DATAHUB_URL="ftp://x"))

    assert (well.returncode, ill.returncode, usage.returncode, setting.returncode) == (0, 1, 3, 3)
    assert "ok      catalog / token" in well.stdout
    assert "Graph health" in well.stdout
    answer = json.loads(ill.stdout)
    assert answer["ok"] is False
    assert answer["health"] is None
    assert {"group", "name", "status", "said", "fix"} == answer["checks"][0].keys()
