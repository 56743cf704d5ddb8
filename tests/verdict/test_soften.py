"""Laws of softening: whatever a model says, nothing but a block changes, and nothing becomes one."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from app.edges.store import Store
from app.effects import ReviewFacts, ReviewSubject
from app.ports import ModelAnswer, Ports
from app.review.assess import Assessment, ChangeInputs
from app.review.soften import QuestionBudget, soften_block
from app.verdict import Finding, NoReading, Verdict, find_blocked, find_cleared, find_word, parse_answer, soften, stand
from app.verdict.masking import mask, scan, strip_comments
from app.verdict.reading import BackfilledBy, ComputedBy, HoleValue, Reading
from app.verdict.routine import find_body, find_calls
from app.verdict.verdict import Word
from app.words import Config, Repo, Tree, Unknown
from tests.databases import make_store
from tests.laws import examples

FEATURE = "urn:li:mlFeature:(customer,discount)"
KEYS = ("reading", "path", "first_line", "last_line", "hole_path", "hole_line", "hole", "value", "feature", "routine")
FILES = {
    "m/2.sql": "ALTER TABLE t DROP COLUMN discount;\nALTER TABLE t ADD COLUMN ${legacy} INT;\nCALL fill();\n",
    "conf.yml": "legacy: discount\n",
    "f.sql": "SELECT 1 AS discount FROM t;\n",
    "p.sql": "CREATE PROCEDURE fill() AS $$ UPDATE t SET a = discount; $$;\n",
}
CHANGED = frozenset({"m/2.sql", "f.sql"})


def finding(level: str, model: str = "churn") -> Finding:
    return Finding("removed_column_is_read", level, "churn loses it", "t", "discount", feature=FEATURE, model=model)  # type: ignore[arg-type]


FINDINGS = st.lists(
    st.builds(finding, st.sampled_from(["block", "unassessable", "warn"]), st.sampled_from(["a", "b"])), max_size=4
).map(tuple)
UNKNOWNS = st.lists(st.just(Unknown("x", "y")), max_size=1).map(tuple)
VERDICTS = st.tuples(FINDINGS, UNKNOWNS).map(lambda parts: Verdict(find_word(*parts), "a title", *parts))
LINES = st.integers(-1, 5) | st.none() | st.sampled_from([True])
PATHS = st.sampled_from([*FILES, "nowhere.sql"]) | st.none() | st.text(max_size=5)
NEARLY = st.fixed_dictionaries(
    {
        "reading": st.sampled_from(["hole_value", "computed_by", "backfilled_by", "none", "block"]),
        "path": PATHS,
        "first_line": LINES,
        "last_line": LINES,
        "hole_path": PATHS,
        "hole_line": LINES,
        "hole": st.sampled_from(["${legacy}", "discount", "", "CALL fill();"]) | st.none(),
        "value": st.sampled_from(["discount", "t", "x"]) | st.none(),
        "feature": st.sampled_from([FEATURE, "other"]) | st.none(),
        "routine": st.sampled_from(["fill", "x"]) | st.none(),
    }
)
#: what stands in FILES; mostly one of them, sometimes with one key that does not fit
RIGHT = [
    {
        "reading": "hole_value",
        "path": "conf.yml",
        "first_line": 1,
        "last_line": 1,
        "hole_path": "m/2.sql",
        "hole_line": 2,
    }
    | {"hole": "${legacy}", "value": "discount", "feature": None, "routine": None},
    dict.fromkeys(KEYS)
    | {"reading": "computed_by", "path": "f.sql", "first_line": 1, "last_line": 1, "feature": FEATURE},
    dict.fromkeys(KEYS)
    | {"reading": "backfilled_by", "path": "p.sql", "first_line": 1, "last_line": 1, "routine": "fill"},
]
CLOSE = st.tuples(st.sampled_from(RIGHT), st.sampled_from(KEYS), NEARLY, st.integers(0, 2)).map(
    lambda parts: parts[0] if parts[3] else {**parts[0], parts[1]: parts[2][parts[1]]}
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*KEYS, "verdict", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)
ANSWERS = st.one_of(
    st.text().map(ModelAnswer),
    JSON.map(lambda value: ModelAnswer(json.dumps(value))),
    NEARLY.map(lambda value: ModelAnswer(json.dumps(value))),
    CLOSE.map(lambda value: ModelAnswer(json.dumps(value))),
    CLOSE.map(lambda value: ModelAnswer(json.dumps(value))),
    st.text(max_size=40).map(lambda why: ModelAnswer(why=why or "no")),
)


class Says:
    def __init__(self, answer: ModelAnswer) -> None:
        self.answer, self.asked = answer, 0

    async def propose(self, system: str, prompt: str, schema: Any) -> ModelAnswer:
        self.asked += 1
        return self.answer


class Parses:
    """Nothing is parsed here: a feature's file never has the output."""

    async def run(self, function: Any, items: Any) -> Any:
        return tuple(function(item) for item in items)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return make_store(tmp_path_factory.mktemp("laws") / "laws.db")


NUMBER = iter(range(10**9))


async def softened(before: Verdict, again: Verdict, answer: ModelAnswer, store: Store) -> tuple[Verdict, int]:
    head = Tree(FILES)
    change = ChangeInputs(
        ReviewSubject(Repo(next(NUMBER), "a/b")), head, head, head, changed=CHANGED, config=Config(found=True)
    )
    said = Says(answer)

    async def judge(_: ChangeInputs, **__: object) -> Assessment:
        return Assessment(ReviewFacts(change.subject, again))

    nothing: Any = None
    ports = Ports(nothing, nothing, nothing, Parses(), advisor=said)
    facts = ReviewFacts(change.subject, before)
    after = await soften_block(change, Assessment(facts), judge, ports, QuestionBudget(store, 1, 10**9))
    return after.facts.verdict, said.asked


