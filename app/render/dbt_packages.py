"""The macros of `packages/` in one rendering: they run as a project's own do, and are read when one of them is first called.

Only where no project of the tree has the package: a vendored one speaks for itself. What a project defines for a macro of a
package (`default__star`, `snowflake__star`) comes before the package's own, as `adapter.dispatch` has it in dbt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from jinja2.utils import missing

from app.render.columns import find_columns
from app.render.limits import RenderError
from app.render.macros import BoundMacro, MacroLibrary, MacroSource, find_macros
from app.render.packages import TEXTS
from app.render.session import Session
from app.render.stubs import Bag, Relation
from app.render.target import SETTING

#: macros that a package lent before dbt had them itself
_LENT_BY: Final = {"dbt_utils": "dbt"}
_PREFIX: Final = re.compile(r"\A[a-z]+__(?=\w)")
_PARAMETERS: Final = re.compile(r"macro\s+\w+\s*\(([^)]*)\)")
_QUOTED: Final = re.compile(r"\"[^\"]*\"|'[^']*'")


@cache
def read_package(package: str) -> Mapping[str, MacroSource]:
    """Its macros by name."""
    return {macro.name: macro for macro in find_macros(package, TEXTS[package])}


@cache
def find_required(macro: MacroSource) -> tuple[str, ...]:
    """The parameters that have no default value."""
    found = _PARAMETERS.search(_QUOTED.sub("''", macro.text))
    parameters = [part.strip() for part in found[1].split(",")] if found else []
    return tuple(name for name in parameters if name and "=" not in name)


@cache
def find_names(package: str, adapters: tuple[str, ...]) -> Mapping[str, str]:
    """What a macro is called by -> the one that is meant by these adapters; what begins with a prefix is itself."""
    sources = read_package(package)
    plain = {_PREFIX.sub("", name) for name in sources}
    found = {name: (*(f"{adapter}__{name}" for adapter in adapters), name) for name in plain}
    found |= {f"default__{name}": (f"default__{name}", name) for name in plain} | {name: (name,) for name in sources if name not in plain}
    return {name: own for name, owns in found.items() if (own := next((one for one in owns if one in sources), None))}


def make_packages(session: Session) -> dict[str, Mapping[str, Any]]:
    """Package -> macro -> function; those of `dbt` answer to their bare names as well."""
    return {package: Package(session, package) for package in TEXTS}


class Package(Mapping[str, Any]):
    """The macros of one package by their names, those of an adapter standing for all."""

    def __init__(self, session: Session, name: str) -> None:
        self._session, self._name = session, name
        self._scope = _Scope(session, self)
        self._found: dict[str, Any] = {}

    def get(self, name: str, default: Any = None) -> Any:
        if name not in self._found:
            self._found[name] = self._find(name)
        found = self._found[name]
        return default if found is None else found

    def __getitem__(self, name: str) -> Any:
        found = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        lender = self._session.packages.get(_LENT_BY.get(self._name, ""), {})
        return iter({**find_names(self._name, self._session.home.target.adapters), **dict.fromkeys(lender)})

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _find(self, name: str) -> Any:
        """What the project defines for it comes first, then the package's own, then what it lent."""
        own = find_names(self._name, self._session.home.target.adapters).get(name)
        if own is None:
            return self._session.packages[_LENT_BY[self._name]].get(name) if self._name in _LENT_BY else None
        home = self._session.home
        for adapter in home.target.adapters:
            for project in (home, home.host):
                if project is not None and f"{adapter}__{name}" in project.macros.sources:
                    return self._session.scope(project).macro(f"{adapter}__{name}")
        return self._bind(own)

    def _bind(self, name: str) -> PackageMacro:
        libraries, sandbox = self._session.workspace.packages, self._session.workspace.sandbox
        if self._name not in libraries:
            libraries[self._name] = MacroLibrary(sandbox, read_package(self._name))
        return PackageMacro(libraries[self._name], name, self._scope, self._session.depth)  # type: ignore[arg-type]  # computes names


class PackageMacro(BoundMacro):
    """Refuses a call that leaves out what the macro needs: a made-up name would stand for it."""

    __slots__ = ("_required",)

    def __init__(self, library: MacroLibrary, name: str, names: Mapping[str, Any], depth: Any) -> None:
        super().__init__(library, name, names, depth)
        self._required = find_required(library.sources[name])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        left_out = [name for name in self._required[len(args) :] if name not in kwargs]
        if left_out:
            raise RenderError(f"{_PREFIX.sub('', self._name)}() is called without {', '.join(left_out)}")
        return super().__call__(*args, **kwargs)


class _Scope:
    """Names seen from a package: its own macros, the packages, dbt's functions, and `tether`."""

    def __init__(self, session: Session, package: Package) -> None:
        self._session, self._package = session, package
        self._found: dict[str, Any] = {}

    def get(self, key: str, default: Any = missing) -> Any:
        if key not in self._found:
            self._found[key] = self._find(key)
        return default if self._found[key] is None else self._found[key]

    def _find(self, key: str) -> Any:
        session = self._session
        if key in session.packages:
            return Bag(key, session.packages[key], lambda name: session.workspace.sandbox.undefined(name=name))
        if key == "tether":
            return _make_tether(session)
        return self._package.get(key) or session.functions.get(key)


def _make_tether(session: Session) -> Bag:
    """What no template can find out, or do."""
    target = session.home.target

    def columns(relation: object, without: str | Iterable[object] | None = ()) -> list[str]:
        """As far as the tree tells them, those aside (a name or several, in any case)."""
        low = {without.lower()} if isinstance(without, str) else {str(name).lower() for name in without or ()}
        return [name for name in find_columns(session, relation) if name.lower() not in low]

    def note_unlisted(relation: object) -> None:
        """The template asked for the columns of that relation in vain."""
        session.unlisted = str(relation)

    def refuse(why: object) -> None:
        raise RenderError(str(why))

    def renamed(relation: Relation, identifier: object) -> Relation:
        """Another table beside that one."""
        schema, database = (*reversed(relation.known_parts[:-1]), None, None)[:2]
        return Relation.of(str(identifier), schema, database, quote=target.quote, missing=SETTING)

    def listed(value: object) -> list[object]:
        """A list; a text may stand for one, with or without its brackets."""
        if isinstance(value, str):
            return [part.strip(" \"'") for part in value.strip("[] ").split(",") if part.strip(" \"'")]
        return list(value) if isinstance(value, Iterable) and not isinstance(value, Mapping) else []

    members = {
        "columns": columns,
        "database": target.database,
        "listed": listed,
        "note_unlisted": note_unlisted,
        "quote": target.quote,  # where SQL needs it, which `adapter.quote` does everywhere
        "refuse": refuse,
        "renamed": renamed,
    }
    return Bag("tether", members, lambda name: session.workspace.sandbox.undefined(name=name))
