"""The suite itself: no method of a port is without a test, and an implementation that drifts fails it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.ports import CatalogReads, CatalogWrites, Forge, Forges
from app.words import Repo
from tests.contracts.fake_world import FakeWorld
from tests.contracts.test_forge_effects import test_a_comment_that_only_quotes_the_marker_is_another_one as quoting
from tests.fakes.forge import FakeForge

HERE = Path(__file__).parent
FIXTURES = {"forge_world", "catalog_world"}
PORTS = {
    Forge: ("test_forge_reads.py", "test_forge_effects.py"),
    Forges: ("test_forges.py",),
    CatalogReads: ("test_catalog_reads.py",),
    CatalogWrites: ("test_catalog_writes.py",),
}


def find_tested(path: Path) -> dict[str, set[str]]:
    """Test over the worlds -> the methods that it, or a function of its module that it uses, calls."""
    tree = ast.parse(path.read_text())
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}

    def calls(node: ast.AST, seen: set[str]) -> Iterator[str]:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
                yield inner.func.attr
            if isinstance(inner, ast.Name) and inner.id in functions and inner.id not in seen:
                seen.add(inner.id)
                yield from calls(functions[inner.id], seen)

    return {
        name: set(calls(node, {name}))
        for name, node in functions.items()
        if name.startswith("test_") and FIXTURES & {argument.arg for argument in node.args.args}
    }


@pytest.mark.parametrize("port", PORTS, ids=lambda port: port.__name__)
def test_every_method_of_a_port_has_a_test_of_its_own(port: type[object]) -> None:
    """Those that ask every method whether GitHub is away do not count: they call through a table."""
    tested = {name for file in PORTS[port] for methods in find_tested(HERE / file).values() for name in methods}
    methods = {name for name in vars(port) if not name.startswith("_")}

    assert methods - tested == set()
    assert len(methods) > 2


class Drifted(FakeForge):
    """A fake that finds its comment by a marker anywhere in it."""

    async def fetch_comment(self, repo: Repo, pull: int, marker: str) -> tuple[int, str] | None:
        return next(((one.id, one.body) for one in self.comments(pull) if marker in one.body), None)


def test_a_fake_that_drifts_fails() -> None:
    world = FakeWorld()
    quoting(world)
    world.forge.__class__ = Drifted
    with pytest.raises(AssertionError):
        quoting(world)
