"""Two small trees -> a RemovalReport, the way the shell does it (render, parse with what the base knows, compare)."""

from __future__ import annotations

from collections.abc import Mapping

from app.change import (
    ParsedFile,
    ParseItem,
    Removal,
    RemovalReport,
    classify,
    find_migration_texts,
    find_removals,
    find_schema,
    parse_file,
)
from app.render import SqlText, find_code_sql, render_tree
from app.words import CatalogNaming, Config, Schema

Files = Mapping[str, str]


def parse_tree(files: Files, config: Config, schema: Schema, dialect: str) -> tuple[ParsedFile, ...]:
    """Every SQL file of the tree, rendered and read."""
    parsed = []
    for text in (*render_tree(files, config), *find_migration_texts(files, config), *_code(files)):
        source = files.get(text.path, "")
        kind = classify(text.path, source, config)
        if kind is not None:
            lines = tuple(source.splitlines())
            parsed.append(parse_file(ParseItem(text, kind, text.dialect or dialect, config.catalog, schema, lines)))
    return tuple(parsed)


def _code(files: Files) -> tuple[SqlText, ...]:
    """Constant SQL in Python, where a test writes it as `SQL: ...`, and that of Feast views."""
    found: list[SqlText] = []
    for path, text in sorted(files.items()):
        if path.endswith(".py") and "SQL: " in text:
            found.append(SqlText(path, text.partition("SQL: ")[2], (1,), kind="python"))
        elif path.endswith(".py") and "FeatureView" in text:
            found += find_code_sql(path, text).texts
    return tuple(found)


def review(
    base: Files,
    head: Files,
    *,
    dialect: str = "postgres",
    catalog: Schema | None = None,
    config: Config | None = None,
    naming: CatalogNaming | None = None,
    readers: Files | None = None,
) -> RemovalReport:
    """The report on the change from `base` to `head`. `readers` stand in another repository."""
    known = dict(catalog or {})
    settings = config or Config(found=True, dialect=dialect, catalog=naming or CatalogNaming())
    base_schema = find_schema(parse_tree(base, settings, known, dialect), known)
    head_schema = find_schema(parse_tree(head, settings, known, dialect), known)
    both = {**head_schema, **{r: {**c, **head_schema.get(r, {})} for r, c in base_schema.items()}}
    return find_removals(
        parse_tree(base, settings, base_schema, dialect),
        parse_tree(head, settings, both, dialect),
        changed=frozenset(path for path in {*base, *head} if base.get(path) != head.get(path)),
        catalog=known,
        config=settings,
        readers=parse_tree(readers or {}, settings, base_schema, dialect),
        texts=(base, head),
    )


def brief(removal: Removal) -> str:
    """`kind relation.column [-> new] level/effect[?]`: one line for tables of expectations."""
    column = f".{removal.column}" if removal.column is not None else ""
    new = f" -> {removal.new_name}" if removal.new_name else ""
    doubt = "" if removal.certain else "?"
    return f"{removal.kind} {removal.relation}{column}{new} {removal.level}/{removal.effect}{doubt}"


def briefs(report: RemovalReport, *, positions: bool = False) -> list[str]:
    """The removals, those of position left out unless asked for: only positional readers notice them."""
    return sorted(brief(r) for r in report.removals if positions or r.kind != "position_changed")
