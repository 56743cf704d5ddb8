"""Questions to the language model: one for each block, so many a day, answers kept."""

from __future__ import annotations

from app.edges.store import Claim, LlmKey, Store, claim_llm_call, set_llm_answer

KEY, OTHER = LlmKey(9, 1, "a"), LlmKey(9, 1, "b")
TODAY, TOMORROW = "2026-01-01", "2026-01-02"


def test_one_question_for_a_block(store: Store) -> None:
    with store.begin() as c:
        assert claim_llm_call(c, KEY, day=TODAY, most=5) == Claim("mine")
        assert claim_llm_call(c, KEY, day=TODAY, most=5) == Claim("asked")
        set_llm_answer(c, KEY, "it said", state="answered")
        assert claim_llm_call(c, KEY, day=TOMORROW, most=0) == Claim("answered", "it said")


def test_a_failure_may_be_asked_about_again_another_day(store: Store) -> None:
    with store.begin() as c:
        claim_llm_call(c, KEY, day=TODAY, most=5)
        set_llm_answer(c, KEY, "overloaded", state="failed")
        assert claim_llm_call(c, KEY, day=TODAY, most=5) == Claim("failed", "overloaded")
        assert claim_llm_call(c, KEY, day=TOMORROW, most=5) == Claim("mine")


def test_a_day_has_its_budget_over_all_installations(store: Store) -> None:
    with store.begin() as c:
        claim_llm_call(c, KEY, day=TODAY, most=1)
        assert claim_llm_call(c, OTHER, day=TODAY, most=1) == Claim("spent")
        assert claim_llm_call(c, LlmKey(8, 2, "c"), day=TODAY, most=1) == Claim("spent")
        assert claim_llm_call(c, OTHER, day=TOMORROW, most=1) == Claim("mine")
