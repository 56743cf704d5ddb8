"""Git content over the API: compare, trees, blobs, contents, refs; forks through the base repository; paging."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path

import pytest

from app.standin.github import FileContent
from tests.standin.github.conftest import R, Tenant


def test_compare_starts_at_the_merge_base(tenant: Tenant) -> None:
    start = tenant.world.branch_head(tenant.repo, "main")
    _, head = tenant.open_drop()
    tenant.world.push(tenant.repo, "main", {"later.sql": "select 1"})
    answer = tenant.http.get(f"{R}/compare/main...{head}").json()
    assert (start, "diverged", 1, 1) == (
        answer["merge_base_commit"]["sha"],
        answer["status"],
        answer["ahead_by"],
        answer["behind_by"],
    )
    assert [(row["filename"], row["status"], row["additions"]) for row in answer["files"]] == [
        ("migrations/0002_drop.sql", "added", 1)
    ]
    assert answer["files"][0]["patch"] == "@@ -0,0 +1 @@\n+ALTER TABLE orders DROP COLUMN discount_pct;"


def test_compare_has_300_files_at_most_and_250_commits(tenant: Tenant) -> None:
    head = tenant.world.push(tenant.repo, "many", {f"f{n:03}.sql": f"select {n};\n" for n in range(301)})
    answer = tenant.http.get(f"{R}/compare/main...many").json()
    assert (len(answer["files"]), answer["total_commits"]) == (300, 1)
    assert tenant.http.get(f"{R}/compare/main...many?page=2").json()["files"] == []
    number = tenant.world.open_pull(tenant.repo, "many")
    pages = [len(tenant.http.get(f"{R}/pulls/{number}/files?per_page=100&page={n}").json()) for n in range(1, 5)]
    assert pages == [100, 100, 100, 1]
    assert tenant.http.get(f"{R}/pulls/{number}").json()["changed_files"] == 301
    assert head == tenant.http.get(f"{R}/commits/many").json()["sha"]


def test_compare_says_what_kind_of_change(tenant: Tenant) -> None:
    text = "".join(f"line {n}\n" for n in range(20))
    tenant.world.push(tenant.repo, "main", {"old.sql": text, "gone.sql": "x\n", "bin": b"\0\1\2", "kind": "file\n"})
    changes = {
        "old.sql": None,
        "new.sql": text,
        "gone.sql": None,
        "bin": b"\0\2\3",
        "kind": FileContent(b"old", "120000"),
    }
    tenant.world.push(tenant.repo, "kinds", changes)
    rows = {row["filename"]: row for row in tenant.http.get(f"{R}/compare/main...kinds").json()["files"]}
    assert {name: row["status"] for name, row in rows.items()} == {
        "new.sql": "renamed",
        "gone.sql": "removed",
        "bin": "modified",
        "kind": "changed",
    }
    assert rows["new.sql"]["previous_filename"] == "old.sql"
    assert [name for name, row in rows.items() if "patch" in row] == ["gone.sql"]


def test_a_large_patch_is_left_out(tenant: Tenant) -> None:
    tenant.world.limits.patch_bytes = 1_000
    tenant.world.push(tenant.repo, "large", {"large.sql": "select 1;\n" * 1_000})
    row = tenant.http.get(f"{R}/compare/main...large").json()["files"][0]
    assert (row["additions"], "patch" in row) == (1_000, False)


@pytest.mark.parametrize("basehead", ["main...nowhere", "main..drop", "main", "nowhere...main", "main...--help"])
def test_compare_with_nothing_is_not_found(tenant: Tenant, basehead: str) -> None:
    assert tenant.http.get(f"{R}/compare/{basehead}").status_code == 404


def test_unrelated_histories_have_no_common_ancestor(tenant: Tenant) -> None:
    other = tenant.world.create_repo("acme", "other", {"a": "b"})
    git = tenant.world.state.git(tenant.repo)
    git.run("fetch", "--quiet", str(other.path), "+refs/heads/main:refs/heads/stranger")
    answer = tenant.http.get(f"{R}/compare/main...stranger")
    assert (answer.status_code, "No common ancestor" in answer.json()["message"]) == (404, True)


def test_tree_lists_everything_with_sizes_and_truncates(tenant: Tenant) -> None:
    head = tenant.world.push(
        tenant.repo, "deep", {"a/b/c.sql": "select 1;\n", "link": FileContent(b"README.md", "120000")}
    )
    answer = tenant.http.get(f"{R}/git/trees/{head}?recursive=1").json()
    rows = {row["path"]: (row["mode"], row["type"], row.get("size")) for row in answer["tree"]}
    assert rows["a/b/c.sql"] == ("100644", "blob", 10)
    assert rows["a/b"] == ("040000", "tree", None)
    assert rows["link"] == ("120000", "blob", 9)
    assert (head, False) == (answer["sha"], answer["truncated"])
    assert "a/b/c.sql" not in {row["path"] for row in tenant.http.get(f"{R}/git/trees/{head}").json()["tree"]}
    tenant.world.limits.tree_entries = 2
    cut = tenant.http.get(f"{R}/git/trees/{head}?recursive=1").json()
    assert (len(cut["tree"]), cut["truncated"]) == (2, True)


def test_blob_and_contents(tenant: Tenant) -> None:
    data = bytes(range(256)) * 10
    tenant.world.push(tenant.repo, "main", {"dir/data.bin": data, "link": FileContent(b"README.md", "120000")})
    entry = tenant.http.get(f"{R}/contents/dir").json()[0]
    blob = tenant.http.get(f"{R}/git/blobs/{entry['sha']}").json()
    assert ("base64", 2_560, data) == (blob["encoding"], blob["size"], base64.b64decode(blob["content"]))
    raw = {"Accept": "application/vnd.github.raw+json"}
    assert data == tenant.http.get(f"{R}/git/blobs/{entry['sha']}", headers=raw).content
    assert data == tenant.http.get(f"{R}/contents/dir/data.bin", headers=raw).content
    file = tenant.http.get(f"{R}/contents/README.md?ref=main").json()
    assert (file["type"], base64.b64decode(file["content"])) == ("file", b"orders\n")
    assert base64.b64decode(tenant.http.get(f"{R}/contents/link").json()["content"]) == b"orders\n"
    assert tenant.http.get(f"{R}/contents/absent.sql").status_code == 404
    assert tenant.http.get(f"{R}/contents/README.md?ref=absent").status_code == 404


def test_contents_above_a_megabyte_come_only_raw(tenant: Tenant) -> None:
    tenant.world.push(tenant.repo, "main", {"large.sql": "x" * 1_000_001})
    file = tenant.http.get(f"{R}/contents/large.sql").json()
    assert (file["encoding"], file["content"], file["size"]) == ("none", "", 1_000_001)
    raw = tenant.http.get(f"{R}/contents/large.sql", headers={"Accept": "application/vnd.github.v3.raw"})
    assert len(raw.content) == 1_000_001


def test_hostile_paths_are_just_paths(tenant: Tenant) -> None:
    names = ['quote"d.sql', "back\\slash.sql", "*.sql", ":(glob)x", "uni\u00e9\u4e2d.sql", "--help", "new\nline.sql"]
    head = tenant.world.push(tenant.repo, "odd", {name: f"-- {n}\n" for n, name in enumerate(names)})
    tree = tenant.http.get(f"{R}/git/trees/{head}?recursive=1").json()["tree"]
    assert set(names) <= {row["path"] for row in tree}
    assert set(names) == {row["filename"] for row in tenant.http.get(f"{R}/compare/main...odd").json()["files"]}
    assert base64.b64decode(tenant.http.get(f"{R}/contents/*.sql?ref=odd").json()["content"]) == b"-- 2\n"


def test_branches_and_refs(tenant: Tenant) -> None:
    number, head = tenant.open_drop("feature/drop")
    assert head == tenant.http.get(f"{R}/branches/feature/drop").json()["commit"]["sha"]
    assert head == tenant.http.get(f"{R}/branches/feature%2Fdrop").json()["commit"]["sha"]
    assert head == tenant.http.get(f"{R}/git/ref/heads/feature/drop").json()["object"]["sha"]
    assert head == tenant.http.get(f"{R}/git/ref/pull/{number}/head").json()["object"]["sha"]
    assert tenant.http.get(f"{R}/git/ref/heads/absent").status_code == 404
    assert tenant.http.get(f"{R}/branches/absent").json()["message"] == "Branch not found"
    assert tenant.http.get(f"{R}/commits/{'0' * 40}").status_code == 422


def test_private_fork_is_readable_only_through_its_base(tenant: Tenant) -> None:
    fork = tenant.world.fork(tenant.repo, tenant.world.create_user("zoe"))
    head = tenant.world.push(fork, "drop", {"x.sql": "select 1;\n"})
    assert tenant.http.get("/repos/zoe/warehouse").status_code == 404
    assert [row["filename"] for row in tenant.http.get(f"{R}/compare/main...{head}").json()["files"]] == ["x.sql"]
    assert head == tenant.http.get(f"{R}/compare/main...zoe:drop").json()["commits"][0]["sha"]
    assert "x.sql" in {row["path"] for row in tenant.http.get(f"{R}/git/trees/{head}").json()["tree"]}
    assert tenant.http.get(f"{R}/contents/x.sql?ref={head}").json()["type"] == "file"


def test_pages_are_linked(tenant: Tenant) -> None:
    number, _ = tenant.open_drop()
    for n in range(7):
        tenant.world.comment(tenant.repo, number, f"comment {n}")
    url, seen = f"{R}/issues/{number}/comments?per_page=3", []
    answer = tenant.http.get(url)
    assert {"next", "last"} == set(answer.links)
    while True:
        seen += [row["body"] for row in answer.json()]
        if "next" not in answer.links:
            break
        answer = tenant.http.get(answer.links["next"]["url"])
    assert [f"comment {n}" for n in range(7)] == seen
    assert {"prev", "first"} == set(answer.links)


def test_git_runs_without_any_configuration(tenant: Tenant, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither a hook's GIT_DIR nor a hostile user configuration reaches the sandbox's git."""
    (tmp_path / "gitconfig").write_text('[user]\n\tname = "Wrong"\n[commit]\n\tgpgSign = true\n')
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("HOME", str(tmp_path))
    sha = tenant.world.push(tenant.repo, "clean", {"a": "b"})
    commit = tenant.http.get(f"{R}/commits/{sha}").json()
    assert (commit["commit"]["author"]["name"], commit["author"]["login"]) == ("sandbox-dev", "sandbox-dev")


