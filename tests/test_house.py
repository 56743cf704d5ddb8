"""The house rules of app/ARCHITECTURE.md, enforced: who may import what, how large things may be, what nobody may do.

One test a rule; every breach is named by its file and line. A file is read and parsed once for all rules.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

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
CALLS_OUTSIDE = ("open", "print", "input", "eval", "exec")
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
    for node in nodes(path):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name(path)}:{node.lineno}: write imports from the top (from app.room import ...)"
            yield node.lineno, node.module or ""


@cache
def text(path: Path) -> str:
    return path.read_text()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(text(path), str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree(path)))


def is_within(room_name: str, allowed: tuple[str, ...]) -> bool:
    return any(room_name == a or room_name.startswith(a + ".") for a in allowed)


@cache
def tracked() -> list[str]:
    """Every file that git knows, as it is called (-z: without quotes around other alphabets)."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for path in done.stdout.split("\0") if path]


def test_the_core_is_there() -> None:
    assert len(CORE_MODULES) > 20


def test_third_party_packages_stay_in_their_rooms() -> None:
    wrong = [
        f"{name(path)}:{line}: {module}"
        for path in MODULES
        for line, module in imports(path)
        if (package := module.split(".")[0]) in ALLOWED and not is_within(room(path), ALLOWED[package])
    ]

    assert wrong == [], "\n".join(wrong)


def test_every_third_party_package_is_in_the_allow_list() -> None:
    import sys  # noqa: PLC0415 - only this test asks what the standard library is

    known = set(sys.stdlib_module_names) | {"app"} | set(ALLOWED)
    unknown = {m.split(".")[0] for path in MODULES for _, m in imports(path)} - known

    assert unknown == set()


def test_a_core_room_imports_earlier_rooms_through_their_door() -> None:
    wrong = []
    for path, line, module in ((core, *found) for core in CORE_MODULES for found in imports(core)):
        mine = room(path).split(".")[0]
        earlier = CORE[: CORE.index(mine)]
        parts = module.split(".")
        if parts[0] != "app" or len(parts) == 1 or parts[1] == mine:
            continue
        if parts[1] not in earlier or len(parts) > 2:
            wrong.append(f"{name(path)}:{line}: {module}")

    assert wrong == [], "\n".join(wrong)


def test_the_core_is_pure() -> None:
    assert [breach for path in CORE_MODULES for breach in impurities(path)] == []


def impurities(path: Path) -> Iterator[str]:
    yield from (f"{name(path)}:{line}: import {m}" for line, m in imports(path) if {m, m.split(".")[0]} & IMPURE)
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module == "pathlib":  # PurePosixPath touches no disk
            yield from (f"{name(path)}:{node.lineno}: {a.name}" for a in node.names if a.name != "PurePosixPath")
        if isinstance(node, (ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith)):
            yield f"{name(path)}:{node.lineno}: async"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS_OUTSIDE:
            yield f"{name(path)}:{node.lineno}: {node.func.id}()"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCKS:
            yield f"{name(path)}:{node.lineno}: .{node.func.attr}()"


SHELL_MODULES = [p for p in MODULES if p.relative_to(APP).parts[0].removesuffix(".py") in SHELL]


def test_every_module_stands_in_a_room() -> None:
    rooms = {path.relative_to(APP).parts[0].removesuffix(".py") for path in MODULES}

    assert rooms - {"__init__", *CORE, *SHELL, *ROOTS} == set()


def test_a_shell_room_imports_rooms_below_it() -> None:
    """Stand-ins know nothing of Tether beyond its words: the demo has no other way in than users have."""
    wrong = []
    for path in SHELL_MODULES:
        mine = room(path).split(".")[0]
        core = ("words",) if mine in ("catalog", "standin") else CORE
        allowed = (*core, *SHELL[mine], mine)
        wrong += [
            f"{name(path)}:{line}: {module}"
            for line, module in imports(path)
            if module.startswith("app.") and not is_within(module.removeprefix("app."), allowed)
        ]

    assert wrong == [], "\n".join(wrong)


