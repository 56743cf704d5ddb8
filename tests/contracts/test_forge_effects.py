"""What `Forge` promises about effects: made once, found again, never taken for somebody else's, refused in the house's words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from io import BytesIO
from typing import Any

import pytest

from app.effects import Annotation, CheckOutput, Suggestion
from app.ports import Forge
from app.words import Permanent, Repo, Transient
from tests.contracts.forge_world import ForgeWorld, ShownSuggestion

NAME = "tether"
MARKER = "<!-- tether:review -->"
BODY = f"{MARKER}\n\nblocked"
UNKNOWN = "c0ffee" * 6 + "beef"


def marks(first: int, last: int) -> tuple[Annotation, ...]:
    return tuple(Annotation("db/2.sql", n, "failure", f"title {n}", "it is read") for n in range(first, last + 1))


def output(count: int = 0, conclusion: Any = "failure") -> CheckOutput:
    return CheckOutput(conclusion, "Blocked: b", "why", "", marks(1, count))


async def create_run(forge: Forge, world: ForgeWorld) -> int:
    return await forge.create_check_run(world.repo, world.head, NAME, external_id="job-1")


# --- check runs ------------------------------------------------------------------------------------------------------


def test_a_check_run_is_found_by_name_and_head(forge_world: ForgeWorld) -> None:
    async def work(forge: Forge) -> tuple[int | None, ...]:
        before = await forge.fetch_check_run(forge_world.repo, forge_world.head, NAME)
        made = await create_run(forge, forge_world)
        asked = ((forge_world.head, NAME), (forge_world.head, "lint"), (forge_world.base, NAME))
        return before, made, *[await forge.fetch_check_run(forge_world.repo, head, name) for head, name in asked]

    before, made, *found = forge_world.run(work)

    assert before is None
    assert found == [made, None, None]
    [run] = forge_world.runs(forge_world.head)
    assert (run.id, run.name, run.external_id, run.conclusion) == (made, NAME, "job-1", None)


def test_another_apps_run_of_that_name_is_not_found(forge_world: ForgeWorld) -> None:
    forge_world.run_of_another_app(forge_world.head, NAME)

    assert forge_world.run(lambda forge: forge.fetch_check_run(forge_world.repo, forge_world.head, NAME)) is None


def test_the_newest_of_several_runs_is_found(forge_world: ForgeWorld) -> None:
    async def work(forge: Forge) -> tuple[list[int], int | None]:
        made = [await create_run(forge, forge_world) for _ in range(3)]
        return made, await forge.fetch_check_run(forge_world.repo, forge_world.head, NAME)

    made, found = forge_world.run(work)

    assert len(set(made)) == 3
    assert found == max(made)


def test_a_check_run_on_a_commit_that_is_not_known_yet_is_tried_again(forge_world: ForgeWorld) -> None:
    with pytest.raises(Transient):
        forge_world.run(lambda forge: forge.create_check_run(forge_world.repo, UNKNOWN, NAME, external_id="x"))


@pytest.mark.parametrize("count", [0, 1, 51, 250])
def test_a_conclusion_carries_texts_and_at_most_200_annotations(forge_world: ForgeWorld, count: int) -> None:
    async def work(forge: Forge) -> None:
        run = await create_run(forge, forge_world)
        await forge.conclude_check_run(forge_world.repo, run, output(count), annotated="no")

    forge_world.run(work)

    [run] = forge_world.runs(forge_world.head)
    assert (run.conclusion, run.title, run.summary) == ("failure", "Blocked: b", "why")
    assert run.annotations == tuple(
        ("db/2.sql", n, "failure", f"title {n}", "it is read") for n in range(1, min(count, 200) + 1)
    )


def test_concluding_again_adds_what_is_new_and_repeats_nothing(forge_world: ForgeWorld) -> None:
    async def work(forge: Forge) -> None:
        run = await create_run(forge, forge_world)
        await forge.conclude_check_run(forge_world.repo, run, output(60))
        await forge.conclude_check_run(forge_world.repo, run, output(60))
        await forge.conclude_check_run(forge_world.repo, run, output(62, "neutral"))

    forge_world.run(work)

    [run] = forge_world.runs(forge_world.head)
    assert run.conclusion == "neutral"
    assert [line for _, line, *_ in run.annotations] == list(range(1, 63))


def test_every_conclusion_is_taken(forge_world: ForgeWorld) -> None:
    every = ["failure", "neutral", "success", "cancelled"]

    async def work(forge: Forge) -> None:
        for one in every:
            await forge.conclude_check_run(forge_world.repo, await create_run(forge, forge_world), output(0, one))

    forge_world.run(work)

    assert [run.conclusion for run in forge_world.runs(forge_world.head)] == every


def test_a_check_run_that_is_not_there_cannot_be_concluded(forge_world: ForgeWorld) -> None:
    with pytest.raises(Permanent):
        forge_world.run(lambda forge: forge.conclude_check_run(forge_world.repo, 987_654, output(1)))


# --- the comment -----------------------------------------------------------------------------------------------------


def test_the_comment_is_found_by_marker_and_author_over_all_pages(forge_world: ForgeWorld) -> None:
    forge_world.comment_as_person(forge_world.number, BODY)  # somebody pasted the marker
    for n in range(100):
        forge_world.comment_as_person(forge_world.number, f"chat {n}")

    async def work(forge: Forge) -> tuple[object, int, object, object]:
        before = await forge.fetch_comment(forge_world.repo, forge_world.number, MARKER)
        made = await forge.create_comment(forge_world.repo, forge_world.number, BODY)
        found = await forge.fetch_comment(forge_world.repo, forge_world.number, MARKER)
        return before, made, found, await forge.fetch_comment(forge_world.repo, forge_world.number, "<!-- other -->")

    before, made, found, other = forge_world.run(work)

    assert (before, found, other) == (None, (made, BODY), None)
    assert len(forge_world.comments(forge_world.number)) == 102


def test_a_comment_that_only_quotes_the_marker_is_another_one(forge_world: ForgeWorld) -> None:
    async def work(forge: Forge) -> object:
        await forge.create_comment(forge_world.repo, forge_world.number, f"> {BODY}")
        return await forge.fetch_comment(forge_world.repo, forge_world.number, MARKER)

    assert forge_world.run(work) is None


def test_the_comment_of_another_pull_request_is_another_one(forge_world: ForgeWorld) -> None:
    forge_world.push("other", {"x.sql": "SELECT 1;\n"})
    other = forge_world.open_pull("other")

    async def work(forge: Forge) -> object:
        await forge.create_comment(forge_world.repo, forge_world.number, BODY)
        return await forge.fetch_comment(forge_world.repo, other, MARKER)

    assert forge_world.run(work) is None


def test_repeated_comments_are_reduced_to_the_oldest(forge_world: ForgeWorld) -> None:
    person = forge_world.comment_as_person(forge_world.number, BODY)

    async def work(forge: Forge) -> tuple[list[int], tuple[int, str] | None]:
        made = [await forge.create_comment(forge_world.repo, forge_world.number, f"{BODY} {n}") for n in range(3)]
        return made, await forge.fetch_comment(forge_world.repo, forge_world.number, MARKER)

    made, found = forge_world.run(work)

    assert found == (made[0], f"{BODY} 0")
    assert [number for number, _ in forge_world.comments(forge_world.number)] == [person, made[0]]


def test_a_comment_is_updated_until_it_is_gone(forge_world: ForgeWorld) -> None:
    async def work(forge: Forge) -> tuple[bool, list[tuple[int, str]], bool]:
        made = await forge.create_comment(forge_world.repo, forge_world.number, BODY)
        first = await forge.update_comment(forge_world.repo, made, f"{BODY} again")
        there = forge_world.comments(forge_world.number)
        forge_world.delete_comment(made)
        return first, [(n - made, text) for n, text in there], await forge.update_comment(forge_world.repo, made, BODY)

    assert forge_world.run(work) == (True, [(0, f"{BODY} again")], False)
    assert forge_world.comments(forge_world.number) == []


def test_a_pull_request_that_is_not_there_takes_no_comment(forge_world: ForgeWorld) -> None:
    for work in (_comment, _find, _suggest):
        with pytest.raises(Permanent):
            forge_world.run(partial(work, repo=forge_world.repo, pull=4711, head=forge_world.head))


async def _comment(forge: Forge, *, repo: Repo, pull: int, head: str) -> None:
    await forge.create_comment(repo, pull, BODY)


async def _find(forge: Forge, *, repo: Repo, pull: int, head: str) -> None:
    await forge.fetch_comment(repo, pull, MARKER)


async def _suggest(forge: Forge, *, repo: Repo, pull: int, head: str) -> None:
    await forge.ensure_suggestion(repo, pull, head, suggestion())


# --- suggestions -----------------------------------------------------------------------------------------------------


def suggestion(first: int = 1, last: int = 1, *, path: str = "db/2.sql", number: int = 1) -> Suggestion:
    marker = f"<!-- tether:suggestion:{number} -->"
    return Suggestion(path, first, last, f"{marker}\nKeep it.\n\n```suggestion\nSELECT 2;\n```", marker)


def test_a_suggestion_stands_on_its_lines_once(forge_world: ForgeWorld) -> None:
    head = forge_world.push("drop", {"db/2.sql": "SELECT 1,\n 2,\n 3;\n"})
    one, other = suggestion(2, 2), suggestion(1, 3, number=2)

    async def work(forge: Forge) -> None:
        await forge.ensure_suggestion(forge_world.repo, forge_world.number, head, one, earlier="no")
        await forge.ensure_suggestion(forge_world.repo, forge_world.number, head, other)
        for again in (one, other, one):
            await forge.ensure_suggestion(forge_world.repo, forge_world.number, head, again)

    forge_world.run(work)

    expected = [ShownSuggestion("db/2.sql", 2, 2, one.body), ShownSuggestion("db/2.sql", 1, 3, other.body)]
    assert forge_world.suggestions(forge_world.number) == expected


def test_a_suggestion_stays_where_a_later_push_found_it(forge_world: ForgeWorld) -> None:
    async def work(forge: Forge) -> None:
        await forge.ensure_suggestion(forge_world.repo, forge_world.number, forge_world.head, suggestion())
        head = forge_world.push("drop", {"db/3.sql": "SELECT 1;\n"})
        await forge.ensure_suggestion(forge_world.repo, forge_world.number, head, suggestion())

    forge_world.run(work)

    assert len(forge_world.suggestions(forge_world.number)) == 1


def test_a_persons_remark_with_the_marker_is_no_suggestion_of_ours(forge_world: ForgeWorld) -> None:
    forge_world.suggest_as_person(forge_world.number, suggestion().body)

    forge_world.run(
        lambda forge: _suggest(forge, repo=forge_world.repo, pull=forge_world.number, head=forge_world.head)
    )

    assert [one.body for one in forge_world.suggestions(forge_world.number)] == [suggestion().body]


def test_a_suggestion_outside_of_the_diff_is_permanent(forge_world: ForgeWorld) -> None:
    async def work(forge: Forge, wrong: Suggestion) -> None:
        await forge.ensure_suggestion(forge_world.repo, forge_world.number, forge_world.head, wrong)

    outside = (suggestion(900, 900), suggestion(1, 900), suggestion(path="db/1.sql"), suggestion(path="no.sql"))
    for wrong in outside:
        with pytest.raises(Permanent):
            forge_world.run(partial(work, wrong=wrong))
    assert forge_world.suggestions(forge_world.number) == []


def test_a_suggestion_on_a_foreign_commit_is_permanent(forge_world: ForgeWorld) -> None:
    foreign = forge_world.push("other", {"db/2.sql": "SELECT 1;\n"})

    with pytest.raises(Permanent):
        forge_world.run(lambda forge: _suggest(forge, repo=forge_world.repo, pull=forge_world.number, head=foreign))


# --- a repository with another name, or none; no permission; no GitHub -----------------------------------------------


Ask = Callable[[Forge, ForgeWorld], Awaitable[object]]
#: every method, asked for something that is there
EVERY: dict[str, Ask] = {
    "fetch_repositories": lambda f, w: f.fetch_repositories(),
    "fetch_repo": lambda f, w: f.fetch_repo(w.repo.id),
    "fetch_pull": lambda f, w: f.fetch_pull(w.repo, w.number),
    "fetch_open_pulls": lambda f, w: f.fetch_open_pulls(w.repo),
    "fetch_branch_head": lambda f, w: f.fetch_branch_head(w.repo, "main"),
    "fetch_comparison": lambda f, w: f.fetch_comparison(w.repo, "main", w.head),
    "fetch_tree": lambda f, w: f.fetch_tree(w.repo, w.head),
    "fetch_blob": lambda f, w: f.fetch_blob(w.repo, "587be6b4c3f93f93c489c0111bba5596147a26cb"),
    "fetch_archive": lambda f, w: f.fetch_archive(w.repo, w.head, BytesIO(), most=1_000_000),
    "fetch_file": lambda f, w: f.fetch_file(w.repo.full_name, "README.md"),
    "fetch_check_run": lambda f, w: f.fetch_check_run(w.repo, w.head, NAME),
    "create_check_run": create_run,
    "conclude_check_run": lambda f, w: f.conclude_check_run(w.repo, 1, output(1)),
    "fetch_comment": lambda f, w: f.fetch_comment(w.repo, w.number, MARKER),
    "ensure_suggestion": lambda f, w: f.ensure_suggestion(w.repo, w.number, w.head, suggestion()),
    "create_comment": lambda f, w: f.create_comment(w.repo, w.number, BODY),
    "update_comment": lambda f, w: f.update_comment(w.repo, 1, BODY),
}
#: what needs no permission, or takes its absence for the file's
UNGUARDED = {"fetch_repositories", "fetch_repo", "fetch_file"}


def test_every_method_of_the_port_is_among_those_asked() -> None:
    assert EVERY.keys() == {name for name in vars(Forge) if not name.startswith("_")}


def outcomes(world: ForgeWorld, names: Iterable[str], installation: int | None = None) -> dict[str, str]:
    """What came of asking each: "answered", or the name of what was raised, as the house knows it."""

    def ask(name: str) -> str:
        at = world.installation_id if installation is None else installation
        try:
            world.run_app(lambda forges: EVERY[name](forges.installation(at), world))
        except (Transient, Permanent) as error:
            return "Transient" if isinstance(error, Transient) else "Permanent"
        return "answered"

    return {name: ask(name) for name in names}


def test_a_renamed_repository_is_found_again(forge_world: ForgeWorld) -> None:
    forge_world.rename(forge_world.repo, "lake")
    names = EVERY.keys() - {"conclude_check_run", "update_comment", "fetch_file"}

    assert outcomes(forge_world, names) == dict.fromkeys(names, "answered")
    assert len(forge_world.runs(forge_world.head)) == 1
    assert len(forge_world.suggestions(forge_world.number)) == 1
    assert [body for _, body in forge_world.comments(forge_world.number)] == [BODY]


def test_effects_find_a_renamed_repository_again(forge_world: ForgeWorld) -> None:
    async def work(forge: Forge) -> bool:
        run = await create_run(forge, forge_world)
        comment = await forge.create_comment(forge_world.repo, forge_world.number, BODY)
        forge_world.rename(forge_world.repo, "lake")
        await forge.conclude_check_run(forge_world.repo, run, output(2))
        return await forge.update_comment(forge_world.repo, comment, f"{BODY} again")

    assert forge_world.run(work)
    [run] = forge_world.runs(forge_world.head)
    assert (run.conclusion, len(run.annotations)) == ("failure", 2)
    assert [body for _, body in forge_world.comments(forge_world.number)] == [f"{BODY} again"]


def test_a_missing_permission_is_permanent(forge_world: ForgeWorld) -> None:
    forge_world.refuse()

    expected = {name: "answered" if name in UNGUARDED else "Permanent" for name in EVERY}
    assert outcomes(forge_world, EVERY) == expected
    assert forge_world.run(lambda forge: forge.fetch_file(forge_world.repo.full_name, "README.md")) is None
    assert forge_world.runs(forge_world.head) == []
    assert forge_world.comments(forge_world.number) == []


def test_a_github_that_is_away_is_transient(forge_world: ForgeWorld) -> None:
    forge_world.go_away()

    assert outcomes(forge_world, EVERY) == dict.fromkeys(EVERY, "Transient")


def test_an_installation_that_is_gone_is_permanent(forge_world: ForgeWorld) -> None:
    gone = forge_world.add_installation()
    forge_world.uninstall(gone)

    assert outcomes(forge_world, EVERY, gone) == dict.fromkeys(EVERY, "Permanent")
