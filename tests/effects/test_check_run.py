"""The finished check run: golden texts for each verdict, limits, hostile names, and what a more public place may show."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.effects import (
    CheckOutput,
    Performed,
    ReviewFacts,
    render_check,
    render_comment,
    render_resolved_comment,
    report_text,
)
from app.effects.names import find_kind, find_name
from app.effects.privacy import A_LINE, A_PRIVATE_REPOSITORY, View, find_view
from app.repair import Refusal
from app.verdict import Verdict, observe
from app.words import Evidence, Repo, Unknown
from tests.effects import reviews
from tests.effects.golden_files import assert_golden
from tests.laws import examples

VERDICTS = [reviews.block, reviews.unassessable, reviews.warn, reviews.passed]
NASTY = (
    '@octocat #1 GH-2 `x` ``` |\\| <script>alert(1)</script> ![i](http://e) "]; %%{init}%% '
    "\u202egpj\u200b\r\n# H\n> [!TIP]\n- l"
)


def _show(output: CheckOutput) -> str:
    notes = [f"{one.path}:{one.line} [{one.level}] {one.title}\n{one.message}" for one in output.annotations]
    actions = [" / ".join(action) for action in output.actions]
    parts = [output.conclusion, output.title, output.summary, "--- text", output.text, "--- annotations", *notes]
    return "\n\n".join([*parts, "--- actions", *actions]) + "\n"


@pytest.mark.parametrize("make", VERDICTS, ids=lambda make: make.__name__)
def test_each_verdict_word_for_word(make: Callable[[], ReviewFacts]) -> None:
    assert_golden(f"check_{make.__name__}.md", _show(render_check(make())))


@pytest.mark.parametrize("make", VERDICTS, ids=lambda make: make.__name__)
def test_the_verdict_decides_the_conclusion_and_completeness_comes_last(make: Callable[[], ReviewFacts]) -> None:
    facts = make()

    output = render_check(facts)

    assert output.conclusion == facts.verdict.conclusion
    assert output.title == facts.verdict.title
    assert output.summary.rfind("### What was looked at") == output.summary.rfind("###")


def test_a_failure_to_write_is_said() -> None:
    summary = render_check(reviews.block()).summary

    assert "Could not write the edge" in summary
    assert "DataHub answered 503" in summary
    assert reviews.INCIDENT in summary


def test_an_unknown_is_told_once_with_its_line() -> None:
    summary = render_check(reviews.unassessable()).summary

    assert summary.count("DataHub did not answer") == 1
    assert f"{reviews.DROP.path}#L3" in summary


def test_notes_are_printed() -> None:
    assert "is retired" in render_check(reviews.passed()).summary


def test_a_pass_by_policy_never_claims_that_nothing_is_lost() -> None:
    note = "rule removed_column_is_read is off by .tether.yml: 2 findings not counted"
    facts = reviews.review(Verdict("pass", "Passed by policy: 2 findings are not counted", notes=(note,), muted=2))

    for text in (render_check(facts).summary, render_resolved_comment(facts), report_text(facts)):
        assert "no model loses an input" not in text
    assert "2 findings not counted" in render_check(facts).summary
    assert note in report_text(facts)


def test_annotations_stand_on_changed_lines_only() -> None:
    facts = reviews.block()

    [annotation] = render_check(facts).annotations
    assert (annotation.path, annotation.line, annotation.level) == (reviews.DROP.path, 3, "failure")
    assert render_check(reviews.about(facts, changed_lines=((reviews.DROP.path, 4),))).annotations == ()


def test_a_line_of_the_base_or_of_another_repository_is_never_annotated() -> None:
    elsewhere = [replace(reviews.DROP, side="base"), replace(reviews.DROP, repo="acme/features")]
    findings = tuple(reviews.finding(evidence=(evidence,)) for evidence in elsewhere)

    assert render_check(reviews.review(Verdict("block", "Blocked", findings))).annotations == ()


def test_what_is_waived_is_no_failure_on_the_line() -> None:
    waived = reviews.finding(disposition="waived")

    [annotation] = render_check(reviews.review(Verdict("warn", "Warning", (waived,)))).annotations

    assert annotation.level == "warning"


def test_at_most_two_hundred_annotations_worst_first() -> None:
    lines = [("m.sql", line) for line in range(1, 301)]
    findings = tuple(
        reviews.finding(level="block" if line > 250 else "warn", evidence=(Evidence("m.sql", line),))
        for _, line in lines
    )

    annotations = render_check(
        reviews.about(reviews.review(Verdict("block", "Blocked", findings)), changed_lines=tuple(lines))
    ).annotations

    assert len(annotations) == 200
    assert [one.level for one in annotations[:51]] == ["failure"] * 50 + ["warning"]


def test_overlong_reviews_go_on_in_the_text_and_say_so() -> None:
    findings = tuple(reviews.finding(message=f"{n} " + "é" * 400) for n in range(400))
    facts = reviews.review(Verdict("block", "Blocked: much", findings))

    output = render_check(facts)

    assert len(output.summary.encode()) <= 65_535
    assert len(output.text.encode()) <= 65_535
    assert "under the details below" in output.summary
    assert "cut here" in output.text
    assert output.summary.endswith("- nothing that Tether knows of was left out")


def test_a_title_fits() -> None:
    title = render_check(reviews.review(Verdict("block", "Blocked: " + "日" * 400))).title

    assert len(title) == 255
    assert title.startswith("Blocked: ")
    assert title.endswith("…")


def _hostile(text: str) -> ReviewFacts:
    evidence = Evidence(text, 3, text, "head")
    urn = f"urn:li:mlModel:(urn:li:dataPlatform:mlflow,{text},PROD)"
    nasty = reviews.finding(
        message=text,
        relation=text,
        column=text,
        model=urn,
        model_name=text,
        owner=text,
        last_trained=text,
        serving=text,
        serving_rule=text,
        trail=(reviews.ORDERS, text, urn),
        evidence=(evidence,),
        new_name=text,
        rule=text,
    )
    unknown = Unknown(text, text, text, 3)
    return reviews.review(
        Verdict("block", text, (nasty,), (unknown,)),
        refusals=(Refusal(text, text, evidence),),
        performed=(Performed(text, "edge", "failed", text),),
        base_ref=text,
        notes=(evidence,),
        completeness=replace(reviews.block().completeness, index=text, unseen=(text,), models_without_inputs=(urn,)),
        changed_lines=((text, 3),),
    )


def _outside_code(markdown: str) -> str:
    without_fences = re.sub(r"(?ms)^(`{3,})[^\n]*\n.*?^\1$", "", markdown)
    without_code = re.sub(r"`[^`\n]*`|<code>[^<\n]*</code>", "", without_fences)
    # The targets of our own links, and the markup that we write ourselves.
    without_links = re.sub(r"\]\(https://github\.com/[^)\s]*\)", "]", without_code)
    return re.sub(
        r"</?(details|summary|sub)>|^> \[!(CAUTION|WARNING|NOTE|TIP)\]$|<!-- tether:review -->",
        "",
        without_links,
        flags=re.M,
    )


def _assert_harmless(markdown: str) -> None:
    rest = _outside_code(markdown)
    assert not re.search(r"@(?!&#8203;)", rest)
    assert not re.search(r"(?<![&#])#(?!&#8203;|#|\d+;| )", rest)
    assert not re.search(r"<", rest)
    assert not re.search(r"(?<!\\)!\[", rest)
    assert not any(character in markdown for character in "\u202e\u200b\r\x00")
    headings = {line for line in rest.split("\n") if line.startswith("#")}
    assert not any("H" in heading.split() for heading in headings)


def test_nasty_names_are_harmless_everywhere() -> None:
    facts = _hostile(NASTY)

    output = render_check(facts)
    comment = render_comment(facts)

    assert comment is not None
    for markdown in (output.summary, comment):
        _assert_harmless(markdown)
    assert "\n" not in output.title
    assert_golden("check_hostile.md", _show(output))
    assert_golden("comment_hostile.md", comment)


@examples(25)
@given(st.text('`|\\<>@#$[]()*_~!&;-+=:"%{} \n\r\u202e\u200bH', min_size=1, max_size=24))
def test_any_name_is_harmless(text: str) -> None:
    facts = _hostile(text)

    for markdown in (render_check(facts).summary, render_comment(facts) or ""):
        _assert_harmless(markdown)


SECRET_READ = Evidence(
    "secret/pricing_model.sql", 9, "select margin_floor from vault", "base", "acme/pricing", "e" * 40
)


@pytest.mark.parametrize(
    ("here", "there", "shown"),
    [
        ("public", "private", "nothing"),
        ("public", "internal", "nothing"),
        ("internal", "private", "nothing"),
        ("public", None, "nothing"),  # nobody said what it is
        ("private", "private", "place"),
        ("private", None, "place"),
        ("private", "internal", "text"),
        ("private", "public", "text"),
        ("internal", "public", "text"),
    ],
)
def test_a_private_repository_stays_private(here: str, there: str | None, shown: View) -> None:
    message = "secret/pricing_model.sql:9 of acme/pricing says: select margin_floor from vault"
    repo = Repo(7, "acme/warehouse", visibility=here)  # type: ignore[arg-type]  # parametrised
    known = (Repo(9, "acme/pricing", visibility=there),) if there else ()  # type: ignore[arg-type]  # parametrised
    facts = reviews.review(
        Verdict(
            "block",
            f"Blocked: {SECRET_READ.path} reads it",
            (reviews.finding(evidence=(reviews.DROP, SECRET_READ), message=message),),
            (Unknown("secret/other.sql", "secret/other.sql is dynamic", "secret/other.sql", 2, "acme/pricing"),),
        ),
        repo=repo,
        evidence_repos=(repo, *known),
        refusals=(Refusal(reviews.FEATURE, f"{SECRET_READ.path} is not on the default branch", SECRET_READ),),
        performed=(Performed("edge", "edge", "failed", f"evidence {SECRET_READ.path}"),),
    )

    output = render_check(facts)
    texts = (output.title, output.summary, render_comment(facts) or "", *(one.message for one in output.annotations))

    for secret in ("pricing_model", "acme/pricing", "secret/other"):
        assert (shown != "nothing") == any(secret.replace("_", "\\_") in text or secret in text for text in texts)
    assert (shown == "text") == any("margin_floor" in text.replace("\\", "") for text in texts)
    assert (shown == "nothing") == any(A_PRIVATE_REPOSITORY in text for text in texts)
    assert (shown == "place") == any(A_LINE in text for text in texts)


@pytest.mark.parametrize(
    ("here", "there", "shares", "shown"),
    [
        ("private", "private", (), "place"),
        ("private", "private", ("same-visibility",), "text"),
        ("private", "private", ("acme/here",), "text"),
        ("private", "private", ("acme/elsewhere",), "place"),
        ("public", "private", ("same-visibility",), "nothing"),
        ("internal", "private", ("acme/here",), "text"),
        ("public", "private", ("any",), "text"),
        ("public", "internal", ("acme/elsewhere",), "nothing"),
    ],
)
def test_a_repository_shares_with_whom_it_names(here: str, there: str, shares: tuple[str, ...], shown: View) -> None:
    reader, other = Repo(7, "acme/here", visibility=here), Repo(9, "acme/there", visibility=there)  # type: ignore[arg-type]

    assert find_view(reader, other, shares) == shown


@pytest.mark.parametrize(
    ("urn", "kind", "name"),
    [
        (reviews.ORDERS, "dataset", "shop.raw.orders"),
        (f"urn:li:schemaField:({reviews.ORDERS},discount_pct)", "column", "shop.raw.orders.discount_pct"),
        (reviews.FEATURE, "feature", "customer_features.discount_sensitivity"),
        (reviews.MODEL, "model", "churn_propensity_v4"),
        ("urn:li:mlModelDeployment:(urn:li:dataPlatform:sagemaker,churn-prod,PROD)", "deployment", "churn-prod"),
        ("urn:li:dashboard:(looker,dashboards.1)", "dashboard", "dashboards.1"),
        ("urn:li:dataset:(urn:li:dataPlatform:s3,a%2Cb,PROD)", "dataset", "a,b"),
        ("urn:li:corpuser:aman", "corpuser", "aman"),
        ("shop.raw.orders", "relation", "shop.raw.orders"),
        ("urn:li:dataset:", "dataset", ""),
    ],
)
def test_urns_read_as_names(urn: str, kind: str, name: str) -> None:
    assert (find_kind(urn), find_name(urn)) == (kind, name)


def test_a_finding_links_to_the_page_of_its_rule() -> None:
    facts = reviews.about(reviews.block(), rules_url="https://tether.example.com/rules")
    rule = facts.verdict.findings[0].rule
    page = f"[`{rule}`](https://tether.example.com/rules/{rule})"

    assert page in render_check(facts).summary
    assert page in (render_comment(facts) or "")
    assert page not in render_check(reviews.block()).summary
    assert f"`{rule}`" in render_check(reviews.block()).summary


def test_a_check_says_which_files_configure_it() -> None:
    seen = replace(reviews.block().completeness, settings="acme/.github .tether.yml")

    assert "configured by acme/.github .tether.yml" in render_check(replace(reviews.block(), completeness=seen)).summary


def test_observing_is_said_first_and_offers_another_look() -> None:
    facts = reviews.block()
    output = render_check(replace(facts, verdict=observe(facts.verdict)))

    assert output.conclusion == "neutral"
    assert "Enforced, this check would say: A serving model would lose an input." in output.summary
    assert [action[2] for action in output.actions] == ["recheck"]
    assert {annotation.level for annotation in output.annotations} == {"warning"}


def test_the_name_of_a_private_repository_that_could_not_be_read_is_not_told_in_a_public_one() -> None:
    why = "GitHub answered 451 for acme/secret-plans"
    unknown = Unknown("the SQL of a repository could not be read", why, repo="acme/secret-plans")
    facts = reviews.review(Verdict("unassessable", "Cannot be assessed", unknowns=(unknown,)))

    assert "secret-plans" in render_check(facts).summary
    assert (
        "secret-plans"
        not in render_check(reviews.about(facts, repo=replace(facts.subject.repo, visibility="public"))).summary
    )
