"""The macros of `packages/` in one rendering: they run as a project's own do, and are read when one of them is first called.

Only where no project of the tree has the package: a vendored one speaks for itself. What the root project defines for a macro
of a package (`default__star`, `snowflake__star`) comes before the package's own, as `adapter.dispatch` has it in dbt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final, NoReturn

from jinja2.utils import missing

from app.render.columns import find_columns
from app.render.handles import ForTemplates
from app.render.limits import RenderError
from app.render.macros import BoundMacro, MacroLibrary, MacroSource, find_macros
from app.render.packages import TEXTS
from app.render.session import Session
from app.render.stubs import Bag, Relation
from app.render.target import SETTING
from app.words import LEFT_OUT

#: macros that a package lent before dbt had them itself
_LENT_BY: Final = {"dbt_utils": "dbt"}
_PREFIX: Final = re.compile(r"\A[a-z]+__(?=\w)")
_PARAMETERS: Final = re.compile(r"\{%[-+]?\s*macro\s+\w+\s*\(([^()]*)\)")
_QUOTED: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'", re.DOTALL)
#: a list, a dictionary or a tuple with none inside
_BRACKETED: Final = re.compile(r"\[[^\[\]]*\]|\{(?![%#{])[^{}%]*\}|(?<=[=(,])\s*\([^()]*\)")


@cache
def read_package(package: str) -> Mapping[str, MacroSource]:
    """Its macros by name."""
    return {macro.name: macro for macro in find_macros(package, TEXTS[package])}


@cache
def find_required(text: str) -> tuple[str, ...]:
    """The parameters of a macro that have no default value."""
    text, count = _QUOTED.sub("0", text), 1
    while count:  # from the inside out
        text, count = _BRACKETED.subn("0", text)
    found = _PARAMETERS.match(text)
    parameters = [part.strip() for part in found[1].split(",")] if found else []
    return tuple(name for name in parameters if name and "=" not in name)


@cache
def find_names(package: str, adapters: tuple[str, ...]) -> Mapping[str, str]:
    """What a macro is called by -> the one that is meant by these adapters; what begins with a prefix is itself."""
    sources = read_package(package)
    plain = {_PREFIX.sub("", name) for name in sources}
    asked = {name: (*(f"{adapter}__{name}" for adapter in adapters), name) for name in plain}
    asked |= {f"default__{name}": (f"default__{name}", name) for name in plain}
    asked |= {name: (name,) for name in sources if name not in plain}
    return {name: own for name, owns in asked.items() if (own := next((one for one in owns if one in sources), None))}


def make_packages(session: Session) -> dict[str, Mapping[str, Any]]:
    """Package -> macro -> function; those of `dbt` answer to their bare names as well."""
    adapters, tether = session.home.target.adapters, cache(lambda: _make_tether(session))
    return {package: Package(session, package, adapters, tether) for package in TEXTS}


class Package(ForTemplates, Mapping[str, Any]):
    """The macros of one package by their names, those of an adapter standing for all."""

    def __init__(self, session: Session, name: str, adapters: tuple[str, ...], tether: Callable[[], Bag]) -> None:
        self._session, self._name, self._adapters = session, name, adapters
        self._names = find_names(name, adapters)
        self._scope = _Scope(session, self, tether)
        self._found: dict[str, Any] = {}

    def get(self, name: str, default: Any = None) -> Any:
        """What the root project defines for it, else the package's own, else what it lent."""
        found = self._found.get(name)
        if found is None:
            if name in self._names:
                found = self._found[name] = self._find_override(name) or self._bind(self._names[name])
            elif self._name in _LENT_BY:
                return self._session.packages[_LENT_BY[self._name]].get(name, default)
        return default if found is None else found

    def __getitem__(self, name: str) -> Any:
        found = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._names or name in self._session.packages.get(_LENT_BY.get(self._name, ""), {})

    def __iter__(self) -> Iterator[str]:
        lender = self._session.packages.get(_LENT_BY.get(self._name, ""), {})
        return iter({**self._names, **dict.fromkeys(lender)})

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _find_override(self, name: str) -> BoundMacro | None:
        """The root project's, the adapter's before the default."""
        root = self._session.home.host or self._session.home
        for adapter in self._adapters:
            if (own := f"{adapter}__{name}") in root.macros.sources:
                return self._session.scope(root).macro(own)
        return None

    def _bind(self, own: str) -> PackageMacro:
        libraries, sandbox = self._session.workspace.packages, self._session.workspace.sandbox
        if self._name not in libraries:
            libraries[self._name] = MacroLibrary(sandbox, read_package(self._name))
        return PackageMacro(libraries[self._name], own, self._scope, self._session.depth)  # type: ignore[arg-type]  # computes names


