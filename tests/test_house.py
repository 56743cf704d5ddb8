"""The house rules of app/ARCHITECTURE.md, enforced: who may import what, how large things may be, what nobody may do."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
APP = ROOT / "app"
CORE = ("words", "render", "reads", "change", "trail", "repair", "verdict", "outcome", "effects")
#: room of the shell -> what it may import beside the core; `edges.store` alone of the edges, for our own rows
SHELL: dict[str, tuple[str, ...]] = {
    "codec": (),
    "ports": (),
    "requests": ("codec", "ports"),
    "edges": ("ports", "requests"),
    "source": ("ports", "requests"),
    "review": ("codec", "ports", "requests", "source", "edges.store"),
    "lineage": ("codec", "ports", "requests", "source", "review", "edges.store"),
    "jobs": ("codec", "ports", "requests", "source", "review", "lineage", "edges.store"),
    "webhook": ("codec", "requests"),
    "doctor": ("ports", "source", "review", "lineage"),
    "offline": ("ports", "source", "review", "lineage"),
    "catalog": (),
    "standin": ("catalog",),
    "settings": (),
}
#: composition roots: they construct edges, and import what they like
ROOTS = ("main", "cli", "commands")

#: third-party package -> rooms that may import it; everything else of app/ may not
ALLOWED = {
    "sqlglot": ("render", "reads", "change"),
    "jinja2": ("render",),
    "yaml": ("render", "change.changelog", "review.config", "catalog", "standin", "offline.scenario"),
    "pydantic": ("settings", "codec", "requests", "review.config", "catalog", "standin"),
    "pydantic_settings": ("settings",),
    "dbos": ("jobs.queue",),
    "fastapi": ("webhook", "main"),
    "starlette": ("webhook", "main", "catalog", "standin"),
    "uvicorn": ("main", "catalog", "standin"),
    "githubkit": ("edges.github",),
    "jwt": ("edges.github", "standin.github"),
    "cryptography": ("edges.github", "standin.github"),
    "datahub": ("edges.datahub", "catalog", "standin.demo"),
    "requests": ("edges.datahub",),
    "httpx": ("edges.github", "edges.datahub", "standin", "commands"),
    "markdown_it": ("standin.github",),
    "graphql": ("catalog",),
    "avro": ("catalog",),
    "sqlalchemy": ("edges.store", "jobs.queue"),
    "alembic": ("edges.store",),
    "anthropic": ("edges.claude",),
    "click": ("cli", "commands"),
}
#: the core is pure: time, ids, texts and the graph are passed in
IMPURE = {
    *(
        "asyncio",
        "concurrent",
        "logging",
        "multiprocessing",
        "os",
        "random",
        "secrets",
        "shutil",
    ),
    *("signal", "socket", "sqlite3", "subprocess", "tempfile", "threading", "time", "urllib.request", "uuid", "http"),
}
CLOCKS = ("now", "today", "utcnow")
BANNED_NAMES = {"util", "utils", "helper", "helpers", "common", "base", "core", "manager", "service", "handler"} | {
    "processor",
    "info",
    "misc",
}
MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 60

MODULES = sorted(path for path in APP.rglob("*.py") if "standin/data" not in path.as_posix())
CORE_MODULES = [p for p in MODULES if p.relative_to(APP).parts[0].removesuffix(".py") in CORE]


def room(path: Path) -> str:
    """`job.config` for app/review/config.py, `reads` for app/reads/__init__.py."""
    parts = path.relative_to(APP).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """(line, dotted module) of every import, wherever it stands."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name(path)}:{node.lineno}: write imports from the top (from app.room import ...)"
            yield node.lineno, node.module or ""


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def is_within(room_name: str, allowed: tuple[str, ...]) -> bool:
    return any(room_name == a or room_name.startswith(a + ".") for a in allowed)


