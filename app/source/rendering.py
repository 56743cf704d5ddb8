"""A tree -> the SQL-bearing texts in it, rendered in child processes, with the kind of file that each stands in.

A template that kills its process becomes a text with the reason in `why`, never a missing one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app.change import FileKind, classify, find_dbt_folders, find_migration_texts
from app.ports import Isolation, Unfinished
from app.render import (
    NOTHING,
    KnownNames,
    Part,
    Seen,
    SqlText,
    find_code_sql,
    find_names,
    is_in_part,
    may_hold_sql,
    read_manifests,
    render_tree,
)
from app.words import Config, Tree

TEMPLATE_SIGNS = ("{{", "{%", "{#")
#: a template takes some 4 ms, a child has 20 s of them: most templates of a part, unless there are more parts than these
TEMPLATES_AT_ONCE = 500
MOST_PARTS = 64


def _is_template(path: str, text: str) -> bool:
    return path.endswith(".sql") and any(sign in text for sign in TEMPLATE_SIGNS)


def _count_parts(files: Mapping[str, str]) -> int:
    templates = sum(_is_template(path, text) for path, text in files.items())
    return max(1, min(MOST_PARTS, -(-templates // TEMPLATES_AT_ONCE)))


@dataclass(frozen=True, slots=True)
class RenderItem:
    files: Mapping[str, str]
    config: Config
    known: KnownNames = NOTHING
    part: Part = (0, 1)


def render(item: RenderItem) -> tuple[SqlText, ...]:
    """`render_tree` with one argument, for the child process."""
    return render_tree(item.files, item.config, item.known, part=item.part)


@dataclass(frozen=True, slots=True)
class NamesItem:
    files: Mapping[str, str]
    config: Config
    seen: Seen
    manifests: tuple[tuple[str, str], ...] = field(default=(), repr=False)


def find_known(item: NamesItem) -> KnownNames:
    """`find_names` with one argument, for the child process, which reads the manifests too."""
    manifest, notes = read_manifests(item.manifests)
    known = find_names(item.files, item.config, replace(item.seen, manifest=manifest))
    return replace(known, notes=notes)


@dataclass(frozen=True, slots=True)
class CodeItem:
    path: str
    text: str


def find_code_texts(item: CodeItem) -> tuple[SqlText, ...]:
    """The SQL of one Python file, for the child process: a file that kills it costs no other file its SQL."""
    return find_code_sql(item.path, item.text).texts


@dataclass(frozen=True, slots=True)
class Placed:
    """A text that counts, and what its file is."""

    text: SqlText
    kind: FileKind


@dataclass(frozen=True, slots=True)
class Rendered:
    """`finished` False: a child gave up on something, and may not another time."""

    texts: tuple[Placed, ...]
    finished: bool = True


@dataclass(slots=True)
class TreeRenderer:
    """Renders trees of one review; a Python file that stands in several of them is looked through once."""

    isolation: Isolation
    config: Config
    platform: str | None = None
    _code: dict[CodeItem, tuple[SqlText, ...]] = field(default_factory=dict)
    _given_up: set[CodeItem] = field(default_factory=set)

    @property
    def settings(self) -> Config:
        """dbt models branch on the warehouse's type: it is the platform of the catalog where nothing else says it."""
        if self.config.dialect or self.config.catalog.platform or self.platform is None:
            return self.config
        return replace(self.config, catalog=replace(self.config.catalog, platform=self.platform))

    async def render(self, tree: Tree, known: KnownNames) -> Rendered:
        """Every text of the tree that counts, in the order of the paths."""
        texts, finished = await self._render_all(tree, known)
        code, code_finished = await self._read_code(tree, {text.path for text in texts})
        migrations = find_migration_texts(tree.files, self.config)
        taken = {text.path for text in migrations}
        dbt = find_dbt_folders(tree.files)
        placed = (
            Placed(text, "definition" if text.kind in ("hook", "snapshot") else kind)
            for text in (*(text for text in (*texts, *code) if text.path not in taken), *migrations)
            if (kind := classify(text.path, tree.files.get(text.path, ""), self.config, dbt=dbt)) is not None
        )
        return Rendered(tuple(placed), finished and code_finished)

    async def _render_all(self, tree: Tree, known: KnownNames) -> tuple[tuple[SqlText, ...], bool]:
        """In parts, each within the limits of a child: what kills one leaves the others their texts."""
        count = _count_parts(tree.files)
        items = [RenderItem(tree.files, self.settings, known, (number, count)) for number in range(count)]
        texts: list[SqlText] = []
        finished = True
        for item, answer in zip(items, await self.isolation.run(render, items), strict=True):
            if isinstance(answer, Unfinished):
                finished = False
                texts += await self._render_without_templates(item, answer.why)
            else:
                texts += answer
        return tuple(sorted(texts, key=lambda text: text.path)), finished

    async def _render_without_templates(self, item: RenderItem, why: str) -> tuple[SqlText, ...]:
        plain = {path: text for path, text in item.files.items() if not _is_template(path, text)}
        (texts,) = await self.isolation.run(render, [replace(item, files=plain)])
        templated = tuple(
            SqlText(path, "", (), why=f"the templates of this repository could not be rendered: {why}")
            for path in sorted(set(item.files) - set(plain))
            if is_in_part(path, item.part)
        )
        if isinstance(texts, Unfinished):
            reason = f"this repository's files could not be rendered: {texts.why}"
            paths = [path for path in sorted(plain) if path.endswith(".sql") and is_in_part(path, item.part)]
            texts = tuple(SqlText(path, "", (), why=reason) for path in paths)
        return texts + templated

    async def _read_code(self, tree: Tree, rendered: set[str]) -> tuple[tuple[SqlText, ...], bool]:
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
                self._given_up.add(item)
            else:
                self._code[item] = answer
        return tuple(text for item in items for text in self._code[item]), self._given_up.isdisjoint(items)