class PackageMacro(BoundMacro):
    """Refuses a call that leaves out what the macro needs: a made-up name would stand for it."""

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        required = find_required(self._library.sources[self._name].text)
        if len(args) < len(required) and (left_out := [name for name in required[len(args) :] if name not in kwargs]):
            raise RenderError(f"{_PREFIX.sub('', self._name)}() is called without {', '.join(left_out)}")
        return super().__call__(*args, **kwargs)


class _Scope:
    """Names seen from a package: its own macros, the packages, dbt's functions, and `tether`."""

    def __init__(self, session: Session, package: Package, tether: Callable[[], Bag]) -> None:
        self._session, self._package, self._tether = session, package, tether
        self._found: dict[str, Any] = {}

    def get(self, key: str, default: Any = missing) -> Any:
        found = self._found.get(key)
        if found is None:
            found = self._find(key)
            if found is None:
                return default
            self._found[key] = found
        return found

    def _find(self, key: str) -> Any:
        session = self._session
        if key == "tether":
            return self._tether()
        if key in session.packages:
            return Bag(key, session.packages[key], lambda name: session.workspace.sandbox.undefined(name=name))
        found = self._package.get(key)
        return session.functions.get(key) if found is None else found


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

    def renamed(relation: Relation, identifier: object) -> Relation:
        """Another table beside that one."""
        schema, database = (*reversed(relation.known_parts[:-1]), None, None)[:2]
        return Relation.of(
            str(identifier), schema, database, quote=target.quote, quotes=relation.quotes, missing=SETTING
        )

    def left_out(names: object) -> list[str]:
        """How SQL leaves columns out where they are; `* except (c)` would fail where c is not."""
        return list(dict.fromkeys(target.quote(f"{LEFT_OUT}{str(name).lower()}") for name in _items(names)))

    members = {
        "columns": columns,
        "database": target.database,
        "items": _items,
        "left_out": left_out,
        "listed": _listed,
        "note_unlisted": note_unlisted,
        "only": _only,
        "quote": target.quote,  # where SQL needs it, which `adapter.quote` does everywhere
        "refuse": _refuse,
        "renamed": renamed,
        "variable": lambda name: _listed(session.functions["var"](name, None)),
    }
    return Bag("tether", members, lambda name: session.workspace.sandbox.undefined(name=name))


def _items(*values: object) -> list[object]:
    """Of one list, or of several names."""
    parts = [[value] if isinstance(value, str) else value for value in values]
    return [item for part in parts if isinstance(part, Iterable) for item in part]


def _only(text: object, kept: str = "", instead: str = "") -> str:
    """A text's letters, digits and kept characters."""
    return "".join(c if c.isalnum() or c in kept else instead for c in str(text))


def _refuse(why: object) -> NoReturn:
    raise RenderError(str(why))


def _listed(value: object) -> list[object]:
    """A list; a text may stand for one, with or without its brackets."""
    if isinstance(value, str):
        return [part.strip(" \"'") for part in value.strip("[] ").split(",") if part.strip(" \"'")]
    return list(value) if isinstance(value, Iterable) and not isinstance(value, Mapping) else []
