"""The diff of a scenario is applied exactly, or refused with the line that does not fit."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.offline.scenario.patch import apply_patch
from app.offline.scenario.values import ExpectedLine, MalformedScenario, ScenarioText

BASE = {"a.sql": "one\ntwo\nthree\nfour\ntwo\n", "b.sql": "x"}


RENAME = "rename from b.sql\nrename to d.sql\n"


def patch(diff: str, base: dict[str, str] | None = None) -> dict[str, str]:
    lines = [ExpectedLine("one.md", number, line) for number, line in enumerate(diff.removesuffix("\n").split("\n"), 1)]
    files = {path: ScenarioText(text.encode()) for path, text in (BASE if base is None else base).items()}
    return {path: content.data.decode() for path, content in apply_patch(lines, files).items()}


@pytest.mark.parametrize(
    ("diff", "changed"),
    [
        ("--- a/a.sql\n+++ b/a.sql\n@@ -2 +2 @@\n-two\n+2\n", {"a.sql": "one\n2\nthree\nfour\ntwo\n"}),
        ("--- a/a.sql\n+++ b/a.sql\n@@\n one\n-two\n", {"a.sql": "one\nthree\nfour\ntwo\n"}),
        ("--- a/a.sql\n+++ b/a.sql\n@@\n-one\n+1\n@@\n-four\n", {"a.sql": "1\ntwo\nthree\ntwo\n"}),
        ("--- a/a.sql\n+++ b/a.sql\n@@ -2,0 +3 @@\n+more\n", {"a.sql": "one\ntwo\nmore\nthree\nfour\ntwo\n"}),
        ("--- a/b.sql\n+++ b/b.sql\n@@\n-x\n\\ No newline at end of file\n+y\n", {"b.sql": "y\n"}),
        ("--- a/b.sql\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n", {"b.sql": None}),
        ("--- /dev/null\n+++ b/c.sql\n@@\n+-- note\n+x\n\\ No newline at end of file\n", {"c.sql": "-- note\nx"}),
        (f"diff --git a/b.sql b/d.sql\nsimilarity index 100%\n{RENAME}", {"b.sql": None, "d.sql": "x"}),
        (f"{RENAME}--- a/b.sql\n+++ b/d.sql\n@@\n-x\n\\ No newline at end of file\n+y\n", {"b.sql": None, "d.sql": "y\n"}),
        (f"{RENAME}--- a/a.sql\n+++ b/a.sql\n@@\n-three\n-four\n-two\n", {"b.sql": None, "d.sql": "x", "a.sql": "one\ntwo\n"}),
    ],
)  # fmt: skip
def test_a_diff_that_fits_is_applied(diff: str, changed: dict[str, str | None]) -> None:
    assert patch(diff) == {path: text for path, text in {**BASE, **changed}.items() if text is not None}


def test_a_removed_comment_is_no_head_of_a_file() -> None:
    base = {"a.sql": "-- a/b\nSELECT 1\n"}

    assert patch("--- a/a.sql\n+++ b/a.sql\n@@ -1,2 +1,2 @@\n--- a/b\n+-- c\n SELECT 1\n", base) == {
        "a.sql": "-- c\nSELECT 1\n"
    }
    assert patch("--- a/a.sql\n+++ b/a.sql\n@@\n--- a/b\n SELECT 1\n", base) == {"a.sql": "SELECT 1\n"}


@pytest.mark.parametrize(
    ("diff", "said"),
    [
        ("--- a/a.sql\n+++ b/a.sql\n@@ -3 +3 @@\n-two\n+2\n", "one.md:3: this hunk does not fit at line 3: line 3 is 'three"),
        ("--- a/a.sql\n+++ b/a.sql\n@@ -2 +5 @@\n-two\n+2\n", "one.md:3: this hunk comes to stand at line 2, not 5"),
        ("--- a/a.sql\n+++ b/a.sql\n@@ -2,2 +2 @@\n-two\n+2\n", "one.md:3: this hunk has 1 old and 1 new lines, not 2 and 1"),
        ("--- a/a.sql\n+++ b/a.sql\n@@\n-two\n+2\n", "one.md:3: this hunk fits in 2 places"),
        ("--- a/a.sql\n+++ b/a.sql\n@@\n-five\n", "one.md:3: this hunk does not fit: no place"),
        ("--- a/a.sql\n+++ b/a.sql\n@@\n+five\n", "one.md:3: a bare @@ that only adds fits anywhere"),
        ("--- a/a.sql\n+++ b/a.sql\n@@\n-four\n@@\n-one\n", "one.md:5: this hunk does not fit"),
        ("--- a/a.sql\n+++ b/a.sql\n@@\n-four\n+four\n", "one.md:1: nothing of a.sql changes"),
        ("--- a/a.sql\n+++ b/a.sql\n@@\n*four\n", "one.md:4: a line of a hunk begins with a space, - or +"),
        ("--- a/a.sql\n+++ b/a.sql\n@@ 3\n", "one.md:3: a hunk begins with @@ alone"),
        ("--- a/a.sql\n+++ b/a.sql\n", "one.md:1: no hunk follows"),
        ("--- a/a.sql\n@@\n-four\n", "one.md:1: a file of a diff begins with --- a/path and +++ b/path"),
        ("--- a/a.sql\n+++ a.sql\n@@\n-four\n", "one.md:1: +++ has to be followed by b/path"),
        ("--- a/a.sql\n+++ b/c.sql\n@@\n-four\n", "one.md:1: the two sides have different names"),
        ("--- a/c.sql\n+++ b/c.sql\n@@\n-four\n", "one.md:1: c.sql is not there to be changed"),
        ("--- /dev/null\n+++ b/a.sql\n@@\n+x\n", "one.md:1: a.sql is there already"),
        ("--- /dev/null\n+++ /dev/null\n@@\n+x\n", "one.md:1: both sides are /dev/null"),
        ("--- a/a.sql\n+++ /dev/null\n@@\n-one\n", "one.md:1: a.sql is deleted, but lines of it are left"),
        ("new file mode 120000\n--- /dev/null\n+++ b/c\n@@\n+x\n", "one.md:1: this is no line of a diff"),
        ("--- a/b.sql\n+++ b/b.sql\n@@\n-x\n+y\n", "one.md:3: this hunk does not fit: no place"),
        ("--- a/a.sql\n+++ b/a.sql\n@@\n-one\n" * 2, "one.md:5: this file stands in the diff twice"),
        ("SELECT 1\n", "one.md:1: this is no line of a diff"),
        ("--- a/a.sql\n+++ b/a.sql\n@@\n-one\n\\ No newline at end of file\n", "one.md:3: this hunk does not fit: no place"),
    ],
)  # fmt: skip
def test_a_diff_that_does_not_fit_is_refused(diff: str, said: str) -> None:
    with pytest.raises(MalformedScenario) as refused:
        patch(diff)

    assert str(refused.value).startswith(said), str(refused.value)


TEXT = st.lists(st.sampled_from(["a", "b", "", "-- c", "++ d", "--- a/x"]), max_size=8).flatmap(
    lambda lines: st.sampled_from(["\n".join(lines), "".join(line + "\n" for line in lines)])
)


@given(TEXT, TEXT)
def test_what_git_prints_is_applied_to_what_git_read(
    tmp_path_factory: pytest.TempPathFactory, old: str, new: str
) -> None:
    folder: Path = tmp_path_factory.mktemp("diff")
    for side, text in (("a", old), ("b", new)):
        if text:
            (folder / side).mkdir()
            (folder / side / "x.sql").write_bytes(text.encode())
    sides = [f"{side}/x.sql" if text else "/dev/null" for side, text in (("a", old), ("b", new))]
    command = ["git", "diff", "--no-index", "--no-color", "--no-prefix", *sides]
    diff = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
    base = {"x.sql": old} if old else {}
    if diff:
        assert patch(diff, base) == ({"x.sql": new} if new else {})
    else:
        assert old == new
