"""The door for judging two trees: what it takes, what it raises, and that it agrees with what the review is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from app.effects import report_json
from app.offline.judge import judge_removal, judge_trees
from app.offline.local import LocalSide, local_change
from app.review.assess import Assessment, assess
from app.review.config import ConfigError, parse_config
from app.source.indexing import build_index
from app.source.parsing import TreeParser
from app.source.remembered import RunParseCache
from app.trail import Naming
from app.words import Repo, Transient, Tree
from tests.build import drop, model
from tests.fakes.catalog_reads import FakeCatalogReads
from tests.fakes.isolation import InlineIsolation
from tests.offline.test_whatif import FILES, WORLD

pytestmark = pytest.mark.anyio

DROP = {"migrations/1.sql": "ALTER TABLE shop.raw.orders DROP COLUMN discount_pct;"}
ADD = {"migrations/1.sql": "ALTER TABLE shop.raw.orders ADD COLUMN coupon VARCHAR;"}
HEAD = FILES | DROP


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class CountingIsolation(InlineIsolation):
    """Counts what was read of texts."""

    items = 0

    async def run(self, function, items):  # type: ignore[no-untyped-def]
        self.items += len(items)
        return await super().run(function, items)


class DownCatalog(FakeCatalogReads):
    async def fetch_urns(self, entity_type: str) -> tuple[str, ...]:
        raise Transient("the catalog at http://c does not answer")


def side(files: Mapping[str, str], unread: Mapping[str, str] | None = None) -> LocalSide:
    digests = {**files, **(unread or {})}
    return LocalSide(Tree(files, unread=unread or {}), digests)


async def judge(base: object, head: object, **more: object) -> Assessment:
    ports = {"catalog": FakeCatalogReads(WORLD), "isolation": InlineIsolation()}
    return await judge_trees(base, head, **(ports | more))  # type: ignore[arg-type]


@pytest.mark.parametrize("make", [dict, Tree, side])
async def test_texts_trees_and_trees_with_digests_are_judged_alike(make: type) -> None:
    found = await judge(make(FILES), make(HEAD))
    wanted = await assess(
        local_change(side(FILES), side(HEAD), side(FILES), config_text=None),
        catalog=FakeCatalogReads(WORLD),
        isolation=InlineIsolation(),
    )

    assert found.facts.verdict.word == "block"
    assert report_json(found.facts) == report_json(wanted.facts)
    blocked = [one["model"] for one in report_json(found.facts)["findings"] if one["level"] == "block"]
    assert model("churn") in blocked


async def test_what_changed_is_told_by_the_texts() -> None:
    assert (await judge(FILES, dict(FILES))).facts.verdict.title == "Passed: no SQL changed"
    assert (await judge(FILES, FILES | ADD)).facts.verdict.word == "pass"


@pytest.mark.parametrize("make", [Tree, LocalSide])
async def test_an_unread_file_is_no_change_only_where_digests_say_so(make: type) -> None:
    unread = {"migrations/2.sql": "it is larger than 1 MB (5,000,000 bytes)"}
    tree = Tree(FILES, unread=unread)
    given = tree if make is Tree else side(FILES, unread)
    found = (await judge(given, given)).facts.verdict

    assert found.word == ("unassessable" if make is Tree else "pass")
    assert [one.path for one in found.unknowns] == (["migrations/2.sql"] if make is Tree else [])


async def test_a_reader_that_only_the_tip_has_counts() -> None:
    reader = "features/customer_features.sql"
    without: Sequence[dict[str, str]] = [
        {path: text for path, text in files.items() if path != reader} for files in (FILES, HEAD)
    ]
    evidence = {
        "there": await judge(*without, tip=FILES),
        "gone": await judge(*without),
    }
    paths = {
        name: {line["path"] for one in report_json(found.facts)["findings"] for line in one["evidence"]}
        for name, found in evidence.items()
    }

    assert reader in paths["there"]
    assert reader not in paths["gone"]


async def test_the_configuration_is_the_tips_or_a_text_or_a_value() -> None:
    observed = "version: 1\ndialect: snowflake\nmode: observe\n"
    by_text = await judge(FILES, HEAD, config=observed)
    by_value = await judge(FILES, HEAD, config=parse_config(observed))
    by_tip = await judge(FILES, HEAD, tip=FILES | {".tether.yml": observed})

    assert {found.facts.verdict.word for found in (by_text, by_value, by_tip)} == {"warn"}
    assert {found.facts.verdict.judged for found in (by_text, by_value, by_tip)} == {"block"}


async def test_a_configuration_that_cannot_be_used_is_named() -> None:
    with pytest.raises(ConfigError, match=r"^mine\.yml line 2: unknown key `rootz`"):
        await judge(FILES, HEAD, config="version: 1\nrootz: []\n", config_name="mine.yml")
    with pytest.raises(ConfigError, match=r"^\.tether\.yml line 2: "):
        await judge(FILES, HEAD, tip=FILES | {".tether.yml": "version: 1\nrootz: []\n"})


async def test_a_catalog_that_does_not_answer_is_raised() -> None:
    with pytest.raises(Transient, match="the catalog at http://c does not answer"):
        await judge(FILES, HEAD, catalog=DownCatalog(WORLD))


async def test_a_text_that_cannot_be_read_is_an_unknown_and_raises_nothing() -> None:
    found = await judge(FILES, FILES | {"migrations/1.sql": "ALTER TABEL shop.raw.orders DROOP discount_pct;"})

    assert found.facts.verdict.word == "unassessable"
    assert [(one.path, one.line) for one in found.facts.verdict.unknowns] == [("migrations/1.sql", 1)]


async def test_names_are_shown_and_advice_is_asked_for() -> None:
    here = {"repo": Repo(7, "shop/warehouse"), "base_ref": "main"}
    plain, advised = await judge(FILES, HEAD, **here), await judge(FILES, HEAD, **here, advice="tested")

    assert (plain.facts.subject.repo.full_name, plain.facts.subject.base_ref, plain.facts.advice) == (
        "shop/warehouse",
        "main",
        None,
    )
    assert advised.facts.advice is not None
    assert advised.facts.verdict == plain.facts.verdict


async def test_a_cache_that_is_handed_on_saves_the_reading() -> None:
    cache, isolation = RunParseCache(), CountingIsolation()
    first = await judge(FILES, HEAD, cache=cache, isolation=isolation)
    read = isolation.items
    again = await judge(FILES, HEAD, cache=cache, isolation=isolation)

    assert isolation.items - read < read / 4
    assert again.facts == first.facts


async def test_a_removal_that_nobody_wrote_has_the_verdict_of_one_that_somebody_did() -> None:
    config = parse_config(FILES[".tether.yml"])
    naming = Naming.of(WORLD.datasets(), config)
    parser = TreeParser(InlineIsolation(), config, "snowflake")
    schema = {"shop.raw.orders": dict.fromkeys(("order_id", "customer_id", "discount_pct", "quantity"), "")}
    index = build_index(Repo(0, ""), await parser.parse(Tree(FILES), schema))
    followed, verdict = await judge_removal(
        drop("shop.raw.orders.discount_pct"),
        index,
        naming,
        config,
        schema=schema,
        catalog=FakeCatalogReads(WORLD),
        parser=parser,
    )
    written = (await judge(FILES, HEAD)).facts.verdict

    assert verdict.word == written.word == "block"
    assert {one.model for one in verdict.findings} == {one.model for one in written.findings}
    assert {trail.model for trail in followed.walk.trails if trail.model} >= {
        one.model for one in verdict.findings if one.model
    }


async def test_a_configuration_that_could_not_be_used_once_merged_is_told() -> None:
    found = await judge(FILES, {**FILES, ".tether.yml": "version: 1\nmode: [\n"})
    both = await judge(FILES, {**HEAD, ".tether.yml": "version: 1\nmode: [\n"})

    assert [finding.rule for finding in found.facts.verdict.findings] == ["config_is_invalid"]
    assert found.facts.verdict.word == "warn"
    assert "config_is_invalid" in {finding.rule for finding in both.facts.verdict.findings}
    assert both.facts.verdict.word == "block"
