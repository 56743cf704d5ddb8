"""Judge two trees: the one door for whoever has a base and a head at hand.

`tether check`, `backtest`, `bench` with its suite, and every measure of ours come through `judge_trees`; `whatif`, which has one
tree and a removal that nobody wrote, through `judge_removal`. Both take the App's own road, so that they cannot disagree with it.
Nothing is written anywhere and nothing of a tree is executed. To open a catalog from a file, a list of MCPs or an address, and to
read directories and revisions, see `app/commands/opening.py` and `app/commands/trees.py`: this room constructs no edges.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from app.change import Removal, RemovalReport
from app.offline.local import LocalSide, find_change, local_change
from app.ports import CatalogReads, Isolation, ParseRows
from app.review.advise import advise
from app.review.assess import Assessment, assess
from app.review.config import ConfigError, find_config_text, parse_config
from app.review.config_verdict import add_config_finding
from app.review.follow import Followed, follow
from app.source.parsing import TreeParser
from app.source.remembered import RunParseCache
from app.trail import Naming, SqlIndex
from app.verdict import Verdict, judge
from app.words import CONFIG_PATH, Config, Repo, Schema, Tree

#: path -> text; or a tree, which knows what could not be read as well; or a tree whose files carry digests
Files: TypeAlias = LocalSide | Tree | Mapping[str, str]
#: a change of nowhere in particular
HERE = Repo(0, "")


async def judge_trees(
    base: Files,
    head: Files,
    *,
    tip: Files | None = None,
    config: Config | str | None = None,
    config_name: str = CONFIG_PATH,
    catalog: CatalogReads,
    isolation: Isolation,
    cache: ParseRows | None = None,
    repo: Repo = HERE,
    base_ref: str = "",
    advice: Literal["none", "tested"] = "none",
) -> Assessment:
    """What Tether says of a pull request that leads from `base` to `head`.

    Trees
        `base` is what the change starts from (the merge base), `head` what it ends in, `tip` the base branch as it is now, where
        it moved on (default: the base). Each is one of
        - a mapping of paths, from the repository's top and with `/`, to texts: `{"models/a.sql": "select 1 as x"}`;
        - a `Tree`: the same in `files`, and in `unread` path -> why its text is not there ("it is a symbolic link");
        - a `LocalSide`: a tree, and `digests`, path -> something that differs exactly when the content does.
        Give all files that can matter: `app.source.selection.choose_read` says which. What changed is told by the digests where
        base and head both have them. Otherwise by the texts; a path that is unread on one side then counts as changed, since
        nobody can tell. `tree.commit` is shown in what is said.
    Configuration
        `config` is the text of a `.tether.yml`, which messages call `config_name`, or a `Config` that was parsed before. None:
        the tip's own `.tether.yml`, or the defaults.
    Ports
        `catalog` answers what DataHub knows, `isolation` runs everything that touches the trees' text (`ChildPool`, in children
        that can be killed). `cache` remembers parsed SQL from one call to the next: give the same `RunParseCache` to judge a
        history quickly.
    What is said
        `repo` and `base_ref` name the repository and the base branch in texts. `advice` "tested" looks, for a block, for a small
        change with which the head would pass, which takes up to 20 seconds more and judges again.

    Returns the assessment. `.facts.verdict` has `word`, `conclusion`, `title`, `findings` and `unknowns`;
    `app.effects.report_json(it.facts)` is the JSON of `tether check`, `report_text` and `report_sarif` are its other forms.

    Raises `ConfigError` (a `Permanent`) for a configuration that cannot be used, naming file and line; `Transient` where the
    catalog cannot be read now, `Permanent` where it refuses. SQL that cannot be read raises nothing: it is an unknown.
    """
    before, after = _make_comparable(base, head)
    now = before if tip is None else _make_side(tip)
    if isinstance(config, Config):
        change = find_change(before, after, now, config)
    else:
        change = local_change(before, after, now, config_text=config, config_name=config_name)
    change = replace(change, subject=replace(change.subject, repo=repo, base_ref=base_ref))
    kept = cache if cache is not None else RunParseCache()
    assessment = await assess(change, catalog=catalog, isolation=isolation, cache=kept)
    if config is None:
        facts = add_config_finding(assessment.facts, _find_config_error(after), change.config.policy)
        assessment = replace(assessment, facts=facts)
    if advice == "none":
        return assessment
    return await advise(change, assessment, assess, catalog=catalog, isolation=isolation, cache=kept)


def _find_config_error(head: LocalSide) -> ConfigError | None:
    try:
        parse_config(find_config_text(head.tree))
    except ConfigError as error:
        return error
    return None


async def judge_removal(
    removal: Removal,
    index: SqlIndex,
    naming: Naming,
    config: Config,
    *,
    schema: Schema,
    catalog: CatalogReads,
    parser: TreeParser,
) -> tuple[Followed, Verdict]:
    """As if somebody had written that removal over a tree whose SQL is `index`: who is behind it, and the verdict.

    `schema` is what is known of the tree's relations, `parser` reads the views that the catalog alone holds. Raises as the
    catalog.
    """
    report = RemovalReport((removal,), base_schema=schema, head_schema=schema)
    followed = await follow(report, index, naming, config, schema=schema, catalog=catalog, parser=parser)
    return followed, judge(report, followed.walk, followed.graph, naming, config, in_scope=True)


# --- trees ---------------------------------------------------------------------------------------------------------


def _make_comparable(base: Files, head: Files) -> tuple[LocalSide, LocalSide]:
    """Digests of two makings say nothing of each other: unless both sides came with some, the texts are compared."""
    if isinstance(base, LocalSide) and isinstance(head, LocalSide):
        return base, head
    return _make_side(_find_tree(base), "base"), _make_side(_find_tree(head), "head")


def _make_side(files: Files, name: str = "") -> LocalSide:
    if isinstance(files, LocalSide):
        return files
    tree = _find_tree(files)
    return LocalSide(tree, {**tree.files, **dict.fromkeys(tree.unread, f"unread in {name}")})


def _find_tree(files: Files) -> Tree:
    match files:
        case LocalSide():
            return files.tree
        case Tree():
            return files
        case _:
            return Tree(files)