def test_an_edge_does_not_know_another() -> None:
    edges = [(path, ".".join(room(path).split(".")[:2])) for path in MODULES if is_within(room(path), ("edges",))]
    wrong = [
        f"{name(path)}:{line}: {module}"
        for path, mine in edges
        for line, module in imports(path)
        if module.startswith("app.edges") and not is_within(module.removeprefix("app."), (mine,))
    ]

    assert wrong == [], "\n".join(wrong)


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


def test_sizes() -> None:
    too_long = [
        f"{name(path)}: {lines} lines" for path in MODULES if (lines := len(text(path).splitlines())) > MAX_MODULE_LINES
    ]
    for path, node in ((module, node) for module in MODULES for node in nodes(module)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or 0) - node.lineno + 1
            if length > MAX_FUNCTION_LINES:
                too_long.append(f"{name(path)}:{node.lineno}: {node.name} has {length} lines")

    assert too_long == [], "\n".join(too_long)


def test_every_module_says_what_it_is() -> None:
    assert [name(path) for path in MODULES if not (ast.get_docstring(tree(path)) or "").strip()] == []


def test_names_belong_to_the_problem() -> None:
    wrong = [name(path) for path in MODULES if BANNED_NAMES & set(path.relative_to(APP).with_suffix("").parts)]

    assert wrong == [], "\n".join(wrong)


#: classes of the core that still share a name; each pair goes with the core's own move into its rooms
SHARED_CLASSES = {"Call", "Chunk", "Folder", "Found", "Named", "Query", "Reading", "Scope", "Source", "Unknown", "Walk"}


def test_a_class_name_stands_once() -> None:
    homes: dict[str, set[str]] = {}
    for path in MODULES:
        for node in nodes(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, set()).add(name(path))
    twice = {class_name: sorted(paths) for class_name, paths in homes.items() if len(paths) > 1}

    assert {found: paths for found, paths in twice.items() if found not in SHARED_CLASSES} == {}
    assert set(twice) >= SHARED_CLASSES, "names that are unique by now: take them off the list"
    assert all(path in map(name, CORE_MODULES) for found in SHARED_CLASSES for path in twice[found])


#: verbs that promise no I/O, and what a function that does some takes: then it says load_ (a database) or fetch_ (a wire)
PURE_VERBS = ("find_", "is_", "has_", "count_")
DOES_IO = {"Connection", "Store", "Forge", "CatalogReads", "LineageWriter", "ReviewContext"}


def test_verbs_tell_input_and_output() -> None:
    wrong = []
    for path in MODULES:
        for node in nodes(path):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if not node.name.lstrip("_").startswith(PURE_VERBS):
                continue
            annotations = [each.annotation for each in (*node.args.args, *node.args.kwonlyargs) if each.annotation]
            takes = {
                part.id if isinstance(part, ast.Name) else part.attr
                for annotation in annotations
                for part in ast.walk(annotation)
                if isinstance(part, ast.Name | ast.Attribute)
            }
            if isinstance(node, ast.AsyncFunctionDef) or takes & DOES_IO:
                wrong.append(f"{name(path)}:{node.lineno}: {node.name}")

    assert wrong == [], "\n".join(wrong)


def test_nothing_is_swallowed() -> None:
    wrong = [
        f"{name(path)}:{node.lineno}"
        for path in MODULES
        for node in nodes(path)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or all(isinstance(s, ast.Pass) for s in node.body))
    ]

    assert wrong == [], "\n".join(wrong)


def test_only_settings_reads_the_environment() -> None:
    """Writing it for a child process is another thing; PATH is what finds git."""
    allowed = ("settings", "cli", "main", "standin.demo")
    others = [path for path in MODULES if not is_within(room(path), allowed)]
    wrong = []
    for path, node in ((module, node) for module in others for node in nodes(module)):
        if isinstance(node, ast.Attribute) and node.attr in ("getenv", "environb"):
            wrong.append(f"{name(path)}:{node.lineno}")
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.fullmatch(r"TETHER_[A-Z_]+", node.value)
        ):
            wrong.append(f"{name(path)}:{node.lineno}: {node.value}")

    assert wrong == [], "\n".join(wrong)


def test_every_path_in_architecture_exists() -> None:
    named = set(re.findall(r"`((?:app|tests|deploy|docs)/[\w./-]*)`", text(APP / "ARCHITECTURE.md")))

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

    assert wrong == [], "\n".join(wrong)
