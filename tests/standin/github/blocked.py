"""A pull request as Tether leaves it when it blocks: a red required check with an annotation, and a comment with a trail."""

from __future__ import annotations

from app.standin.github import AppRecord, GitHubWorld, RepoRecord
from app.standin.github.checking import Posted, create_run
from app.standin.github.pulling import add_comment

COMMENT = """<!-- tether:review -->

> [!CAUTION]
> **Dropping `raw.orders.discount_pct` breaks 1 serving model.**

| What is lost | Who reads it |
| --- | --- |
| `raw.orders.discount_pct` | `churn_v4` |

```mermaid
flowchart LR
  n0[("dataset: raw.orders loses discount_pct")]
  n1(["feature: customer_features.discount_sensitivity"])
  n2{{"model: churn_v4"}}
  n0 --> n1
  n1 --> n2
```

<details><summary>Evidence</summary>

- `migrations/0002_drop.sql:1`

</details>

<sub>Tether judged `abc` against `main`.</sub>
"""
NOTE = {
    "path": "migrations/0002_drop.sql",
    "start_line": 1,
    "end_line": 1,
    "annotation_level": "failure",
    "title": "churn_v4 reads raw.orders.discount_pct",
    "message": "It would lose an input.\nOwner: growth-ml.",
}


def open_blocked_pull(world: GitHubWorld, repo: RepoRecord, app: AppRecord) -> tuple[int, int]:
    """Its number, and the id of its check run. The check is required on the base branch."""
    changes = {"migrations/0002_drop.sql": "ALTER TABLE orders DROP COLUMN discount_pct;\n"}
    sha = world.push(repo, "drop", changes, "Drop discount_pct")
    number = world.open_pull(repo, "drop", title="Drop discount_pct", body="Nobody fills it.")
    world.protect(repo, "main", {"tether": app})
    output = {"title": "Blocked: churn_v4", "summary": "**1 model** would lose an input.", "annotations": [NOTE]}
    body = {"name": "tether", "head_sha": sha, "conclusion": "failure", "output": output}
    with world.state.lock:
        run = create_run(world.state, world.events, Posted(app, repo, body))
        add_comment(world.state, world.events, world.pull(repo, number), app.bot, COMMENT, app)
    return number, run.id
