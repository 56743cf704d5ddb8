"""Whether a reading stands in the repository, and what it comes to: the change as it would be written out under it.

Nothing here believes the reading. It looks whether the cited lines say it, and writes the change as they say it; then the
judge decides about that change as about any other, in child processes, and what does not parse is red as ever.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, assert_never

from app.verdict.masking import mask, strip_comments
from app.verdict.reading import BackfilledBy, ComputedBy, HoleValue, Lines, NoReading, Reading
from app.verdict.routine import defines, find_body, find_calls, find_routine, is_same
from app.verdict.soften import Blocked
from app.verdict.verdict import Finding
from app.words import FeatureConfig

_NAMED_HOLES: Final = re.compile(
    r"\$\{\s*[\w.:-]{1,80}\s*\}|\{\{[^{}\n]{1,200}\}\}|\$\(\w{1,80}\)|%\(\w{1,80}\)s|&&?\w{1,80}\.?|(?<!:):['\"]?\w{1,80}['\"]?|\$\w{1,80}"
)
_DYNAMIC: Final = re.compile(r"(?i)EXEC(?:UTE)?(?:\s+IMMEDIATE)?\s*\(?\s*[$:@]?(\w{1,80})\s*\)?\s*;?")
_NO_NAMES: Final = frozenset({"var", "env_var", "params", "config", "ref", "source", "s"})
_PLAIN_VALUE: Final = re.compile(r"[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*){0,3}")


@dataclass(frozen=True, slots=True)
class Ground:
    """What a reading is held against: texts of the own repository (`repo`) by path. `tip` is the base branch; `taken` are the
    places (path, line) of the removals; `configured` the features that `.tether.yml` maps already."""

    blocked: Blocked
    base: Mapping[str, str]
    head: Mapping[str, str]
    tip: Mapping[str, str]
    changed: frozenset[str]
    taken: frozenset[tuple[str, int]] = frozenset()
    configured: frozenset[str] = frozenset()
    repo: str = ""


@dataclass(frozen=True, slots=True)
class Amendment:
    """The change under the reading: texts that stand for others, at the head alone or on all sides; features that a file is
    mapped to (it must have the output). `said` names the reading and its lines."""

    said: str
    head: Mapping[str, str] = field(default_factory=dict)
    everywhere: Mapping[str, str] = field(default_factory=dict)
    features: Mapping[str, FeatureConfig] = field(default_factory=dict)


def verify_witness(reading: Reading, ground: Ground) -> Amendment | NoReading:
    """The change as the cited lines have it, or why they do not say it."""
    cited = reading.cited
    text = _find_cited(cited, ground.head)
    if text is None:
        return NoReading(f"the model cites lines that are not there ({_place(cited)})")
    match reading:
        case HoleValue():
            return _verify_hole(reading, text, ground)
        case ComputedBy():
            return _verify_computed(reading, text, ground)
        case BackfilledBy():
            return _verify_backfill(reading, text, ground)
        case _:
            assert_never(reading)


# --- hole_value ----------------------------------------------------------------------------------------------------


def _verify_hole(reading: HoleValue, text: str, ground: Ground) -> Amendment | NoReading:
    hole, value = reading.text.strip(), reading.value
    if why := _find_no_hole(reading, hole, ground) or _find_no_value(reading, hole, text, ground):
        return NoReading(why)
    filled = {
        path: ground.head[path].replace(hole, value) for path in ground.changed if hole in ground.head.get(path, "")
    }
    where = f"{_short(reading.path)} line {reading.line}"
    return Amendment(
        _say(f"the hole in {where} stands for what {_place(reading.cited)} gives it (hole_value)"), head=filled
    )


def _find_no_hole(reading: HoleValue, hole: str, ground: Ground) -> str:
    """Why there is no such hole in the change; "" where there is."""
    where = f"{_short(reading.path)} line {reading.line}"
    line = _find_cited(Lines(reading.path, reading.line, reading.line), ground.head)
    if reading.path not in ground.changed or line is None or mask(line).count(hole) != 1:
        return f"the change has no such hole in {where}"
    if not _DYNAMIC.fullmatch(hole) and not _NAMED_HOLES.fullmatch(hole):
        return f"what the model calls a hole in {where} is none"
    return ""


def _find_no_value(reading: HoleValue, hole: str, text: str, ground: Ground) -> str:
    """Why the cited lines, `text`, do not say that the hole makes the lost name again; "" where they do."""
    value, dynamic = reading.value, _DYNAMIC.fullmatch(hole)
    if not _creates(value, ground.blocked.verdict.findings, whole=dynamic is None):
        return "the value that the model proposes does not make the lost name again"
    names = [dynamic[1]] if dynamic else [n for n in re.findall(r"[A-Za-z_]\w*", hole) if n.lower() not in _NO_NAMES]
    if not names or not _assigns(names[-1], value, text):
        return f"the lines that the model cites do not give that hole the value ({_place(reading.cited)})"
    if _is_ambiguous(names[-1], value, ground.head):
        return f"the repository gives {_short(names[-1])} other values as well"
    before = ground.tip.get(reading.cited.path, "")
    if f"\n{text}\n" not in f"\n{before}\n":
        return f"the lines that give the hole its value are not on the base branch ({_place(reading.cited)})"
    return ""


def _creates(value: str, findings: tuple[Finding, ...], *, whole: bool) -> bool:
    names = {name for one in findings if one.level == "block" for name in _lost_names(one)}
    if whole:
        return bool(_PLAIN_VALUE.fullmatch(value)) and bool({value.lower(), value.lower().rpartition(".")[2]} & names)
    return bool(set(re.findall(r"\w+", value.lower())) & names)


def _lost_names(finding: Finding) -> set[str]:
    if finding.column:
        return {finding.column.strip('"').lower()}
    return {finding.relation.lower(), finding.relation.lower().rpartition(".")[2].strip('"')}


def _assigns(name: str, value: str, text: str) -> bool:
    """`name: value`, `name = 'value'`, `"name": "value"`, `--var name=value`."""
    pattern = rf"(?<!\w){re.escape(name)}['\"`\]]?\s*(?::=|=>|=|:|,)\s*['\"`]?{re.escape(value)}['\"`]?(?!\w)"
    return re.search(pattern, text) is not None


def _is_ambiguous(name: str, value: str, files: Mapping[str, str]) -> bool:
    """Somewhere the same name is given something else: which of them holds, nobody can tell."""
    given = re.compile(
        rf"(?<!\w){re.escape(name)}['\"`\]]?\s*(?::=|=>|=|:)\s*(?!=)(?:'([^'\n]*)'|\"([^\"\n]*)\"|([\w$.]+))"
    )
    for text in files.values():
        if name in text and any("".join(found.groups("")) != value for found in given.finditer(text)):
            return True
    return False


# --- computed_by ---------------------------------------------------------------------------------------------------


def _verify_computed(reading: ComputedBy, text: str, ground: Ground) -> Amendment | NoReading:
    path = reading.cited.path
    lost = [one for one in ground.blocked.verdict.findings if one.level == "block" and one.feature == reading.feature]
    if not lost:
        return NoReading("the feature that the model names is not one that is lost")
    name = reading.feature.partition("(")[2].rstrip(")").replace(",", ".", 1)
    column = name.rpartition(".")[2]
    if path not in ground.changed or not path.lower().endswith(".sql"):
        return NoReading(f"the file that the model names is no SQL of this change ({_place(reading.cited)})")
    if name in ground.configured:
        return NoReading(f"`.tether.yml` says already what computes {_short(name)}")
    if not re.search(rf"(?i)(?<!\w){re.escape(column)}(?!\w)", mask(text)):
        return NoReading(f"the lines that the model cites do not name the feature's column ({_place(reading.cited)})")
    for line in (line for one in lost for line in one.evidence):
        own = line.side != "catalog" and line.path in ground.head and (line.path, line.line) not in ground.taken
        if line.repo not in ("", ground.repo) or own:
            return NoReading("the SQL that computes the feature today is still there and reads what is lost")
    said = f"{_short(name)} is now computed by {_place(reading.cited)} (computed_by)"
    return Amendment(_say(said), features={name: FeatureConfig(sql=path, column=column)})


# --- backfilled_by -------------------------------------------------------------------------------------------------


def _verify_backfill(reading: BackfilledBy, text: str, ground: Ground) -> Amendment | NoReading:
    routine = find_routine(text)
    body = find_body(text) if routine is not None and is_same(routine, reading.routine) else None
    if routine is None or body is None:
        return NoReading(f"the lines that the model cites define no such routine in SQL ({_place(reading.cited)})")
    names = {name for one in ground.blocked.verdict.findings if one.level == "block" for name in _lost_names(one)}
    words = set(re.findall(r"\w+", strip_comments(body).lower()))
    if not words & {"update", "insert", "merge"} or not words & names:
        return NoReading(f"the routine that the model cites copies nothing of what is lost ({_place(reading.cited)})")
    others = [path for path, other in ground.head.items() if defines(other.replace(text, ""), routine)]
    if others:
        return NoReading(f"{_short(routine)} is defined in {_short(others[0])} as well")
    calls = [(path, line) for path in sorted(ground.changed) for line in find_calls(ground.head.get(path, ""), routine)]
    if len(calls) != 1:
        return NoReading(f"the change calls {_short(routine)} {len(calls)} times, not once")
    path, line = calls[0]
    lines = ground.head[path].split("\n")
    lines[line - 1] = " ".join(body.split())
    head = {path: "\n".join(lines)}
    everywhere = {}
    for side in (ground.base, ground.tip, ground.head):
        if text in side.get(reading.cited.path, ""):
            everywhere[reading.cited.path] = side[reading.cited.path].replace(text, "\n" * text.count("\n"))
    if reading.cited.path == path:  # defined and called in one file
        head[path] = head[path].replace(text, "\n" * text.count("\n"))
    called = f"{_short(routine)}, called in {_short(path)} line {line}"
    said = f"{called}, copies the values ({_place(reading.cited)}; backfilled_by)"
    return Amendment(_say(said), head=head, everywhere=everywhere)


# --- text ----------------------------------------------------------------------------------------------------------


def _find_cited(cited: Lines, files: Mapping[str, str]) -> str | None:
    text = files.get(cited.path)
    if text is None:
        return None
    lines = text.split("\n")
    return "\n".join(lines[cited.first - 1 : cited.last]) if cited.last <= len(lines) else None


def _say(reading: str) -> str:
    return f"Softened: a language model pointed at a reading, and the judge verified it: {reading}"


def _place(cited: Lines) -> str:
    lines = f"line {cited.first}" if cited.first == cited.last else f"lines {cited.first}-{cited.last}"
    return f"{_short(cited.path)} {lines}"


def _short(text: str) -> str:
    line = "".join(c if c.isprintable() else "?" for c in text)
    return line if len(line) <= 120 else line[:119] + "…"
