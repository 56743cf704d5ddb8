"""What dbt's adapter answers to templates when there is no database: every relation exists, nothing has rows.

Columns of a relation are known where the tree tells them (a seed's header, a model's list of outputs); where it does not, one
column named `*` stands for them all, which SQL understands wherever a list of columns may stand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.render.answers import Answer
from app.render.columns import find_columns
from app.render.naming import find_relation
from app.render.session import Session
from app.render.stubs import Bag, Relation


def make_adapter_names(session: Session, unknown: Callable[[str], object]) -> dict[str, Any]:
    """`adapter`, `api` and what runs queries."""

    def empty(*_args: object, **_kwargs: object) -> list[object]:
        return []

    def text(*_args: object, **_kwargs: object) -> str:
        return ""

    def columns_of(relation: object) -> list[object]:
        names = find_columns(session, relation)
        if names:
            return [make_column(session, name, unknown) for name in names]

        def note() -> None:
            session.unlisted = str(relation)

        return [make_column(session, "*", unknown, note)]

    relation_of, loaded = _make_finders(session)
    dispatch = _make_dispatch(session, unknown)
    quote = _quote(session)
    adapter: dict[str, Any] = {
        "dispatch": dispatch,
        "get_columns_in_relation": columns_of,
        "get_relation": relation_of,
        "load_relation": loaded,
        "get_missing_columns": empty,
        "list_relations_without_caching": empty,
        "check_schema_exists": lambda *_args: True,
        "already_exists": lambda *_args: False,
        "quote": quote,
        "quote_as_configured": lambda name, *_args: str(name),
        "type": lambda: session.functions["target"]["type"],
        **dict.fromkeys(
            ("create_schema", "drop_schema", "drop_relation", "rename_relation", "execute", "cache_added"), text
        ),
    }

    def query(*_args: object, **_named: object) -> Answer:
        return session.query()

    return {
        "adapter": Bag("adapter", adapter, unknown),
        "api": make_api(session, unknown),
        "run_query": query,
        "statement": text,
        "load_result": lambda _name: Answer(),
        "load_relation": loaded,
        "get_columns_in_query": empty,
        "get_columns_in_relation": columns_of,
    }


def _quote(session: Session) -> Callable[[object], str]:
    return lambda name: session.home.target.quoted(str(name))


class _Watched(dict[str, Any]):
    """Says when one of its values is looked at."""

    def __init__(self, values: dict[str, Any], note: Callable[[], None]) -> None:
        super().__init__(values)
        self._note = note

    def __getitem__(self, key: str) -> Any:
        self._note()
        return super().__getitem__(key)


def make_column(
    session: Session, name: str, unknown: Callable[[str], object], note: Callable[[], None] | None = None
) -> Bag:
    """dbt's Column, of a type that nobody told. `note` is called when a template looks at it."""

    def no() -> bool:
        return False

    members: dict[str, Any] = {
        "name": name,
        "column": name,
        "quoted": name if name == "*" else session.home.target.quote(name),
        **dict.fromkeys(("dtype", "data_type"), "varchar"),
        "is_string": lambda: True,
        **dict.fromkeys(("is_numeric", "is_integer", "is_float", "is_number"), no),
        "string_size": lambda: 256,
    }
    return Bag("column", members if note is None else _Watched(members, note), unknown)


def _make_finders(session: Session) -> tuple[Callable[..., object], Callable[..., object]]:
    """`adapter.get_relation` and `load_relation`."""

    def relation_of(
        database: object = None, schema: object = None, identifier: object = None, **_named: object
    ) -> object:
        """None while dbt only reads its templates, which is why templates ask what they do with the answer."""
        session.asked_execute = True
        return (
            _create_relation(session, database=database, schema=schema, identifier=identifier) if session.live else None
        )

    def loaded(relation: object = None) -> object:
        """A model's own relation exists where it adds to it."""
        session.asked_execute = True
        if session.node is not None and str(relation) == str(find_relation(session.workspace, session.node)):
            return relation if session.ask_incremental() else None
        return relation if session.live else None

    return relation_of, loaded


def _create_relation(
    session: Session, *, database: object = None, schema: object = None, identifier: object = None, **_named: object
) -> Relation:
    return Relation.of(
        str(identifier or "unknown"),
        None if schema is None else str(schema),
        None if database is None else str(database),
        quote=session.home.target.quote,
    )


def make_api(session: Session, unknown: Callable[[str], object]) -> Bag:
    def create_relation(*args: object, **kwargs: object) -> Relation:
        return _create_relation(
            session, **(dict(zip(("database", "schema", "identifier"), args, strict=False)) | kwargs)
        )

    def create_column(name: object, *_args: object, **_kwargs: object) -> Bag:
        return make_column(session, str(name), unknown)

    relation = Bag("api.Relation", {"create": create_relation}, unknown)
    column = Bag("api.Column", {"create": create_column, "translate_type": str}, unknown)
    return Bag("api", {"Relation": relation, "Column": column}, unknown)


def _make_dispatch(session: Session, unknown: Callable[[str], object]) -> Callable[..., object]:
    """`adapter.dispatch('x', 'package')`: the project's macros before the package's, the adapter's before the default."""

    def dispatch(macro_name: object, macro_namespace: object = None, **_kwargs: object) -> object:
        package, _, name = str(macro_name).rpartition(".")
        package = str(macro_namespace) if isinstance(macro_namespace, str) else package
        homes = [session.home, session.home.host, session.workspace.find_home(session.home, package)]
        for home in [home for home in homes if home is not None]:
            for prefix in session.home.target.adapters:
                macro = session.scope(home).macro(f"{prefix}__{name}")
                if macro is not None:
                    return macro
        members = session.packages.get(package or "dbt", {})
        function = members.get(name) or session.packages["dbt"].get(name) or session.functions.get(name)
        return function if function is not None else unknown(f"{package}.{name}" if package else name)

    return dispatch
