"""A tree -> its files as the SQL engine understood them. Rendering and parsing happen in child processes.

What a child could not finish comes back as a file with an unknown, never as a missing file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.change import (
    FileKind,
    ParsedFile,
    ParseItem,
    choose_dialect,
    classify,
    find_migration_texts,
    parse_file,
)
from app.job.ports import Isolation, Unfinished
from app.render import SqlText, find_code_lines, find_code_sql, may_hold_sql, render_tree
from app.words import Config, Schema, Tree, Unknown

TEMPLATE_SIGNS = ("{{", "{%", "{#")


@dataclass(frozen=True, slots=True)
class RenderItem:
    files: Mapping[str, str]
    config: Config


def render(item: RenderItem) -> tuple[SqlText, ...]:
    """`render_tree` with one argument, for the child process."""
    return render_tree(item.files, item.config)


@dataclass(frozen=True, slots=True)
class CodeItem:
    path: str
    text: str


def find_code_texts(item: CodeItem) -> tuple[SqlText, ...]:
    """The SQL of one Python file, for the child process: a file that kills it costs no other file its SQL."""
    return find_code_sql(item.path, item.text).texts


@dataclass(frozen=True, slots=True)
class ParsedTree:
    """`texts` and `files` go together: one parsed file for each rendered text."""

    tree: Tree
    texts: tuple[SqlText, ...] = ()
    files: tuple[ParsedFile, ...] = ()

    def by_path(self) -> dict[str, list[ParsedFile]]:
        found: dict[str, list[ParsedFile]] = {}
        for file in self.files:
            found.setdefault(file.path, []).append(file)
        return found


@dataclass(slots=True)
class TreeParser:
    """Parses trees of one review. The same text with the same schema is parsed once, whichever tree it stands in."""

    isolation: Isolation
    config: Config
    platform: str | None = None
    _rendered: dict[int, tuple[Tree, tuple[SqlText, ...]]] = field(default_factory=dict)
    _parsed: dict[tuple[object, ...], ParsedFile] = field(default_factory=dict)
    _code: dict[CodeItem, tuple[SqlText, ...]] = field(default_factory=dict)

    @property
    def _render_config(self) -> Config:
        """dbt models branch on the warehouse's type: it is the platform of the catalog where nothing else says it."""
        if self.config.dialect or self.config.catalog.platform or self.platform is None:
            return self.config
        return replace(self.config, catalog=replace(self.config.catalog, platform=self.platform))

    async def render(self, tree: Tree) -> tuple[SqlText, ...]:
        """Every SQL-bearing text of the tree. A template that kills its process becomes a text with the reason in `why`."""
        known = self._rendered.get(id(tree))
        if known:
            return known[1]
        (texts,) = await self.isolation.run(render, [RenderItem(tree.files, self._render_config)])
        if isinstance(texts, Unfinished):
            texts = await self._render_without_templates(tree, texts.why)
        texts = (*texts, *await self._read_code(tree, {text.path for text in texts}))
        self._rendered[id(tree)] = (tree, texts)  # the tree is kept so that its id stays its own
        return texts

    async def _render_without_templates(self, tree: Tree, why: str) -> tuple[SqlText, ...]:
        plain = {
            p: t for p, t in tree.files.items() if not (p.endswith(".sql") and any(s in t for s in TEMPLATE_SIGNS))
        }
        (texts,) = await self.isolation.run(render, [RenderItem(plain, self._render_config)])
        templated = tuple(
            SqlText(path, "", (), why=f"the templates of this repository could not be rendered: {why}")
            for path in sorted(set(tree.files) - set(plain))
        )
        if isinstance(texts, Unfinished):
            reason = f"this repository's files could not be rendered: {texts.why}"
            texts = tuple(SqlText(path, "", (), why=reason) for path in sorted(plain) if path.endswith(".sql"))
        return texts + templated

    async def _read_code(self, tree: Tree, rendered: set[str]) -> tuple[SqlText, ...]:
        """Constant SQL of the Python files. Migrations in Python are steps in an order, and not read here."""
        items = [
            CodeItem(path, text)
            for path, text in sorted(tree.files.items())
            if path.endswith(".py") and path not in rendered and may_hold_sql(text)
            if classify(path, text, self.config) == "other"
        ]
        missing = [item for item in items if item not in self._code]
        answers = await self.isolation.run(find_code_texts, missing)
        for item, answer in zip(missing, answers, strict=True):
            if isinstance(answer, Unfinished):
                why = f"its SQL could not be looked for: {answer.why}"
                self._code[item] = (SqlText(item.path, "", (), "python", why=why),)
            else:
                self._code[item] = answer
        return tuple(text for item in items for text in self._code[item])

    async def parse(self, tree: Tree, schema: Schema) -> ParsedTree:
        """Every file of the tree, read with what is known of the relations that it names."""
        kept: list[SqlText] = []
        items: list[ParseItem] = []
        migrations = find_migration_texts(tree.files, self.config)
        taken = {text.path for text in migrations}
        for text in (*(text for text in await self.render(tree) if text.path not in taken), *migrations):
            source = tree.files.get(text.path, "")
            kind = classify(text.path, source, self.config)
            if kind is not None:
                kept.append(text)
                items.append(self._item(text, kind, source, schema))
        files = await self._parse_items(items)
        return ParsedTree(tree, tuple(kept), tuple(files))

    def _item(self, text: SqlText, kind: FileKind, source: str, schema: Schema) -> ParseItem:
        dialect = text.dialect or choose_dialect(text.path, self.config, platform=self.platform)
        lines = find_code_lines(source) if text.kind == "python" else tuple(source.splitlines())
        return ParseItem(text, kind, dialect, self.config.catalog, _mentioned(schema, source), lines)

    async def parse_texts(self, tree: Tree, texts: Sequence[SqlText], schema: Schema) -> ParsedTree:
        """Definitions that need no rendering (a view's text in the catalog)."""
        items = [self._item(text, "definition", tree.files[text.path], schema) for text in texts]
        return ParsedTree(tree, tuple(texts), tuple(await self._parse_items(items)))

    async def _parse_items(self, items: Sequence[ParseItem]) -> list[ParsedFile]:
        keys = [_key(item) for item in items]
        missing = {key: item for key, item in zip(keys, items, strict=True) if key not in self._parsed}
        # a file of a thousand strings is not sent a thousand times: its lines stay here
        sent = [replace(item, source=()) if item.text.kind == "python" else item for item in missing.values()]
        answers = await self.isolation.run(parse_file, sent)
        for (key, item), answer in zip(missing.items(), answers, strict=True):
            known = _unfinished(item, answer.why) if isinstance(answer, Unfinished) else answer
            self._parsed[key] = replace(known, source=item.source)
        return [self._parsed[key] for key in keys]