@examples(100, HealthCheck.function_scoped_fixture)
@given(VERDICTS, VERDICTS, ANSWERS)
def test_no_answer_whatsoever_changes_anything_but_a_block(
    store: Store, before: Verdict, again: Verdict, answer: ModelAnswer
) -> None:
    after, asked = asyncio.run(softened(before, again, answer, store))

    if before.word != "block":
        assert (after, asked) == (before, 0)
        return
    assert asked == 1
    assert after.word in ("block", "warn")
    blocks = [one for one in after.findings if one.level == "block"]
    assert [replace(one, disposition="open") for one in blocks] == [
        one for one in before.findings if one.level == "block"
    ]
    if after.word == "block":
        assert (after.findings, after.unknowns, after.title) == (before.findings, before.unknowns, before.title)
        assert len(after.notes) == 1
    else:
        assert again.word in ("warn", "pass")
        assert {one.disposition for one in blocks} == {"softened"}


@pytest.mark.parametrize("right", RIGHT, ids=lambda right: str(right["reading"]))
def test_the_laws_are_about_answers_that_do_soften(store: Store, right: dict[str, Any]) -> None:
    before = Verdict("block", "a title", (finding("block"),))
    after, _ = asyncio.run(softened(before, Verdict("pass", "fine"), ModelAnswer(json.dumps(right)), store))

    assert after.word == "warn"


@given(VERDICTS, VERDICTS)
def test_softening_answers_a_warning_or_there_is_none(before: Verdict, again: Verdict) -> None:
    blocked, cleared = find_blocked(before), find_cleared(again)

    assert (blocked is None) == (before.word != "block")
    assert (cleared is None) == (again.word in ("block", "unassessable"))
    if blocked is not None and cleared is not None:
        after = soften(blocked, cleared, "why")
        assert (after.word, after.conclusion, find_word(after.findings)) == ("warn", "neutral", "warn")
    if blocked is not None:
        assert find_word(stand(blocked, "why").findings, before.unknowns) == "block"


def test_a_reading_has_no_place_for_a_verdict() -> None:
    words = set(get_args(Word))
    for kind in get_args(Reading):
        for name, annotation in kind.__annotations__.items():
            assert name not in ("verdict", "level", "rule", "disposition", "word")
            assert annotation in ("Lines", "str", "int")
    assert words == {"block", "unassessable", "warn", "pass"}


@given(st.text() | JSON.map(json.dumps) | NEARLY.map(json.dumps))
def test_any_text_is_a_reading_or_a_reason(text: str) -> None:
    found = parse_answer(text)

    assert isinstance(found, (HoleValue, ComputedBy, BackfilledBy, NoReading))


def test_deep_json_is_no_crash() -> None:
    assert isinstance(parse_answer("[" * 19_000), NoReading)


# --- masking --------------------------------------------------------------------------------------------------------


@given(st.text(alphabet="ab'\"`-/*#{}$\n\\ ", max_size=60))
def test_scanning_loses_nothing_and_masking_keeps_the_lines(text: str) -> None:
    assert "".join(part for _, part in scan(text)) == text
    assert mask(text).count("\n") == text.count("\n")
    assert strip_comments(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("SELECT a -- hidden\nFROM t", "SELECT a  \nFROM t"),
        ("SELECT /* x /* y */ z */ a", "SELECT   a"),
        ("SELECT 'it''s', \"a b\", \"col\", `t.c`", 'SELECT \'…\', "…", "col", `t.c`'),
        ("x = 'discount'", "x = 'discount'"),
        ("{# note #}{{ a }}", " {{ a }}"),
        ("'open", "'…'"),
        ("a\u202eb\x00c", "a?b?c"),
    ],
)
def test_masking(text: str, masked: str) -> None:
    assert mask(text, frozenset({"discount"})) == masked


# --- routines -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("definition", "body"),
    [
        ("CREATE PROCEDURE p() AS $$ UPDATE t SET a = b; $$;", "UPDATE t SET a = b;"),
        (
            "CREATE OR REPLACE PROCEDURE s.p() LANGUAGE SQL AS $x$ BEGIN UPDATE t SET a = b; RETURN 1; END $x$",
            "UPDATE t SET a = b;",
        ),
        ("CREATE PROCEDURE p() LANGUAGE SQL AS 'UPDATE t SET a = ''x''';", "UPDATE t SET a = 'x'"),
        ("CREATE OR ALTER PROCEDURE p AS BEGIN UPDATE t SET a = b; END", "UPDATE t SET a = b;"),
        ("CREATE PROCEDURE p(x INT) AS $$ UPDATE t SET a = x; $$;", None),
        ("CREATE PROCEDURE p() LANGUAGE PYTHON AS $$ run() $$;", None),
        ("SELECT 1; CREATE PROCEDURE p() AS $$ UPDATE t SET a = b; $$;", None),
    ],
)
def test_the_body_of_a_routine(definition: str, body: str | None) -> None:
    assert find_body(definition) == body


def test_a_call_is_a_line_of_its_own() -> None:
    text = "CALL s.fill();\n-- CALL fill();\nSELECT 'CALL fill();';\nexec fill\nCALL fill(1);\nCALL other();\n"

    assert find_calls(text, "fill") == (1, 4)
