"""Which incidents a review raises, and how one incident keeps the list of its pull requests. Pure.

One incident per (dataset, column, model), whatever the number of pull requests, pushes and features between them: its urn
is a digest of the three. The description starts with a task list of the pull requests that break the same thing; the
incident is over when none of them is open any more. Everything below that list is what the latest review said.
Deliberately absent: writing it (`app.edges.datahub`), and whether a fork's pull request may raise one (`app.review`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

from app.effects.evidence import permalink
from app.effects.kinds import Incident, ReviewFacts
from app.effects.markdown import code, escape, link, plain
from app.effects.names import find_name
from app.verdict import Finding

#: first line of a description; the task list follows it directly
PULLS_HEADING: Final = "**Pull requests**"
_OPEN: Final = "- [ ] "
_DONE: Final = "- [x] "
_MOST_PULLS: Final = 50  # lines; the oldest finished ones go first
_MOST_LINES: Final = 10  # of evidence


def incident_urn(dataset: str, column: str | None, model: str) -> str:
    """The same urn for the same three, on every server and for ever."""
    # length-prefixed, so that no two triples are written alike; None and "" differ
    parts = (dataset, "-" if column is None else f"+{column}", model)
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return f"urn:li:incident:tether-{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def plan_incidents(facts: ReviewFacts) -> tuple[Incident, ...]:
    """One incident per (dataset, column, model) of the open findings that block.

    () for what has no pull request that could end it (a merge group, the command line) and for pull requests to other
    branches than the default one: what they break is not on its way to production.
    """
    if facts.subject.pull is None or facts.subject.base_ref != facts.subject.repo.default_branch:
        return ()
    groups: dict[tuple[str, str | None, str], list[Finding]] = {}
    for finding in facts.verdict.findings:
        if finding.level == "block" and finding.disposition == "open" and finding.dataset and finding.model:
            groups.setdefault((finding.dataset, finding.column, finding.model), []).append(finding)
    pull = f"{facts.subject.web_url.rstrip('/')}/{facts.subject.repo.full_name}/pull/{facts.subject.pull}"
    return tuple(_plan(key, findings, facts, pull) for key, findings in groups.items())


def _plan(key: tuple[str, str | None, str], findings: Sequence[Finding], facts: ReviewFacts, pull: str) -> Incident:
    dataset, column, model = key
    first = findings[0]
    name = first.model_name or find_name(model)
    table = first.relation.rsplit(".", 1)[-1]
    lost = table if column is None else f"{table}.{column}"
    return Incident(
        urn=incident_urn(dataset, column, model),
        dataset=dataset,
        column=column,
        model=model,
        title=plain(f"Schema change blocks {name} ({lost})", limit=255),
        description=render_pulls([(pull, None)]) + "\n\n" + _render_body(findings, facts, name),
        pulls=(pull,),
    )


def _render_body(findings: Sequence[Finding], facts: ReviewFacts, name: str) -> str:
    first = findings[0]
    lost = first.relation if first.column is None else f"{first.relation}.{first.column}"
    features = ", ".join(code(find_name(urn)) for urn in dict.fromkeys(f.feature for f in findings) if urn)
    lines = [
        f"Merging takes {code(lost)} away from the serving model {code(name)}"
        + (f" ({features})." if features else "."),
        "",
        f"- Owner: {escape(first.owner)}",
        f"- Last trained: {escape(first.last_trained)}"
        + (f" ({escape(first.last_trained_rule)})" if first.last_trained_rule else ""),
        *([f"- Serving: {escape(first.serving_rule)}"] if first.serving_rule else []),
        *(f"- Trail: {_render_trail(trail)}" for trail in dict.fromkeys(f.trail for f in findings) if trail),
        *_render_evidence(findings, facts),
    ]
    return "\n".join(lines)


def _render_trail(trail: Iterable[str]) -> str:
    return " → ".join(code(find_name(step)) for step in trail)


def _render_evidence(findings: Sequence[Finding], facts: ReviewFacts) -> list[str]:
    lines = list(dict.fromkeys(line for finding in findings for line in finding.evidence))
    if not lines:
        return []
    rendered = ["", "**Evidence**"]
    for line in lines[:_MOST_LINES]:
        commit = facts.subject.head_sha if line.side == "head" else ""
        url = permalink(line, web_url=facts.subject.web_url, repo=facts.subject.repo.full_name, commit=commit)
        rendered.append(f"- {link(f'{line.path}:{line.line}', url)}")
    if len(lines) > _MOST_LINES:
        rendered.append(f"- and {len(lines) - _MOST_LINES} more")
    return rendered


# --- the list of pull requests ---------------------------------------------------------------------------------------


def parse_pulls(description: str) -> tuple[tuple[str, str | None], ...]:
    """(link, how it ended or None while it is open), from the task list at the very start. Nothing below it is looked at."""
    lines = description.split("\n")
    found: list[tuple[str, str | None]] = []
    if lines[0] != PULLS_HEADING:
        return ()
    for line in lines[1:]:
        if line.startswith(_OPEN):
            found.append((line[len(_OPEN) :].strip(), None))
        elif line.startswith(_DONE):
            url, _, message = line[len(_DONE) :].partition(" ")
            found.append((url, message))
        else:
            break
    return tuple(found)


def render_pulls(pulls: Sequence[tuple[str, str | None]]) -> str:
    """The task list; open ones are always kept, of finished ones the newest."""
    done = [url for url, message in pulls if message is not None]
    dropped = set(done[: max(0, len(pulls) - _MOST_PULLS)])
    lines = [
        f"{_OPEN}{url}" if message is None else f"{_DONE}{url} {message}"
        for url, message in pulls
        if url not in dropped
    ]
    return "\n".join((PULLS_HEADING, *lines))


def merge_description(stored: str, incident: Incident) -> str:
    """The planned description with the stored list of pull requests in it: a pull request that breaks again is open again, and
    one that has another link by now stands there once.
    """
    planned = incident.description
    fresh = dict(parse_pulls(planned))
    own = incident.pulls[0]
    held = {own if url == incident.formerly else url: message for url, message in parse_pulls(stored)}
    pulls = [(url, fresh.get(url, message)) for url, message in held.items()]
    known = {url for url, _ in pulls}
    pulls += [(url, message) for url, message in fresh.items() if url not in known]
    return render_pulls(pulls) + "\n" + _find_body(planned)


def end_pull(stored: str, url: str, message: str) -> tuple[str, int]:
    """The description with that pull request ticked off, and how many are still open. A link it does not list changes nothing."""
    said = plain(message, limit=200) or "done"
    pulls = [(link_, said if link_ == url and ended is None else ended) for link_, ended in parse_pulls(stored)]
    still_open = sum(ended is None for _, ended in pulls)
    if not pulls:
        return stored, 0
    return render_pulls(pulls) + "\n" + _find_body(stored), still_open


def _find_body(description: str) -> str:
    """What follows the task list, its blank line included."""
    lines = description.split("\n")
    return "\n".join(lines[1 + len(parse_pulls(description)) :]) if lines[0] == PULLS_HEADING else "\n" + description
