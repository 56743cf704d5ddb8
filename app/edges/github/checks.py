"""Check runs: found before they are made, annotated without repeating, concluded in the last request.

GitHub has no idempotency key: a run is looked up by (head, name, own App), and annotations, which every update appends,
are compared with what stands there. A job that is interrupted anywhere in here can do it all again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from app.edges.github.shapes import field
from app.edges.github.wire import GitHubWire, read_json
from app.effects import Annotation, CheckOutput

NEEDS: Final = "checks: write"
#: 50 a request (OpenAPI: maxItems); 200 in all are as many as anybody reads
ANNOTATIONS_PER_REQUEST: Final = 50
MAX_ANNOTATIONS: Final = 200
#: GitHub: summary and text are refused above 65,535 bytes, annotation messages above 64 KB, titles above 255 characters
_OUTPUT_BYTES: Final = 65_535
_MESSAGE_BYTES: Final = 65_535
_TITLE_CHARACTERS: Final = 255
_CUT: Final = "\n… cut"


async def fetch_check_run(wire: GitHubWire, full_name: str, head_sha: str, name: str, app_id: int) -> int | None:
    """The id of this App's newest run of that name on that head."""
    runs = await wire.pages(
        f"/repos/{full_name}/commits/{head_sha}/check-runs",
        "look for the check run",
        params={"check_name": name, "app_id": app_id, "filter": "latest"},
        key="check_runs",
        needs="checks: read",
    )
    # Asked for already, but a server that overlooks a parameter must not make us write into somebody else's run.
    own = [run for run in runs if field(run, "name") == name and (run.get("app") or {}).get("id") == app_id]
    return max((int(field(run, "id")) for run in own), default=None)


async def create_check_run(wire: GitHubWire, full_name: str, head_sha: str, name: str, *, external_id: str) -> int:
    """A run in progress; look for one first."""
    owner, _, repo = full_name.partition("/")
    answer = await wire.create(
        lambda headers: wire.github.rest.checks.async_create(
            owner, repo, headers=headers, name=name, head_sha=head_sha, status="in_progress", external_id=external_id
        ),
        "create the check run",
        needs=NEEDS,
    )
    return int(field(read_json(answer, "create the check run"), "id"))


async def conclude_check_run(
    wire: GitHubWire,
    full_name: str,
    check_run_id: int,
    output: CheckOutput,
    *,
    annotated: Literal["no", "maybe"] = "maybe",
) -> None:
    """Annotations that are not there yet, 50 a request; the last request carries the conclusion. Safe to repeat, unless
    `annotated` says that there are none."""
    wanted = output.annotations[:MAX_ANNOTATIONS]
    missing = wanted if annotated == "no" else await _missing(wire, full_name, check_run_id, wanted)
    batches = [missing[i : i + ANNOTATIONS_PER_REQUEST] for i in range(0, len(missing), ANNOTATIONS_PER_REQUEST)] or [
        ()
    ]
    for batch in batches[:-1]:
        await _update(wire, full_name, check_run_id, {"output": _output(output, batch)})
    actions = [{"label": a, "description": b, "identifier": c} for a, b, c in output.actions]
    last = {
        "status": "completed",
        "conclusion": output.conclusion,
        "output": _output(output, batches[-1]),
        "actions": actions,
    }
    await _update(wire, full_name, check_run_id, last)


async def _missing(
    wire: GitHubWire, full_name: str, check_run_id: int, wanted: Sequence[Annotation]
) -> tuple[Annotation, ...]:
    if not wanted:
        return ()
    path = f"/repos/{full_name}/check-runs/{check_run_id}"
    run = read_json(await wire.get(path, "read the check run", needs="checks: read"), "read the check run")
    if not field(run, "output").get("annotations_count"):
        return tuple(wanted)
    there = await wire.pages(f"{path}/annotations", "read the annotations", needs="checks: read")
    counted = Counter(_key(annotation) for annotation in there)
    missing = []
    for annotation in wanted:
        key = _key(_annotation(annotation))
        if counted[key]:
            counted[key] -= 1
        else:
            missing.append(annotation)
    return tuple(missing)


async def _update(wire: GitHubWire, full_name: str, check_run_id: int, body: Any) -> None:
    # `body` is Any: githubkit checks it at run time, against the same schema.
    owner, _, repo = full_name.partition("/")
    await wire.write(
        lambda headers: wire.github.rest.checks.async_update(owner, repo, check_run_id, headers=headers, data=body),
        "update the check run",
        needs=NEEDS,
    )


def _output(output: CheckOutput, annotations: Sequence[Annotation]) -> dict[str, Any]:
    body: dict[str, Any] = {
        "title": output.title[:_TITLE_CHARACTERS],
        "summary": fit(output.summary, _OUTPUT_BYTES),
        "annotations": [_annotation(annotation) for annotation in annotations],
    }
    return {**body, "text": fit(output.text, _OUTPUT_BYTES)} if output.text else body


def _annotation(annotation: Annotation) -> dict[str, Any]:
    return {
        "path": annotation.path,
        "start_line": annotation.line,
        "end_line": annotation.line,
        "annotation_level": annotation.level,
        "title": annotation.title[:_TITLE_CHARACTERS],
        "message": fit(annotation.message, _MESSAGE_BYTES),
    }


def _key(annotation: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(annotation.get(name) for name in ("path", "start_line", "annotation_level", "title", "message"))


def fit(text: str, limit: int) -> str:
    """At most `limit` bytes: the texts fit when they are rendered, and a refused request would leave the run in progress."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= limit:
        return encoded.decode()
    return encoded[: limit - len(_CUT.encode())].decode("utf-8", "ignore") + _CUT