def tracked() -> list[str]:
    """Every file that git knows, as it is called (-z: without quotes around other alphabets)."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for path in done.stdout.split("\0") if path]


def test_the_core_is_there() -> None:
    assert len(CORE_MODULES) > 20


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_third_party_packages_stay_in_their_rooms(path: Path) -> None:
    wrong = [
        f"{name(path)}:{line}: {module}"
        for line, module in imports(path)
        if (package := module.split(".")[0]) in ALLOWED and not is_within(room(path), ALLOWED[package])
    ]

    assert wrong == []


def test_every_third_party_package_is_in_the_allow_list() -> None:
    import sys  # noqa: PLC0415 - only this test asks what the standard library is

    known = set(sys.stdlib_module_names) | {"app"} | set(ALLOWED)
    unknown = {m.split(".")[0] for path in MODULES for _, m in imports(path)} - known

    assert unknown == set()


@pytest.mark.parametrize("path", CORE_MODULES, ids=name)
def test_a_core_room_imports_earlier_rooms_through_their_door(path: Path) -> None:
    mine = room(path).split(".")[0]
    earlier = CORE[: CORE.index(mine)]
    wrong = []
    for line, module in imports(path):
        parts = module.split(".")
        if parts[0] != "app" or len(parts) == 1 or parts[1] == mine:
            continue
        if parts[1] not in earlier or len(parts) > 2:
            wrong.append(f"{name(path)}:{line}: {module}")

    assert wrong == []


@pytest.mark.parametrize("path", CORE_MODULES, ids=name)
def test_the_core_is_pure(path: Path) -> None:
    wrong = [f"{name(path)}:{line}: import {m}" for line, m in imports(path) if {m, m.split(".")[0]} & IMPURE]
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module == "pathlib":  # PurePosixPath touches no disk
            wrong += [f"{name(path)}:{node.lineno}: {a.name}" for a in node.names if a.name != "PurePosixPath"]
        if isinstance(node, (ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith)):
            wrong.append(f"{name(path)}:{node.lineno}: async")
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("open", "print", "input")
        ):
            wrong.append(f"{name(path)}:{node.lineno}: {node.func.id}()")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("eval", "exec"):
            wrong.append(f"{name(path)}:{node.lineno}: {node.func.id}()")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCKS:
            wrong.append(f"{name(path)}:{node.lineno}: .{node.func.attr}()")

    assert wrong == []


SHELL_MODULES = [p for p in MODULES if p.relative_to(APP).parts[0].removesuffix(".py") in SHELL]


def test_every_module_stands_in_a_room() -> None:
    rooms = {path.relative_to(APP).parts[0].removesuffix(".py") for path in MODULES}

    assert rooms - {"__init__", *CORE, *SHELL, *ROOTS} == set()


@pytest.mark.parametrize("path", SHELL_MODULES, ids=name)
def test_a_shell_room_imports_rooms_below_it(path: Path) -> None:
    """Stand-ins know nothing of Tether beyond its words: the demo has no other way in than users have."""
    mine = room(path).split(".")[0]
    core = ("words",) if mine in ("catalog", "standin") else CORE
    allowed = (*core, *SHELL[mine], mine)
    wrong = [
        f"{name(path)}:{line}: {module}"
        for line, module in imports(path)
        if module.startswith("app.") and not is_within(module.removeprefix("app."), allowed)
    ]

    assert wrong == []


@pytest.mark.parametrize("path", [p for p in MODULES if is_within(room(p), ("edges",))], ids=name)
def test_an_edge_does_not_know_another(path: Path) -> None:
    mine = ".".join(room(path).split(".")[:2])
    wrong = [
        f"{name(path)}:{line}: {module}"
        for line, module in imports(path)
        if module.startswith("app.edges") and not is_within(module.removeprefix("app."), (mine,))
    ]

    assert wrong == []


def test_no_rooms_form_a_cycle() -> None:
    """`catalog -> names` alone must not come back through another room: the order can be drawn as a list."""
    below: dict[str, set[str]] = {}
    for path in MODULES:
        mine = room(path).split(".")[0]
        named = {module.split(".")[1] for _, module in imports(path) if module.startswith("app.")}
        below.setdefault(mine, set()).update(named - {mine})
    ordered: list[str] = []
    while free := sorted(one for one, needs in below.items() if needs <= set(ordered) and one not in ordered):
        ordered += free

    assert sorted(set(below) - set(ordered)) == []


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_sizes(path: Path) -> None:
    too_long = []
    if (lines := len(path.read_text().splitlines())) > MAX_MODULE_LINES:
        too_long.append(f"{name(path)}: {lines} lines")
    for node in ast.walk(tree(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or 0) - node.lineno + 1
            if length > MAX_FUNCTION_LINES:
                too_long.append(f"{name(path)}:{node.lineno}: {node.name} has {length} lines")

    assert too_long == []


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_every_module_says_what_it_is(path: Path) -> None:
    assert (ast.get_docstring(tree(path)) or "").strip()


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_names_belong_to_the_problem(path: Path) -> None:
    assert not BANNED_NAMES & set(path.relative_to(APP).with_suffix("").parts)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_nothing_is_swallowed(path: Path) -> None:
    wrong = [
        f"{name(path)}:{node.lineno}"
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or all(isinstance(s, ast.Pass) for s in node.body))
    ]

    assert wrong == []


@pytest.mark.parametrize("path", [p for p in MODULES if room(p) != "settings"], ids=name)
def test_only_settings_reads_the_environment(path: Path) -> None:
    """Writing it for a child process is another thing; PATH is what finds git."""
    wrong = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Attribute) and node.attr in ("getenv", "environb"):
            wrong.append(f"{name(path)}:{node.lineno}")
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.fullmatch(r"TETHER_[A-Z_]+", node.value)
        ):
            wrong.append(f"{name(path)}:{node.lineno}: {node.value}")

    allowed = ("cli", "main", "standin.demo")
    assert wrong == [] or is_within(room(path), allowed)


def test_every_path_in_architecture_exists() -> None:
    text = (APP / "ARCHITECTURE.md").read_text()
    named = set(re.findall(r"`((?:app|tests|deploy|docs)/[\w./-]*)`", text))

    assert len(named) > 20
    assert sorted(p for p in named if not (ROOT / p).exists()) == []


def test_the_top_level_is_what_it_should_be() -> None:
    tops = {path.split("/")[0] for path in tracked()}
    allowed = {"app", "tests", "deploy", "docs", "pyproject.toml", "Dockerfile", "docker-compose.yml", "README.md"}
    allowed |= {"requirements.lock", "requirements-dev.lock", "LICENSE", "CHANGELOG.md", "Makefile"}

    assert {top for top in tops if not top.startswith(".")} - allowed == set()


def test_no_committed_file_names_a_registry() -> None:
    hosts = re.compile("pypi" + r"\.org|files\.python" + r"hosted|registry\.npm" + r"js")
    wrong = [
        path
        for path in tracked()
        if (ROOT / path).is_file() and hosts.search((ROOT / path).read_text(errors="replace"))
    ]

    assert wrong == []
