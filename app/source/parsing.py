"""A tree -> its files as the SQL engine understood them. Parsing happens in child processes, once for each text.

What a child could not finish comes back as a file with an unknown, never as a missing file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.change import FileKind, ParsedFile, ParseItem, choose_dialect, find_dialect_folders, parse_file
from app.ports import Isolation, ParseRows, Unfinished
from app.render import NOTHING, KnownNames, SqlText, find_code_lines
from app.source.digests import digest_item, digest_parts, digest_schema, digest_tree
from app.source.mentions import Mentions
from app.source.parse_cache import ParseCache
from app.source.rendering import NamesItem, Placed, TreeRenderer, find_known
from app.words import Config, Schema, Tree, Unknown


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
    """Parses trees of one review. The same text with the same known columns is parsed once, whichever tree it stands in,
    and with a cache once for all reviews."""

    isolation: Isolation
    config: Config
    platform: str | None = None
    cache: ParseRows | None = None
    _known: dict[str, KnownNames] = field(default_factory=dict)  # by repository
    _folders: dict[str, Mapping[str, str]] = field(default_factory=dict)  # by repository, see `note_places`
    _digests: dict[int, tuple[Tree, str]] = field(default_factory=dict)
    _rendered: dict[str, tuple[Placed, ...]] = field(default_factory=dict)
    _trees: dict[str, tuple[ParsedFile, ...]] = field(default_factory=dict)
    _parsed: dict[str, ParsedFile] = field(default_factory=dict)
    _lines: dict[tuple[str, bool], tuple[str, ...]] = field(default_factory=dict)
    _given_up: set[str] = field(default_factory=set)  # digests of items and trees that a child could not finish
    _renderer: TreeRenderer = field(init=False)
    _parses: ParseCache = field(init=False)

    def __post_init__(self) -> None:
        self._renderer = TreeRenderer(self.isolation, self.config, self.platform)
        self._parses = ParseCache(self.cache)

    @property
    def settings(self) -> Config:
        """What templates are rendered with."""
        return self._renderer.settings

    async def learn(self, repo: str, item: NamesItem) -> tuple[KnownNames, tuple[str, ...]]:
        """Name the dbt projects of a repository by what was seen of them. Before any tree of it is parsed.

        The second answer says why nothing was learnt.
        """
        texts = (text for manifest in item.manifests for text in manifest)
        key = digest_parts(digest_tree(Tree(item.files), item.config, self.platform, NOTHING), repr(item.seen), *texts)
        known = await self._parses.fetch_names(key)
        if known is None:
            (answer,) = await self.isolation.run(find_known, [item])
            if isinstance(answer, Unfinished):
                return NOTHING, (f"the names of its dbt projects could not be told: {answer.why}",)
            known = answer
            await self._parses.store_names(key, known)
        self._known[repo] = known
        return known, ()

    def note_places(self, trees: Sequence[Tree]) -> None:
        """Trees of one repository: a folder says its dialect in all of them alike, so that an unchanged file stays what it is."""
        paths = dict.fromkeys(path for tree in trees for path in tree.files)
        self._folders.update(dict.fromkeys({tree.repo for tree in trees}, find_dialect_folders(paths, self.config)))

    async def parse(self, tree: Tree, schema: Schema, *, lasting: bool = True) -> ParsedTree:
        """Every file of the tree, read with what is known of the relations that it names.

        `lasting`: the tree as a whole will be asked for again by other reviews (a branch, not somebody's pull request).
        """
        name = self._name(tree)
        placed = await self._render(tree, name, lasting=lasting)
        folders = self._folders.get(tree.repo)
        folders = find_dialect_folders(tree.files, self.config) if folders is None else folders
        key = digest_parts(name, digest_schema(schema), repr(sorted(folders.items())))
        files = self._trees.get(key)
        if files is None:
            sources = [self._split(one.text, tree.files.get(one.text.path, "")) for one in placed]
            files = await self._parses.fetch_tree(key, sources)
        if files is None:
            mentions = Mentions.of(schema)
            items = [
                self._item(one.text, one.kind, tree.files.get(one.text.path, ""), mentions, folders) for one in placed
            ]
            files, finished = await self._parse_items(items)
            if lasting and finished and name not in self._given_up:
                await self._parses.store_tree(key, files)
        self._trees[key] = files
        return ParsedTree(tree, tuple(one.text for one in placed), files)

    async def parse_texts(self, tree: Tree, texts: Sequence[SqlText], schema: Schema) -> ParsedTree:
        """Definitions that need no rendering (a view's text in the catalog)."""
        mentions = Mentions.of(schema)
        items = [self._item(text, "definition", tree.files[text.path], mentions) for text in texts]
        files, _ = await self._parse_items(items)
        return ParsedTree(tree, tuple(texts), files)

    def _name(self, tree: Tree) -> str:
        known = self._digests.get(id(tree))
        if known is None:  # the tree is kept so that its id stays its own
            known = self._digests[id(tree)] = (
                tree,
                digest_tree(tree, self.config, self.platform, self._known_of(tree)),
            )
        return known[1]

    def _known_of(self, tree: Tree) -> KnownNames:
        return self._known.get(tree.repo, NOTHING)

    async def _render(self, tree: Tree, name: str, *, lasting: bool) -> tuple[Placed, ...]:
        placed = self._rendered.get(name)
        if placed is None:
            placed = await self._parses.fetch_texts(name)
        if placed is None:
            rendered = await self._renderer.render(tree, self._known_of(tree))
            placed = rendered.texts
            if not rendered.finished:
                self._given_up.add(name)
            elif lasting:
                await self._parses.store_texts(name, placed)
        self._rendered[name] = placed
        return placed

    def _item(
        self, text: SqlText, kind: FileKind, source: str, mentions: Mentions, folders: Mapping[str, str] | None = None
    ) -> ParseItem:
        """`folders`: those that say their dialect; what a tool builds is in the tool's own."""
        places = folders if text.kind == "plain" else None
        dialect = text.dialect or choose_dialect(text.path, self.config, platform=self.platform, folders=places)
        known = mentions.find("\n".join((text.sql, *(way.sql for way in text.variants))))
        return ParseItem(text, kind, dialect, self.config.catalog, known, self._split(text, source))

    def _split(self, text: SqlText, source: str) -> tuple[str, ...]:
        """The lines of a file; those of a text that stands in several trees are held once."""
        key = source, text.kind == "python"
        lines = self._lines.get(key)
        if lines is None:
            lines = self._lines[key] = find_code_lines(source) if text.kind == "python" else tuple(source.splitlines())
        return lines

    async def _parse_items(self, items: Sequence[ParseItem]) -> tuple[tuple[ParsedFile, ...], bool]:
        """The files, and whether every child finished its own."""
        keys = [digest_item(item) for item in items]
        missing = {key: item for key, item in zip(keys, items, strict=True) if key not in self._parsed}
        for key, stored in (await self._parses.fetch_files(list(missing))).items():
            self._parsed[key] = replace(stored, source=missing.pop(key).source)
        # a file of a thousand strings is not sent a thousand times: its lines stay here
        sent = [replace(item, source=()) if item.text.kind == "python" else item for item in missing.values()]
        answers = await self.isolation.run(parse_file, sent)
        fresh: dict[str, ParsedFile] = {}
        for (key, item), answer in zip(missing.items(), answers, strict=True):
            if isinstance(answer, Unfinished):
                self._given_up.add(key)
                self._parsed[key] = _unfinished(item, answer.why)
            else:
                self._parsed[key] = fresh[key] = replace(answer, source=item.source)
        await self._parses.store_files(fresh)
        return tuple(self._parsed[key] for key in keys), self._given_up.isdisjoint(keys)


def _unfinished(item: ParseItem, why: str) -> ParsedFile:
    unknown = Unknown(f"{item.text.path} could not be read", why, item.text.path, 1)
    return ParsedFile(
        item.text.path, item.kind, item.dialect, item.source, unknowns=(unknown,), relation=item.text.relation
    )


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