def _unfinished(item: ParseItem, why: str) -> ParsedFile:
    unknown = Unknown(f"{item.text.path} could not be read", why, item.text.path, 1)
    return ParsedFile(
        item.text.path, item.kind, item.dialect, item.source, unknowns=(unknown,), relation=item.text.relation
    )


def _key(item: ParseItem) -> tuple[object, ...]:
    schema = tuple(sorted((relation, tuple(columns.items())) for relation, columns in item.schema.items()))
    return item.text, item.kind, item.dialect, item.naming, item.source, schema


def _mentioned(schema: Schema, source: str) -> Schema:
    """The part of the schema whose relations the text can be naming: their last name stands in it somewhere.

    Only saves work: a templated name is assembled elsewhere, so a text with templates gets everything.
    """
    if any(sign in source for sign in TEMPLATE_SIGNS):
        return schema
    words = source.lower()
    return {name: columns for name, columns in schema.items() if name.rpartition(".")[2].strip('"').lower() in words}


def overlay(tip: Tree, head: Tree, changed: Iterable[str]) -> Tree:
    """The base branch's tip with the pull request's changes laid over it: what will run after the merge."""
    files, unread = dict(tip.files), dict(tip.unread)
    for path in changed:
        files.pop(path, None)
        unread.pop(path, None)
        if path in head.files:
            files[path] = head.files[path]
        elif path in head.unread:
            unread[path] = head.unread[path]
    return replace(tip, files=files, unread=unread)


def merge_schemas(first: Schema, second: Schema) -> Schema:
    """Columns of both, those of `first` in front: what an old and a new statement may name."""
    merged = {relation: dict(columns) for relation, columns in first.items()}
    for relation, columns in second.items():
        known = merged.setdefault(relation, {})
        for column, type_ in columns.items():
            known.setdefault(column, type_)
    return merged