def test_repositories_are_real(tenant: Tenant, tmp_path: Path) -> None:
    number, head = tenant.open_drop()
    target = tmp_path / "clone"
    safe = ["git", "-c", "safe.directory=*"]
    subprocess.run([*safe, "clone", "--quiet", str(tenant.repo.path), str(target)], check=True)
    fetched = subprocess.run(
        [*safe, "-C", str(target), "ls-remote", "origin", f"refs/pull/{number}/head"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert head == fetched.stdout.split()[0]
    assert (target / "README.md").read_text() == "orders\n"


def test_a_directory_becomes_a_repository(tenant: Tenant, tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "models").mkdir(parents=True)
    (source / ".git").mkdir()
    (source / ".git" / "config").write_text("not ours")
    (source / "models" / "a.sql").write_text("select 1")
    (source / "run.sh").write_text("#!/bin/sh\n")
    (source / "run.sh").chmod(0o755)
    (source / "link").symlink_to("models/a.sql")
    repo = tenant.world.create_repo("acme", "source", source)
    tenant.world.add_repositories(tenant.installation, repo)
    with tenant.client(tenant.token()) as http:
        tree = http.get("/repos/acme/source/git/trees/main?recursive=1").json()["tree"]
    assert {row["path"]: row["mode"] for row in tree} == {
        "link": "120000",
        "models": "040000",
        "models/a.sql": "100644",
        "run.sh": "100755",
    }
    (source / "run.sh").unlink()
    tenant.world.push(repo, "main", source)
    tree = tenant.http.get("/repos/acme/source/contents").json()
    assert [row["name"] for row in tree] == ["link", "models"]


def test_commits_newest_first_and_by_path(tenant: Tenant) -> None:
    first = tenant.world.branch_head(tenant.repo, "main")
    second = tenant.world.push(tenant.repo, "main", {"a.sql": "select 1"}, "Add a")
    third = tenant.world.push(tenant.repo, "main", {"b.sql": "select 1"}, "Add b")

    def shas(query: str) -> list[str]:
        return [row["sha"] for row in tenant.http.get(f"{R}/commits{query}").json()]

    assert shas("") == [third, second, first]
    assert shas("?path=a.sql") == [second]
    assert shas("?path=:(glob)*.sql") == []
    assert shas(f"?sha={second}&per_page=1") == [second]
    commit = tenant.http.get(f"{R}/git/commits/{third}").json()
    assert (commit["message"], [row["sha"] for row in commit["parents"]]) == ("Add b", [second])
    assert tenant.http.get(f"{R}/git/trees/{commit['tree']['sha']}").json()["sha"] == commit["tree"]["sha"]
    assert tenant.http.get(f"{R}/git/commits/{commit['tree']['sha']}").status_code == 404
