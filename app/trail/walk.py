"""The walk: from every removal, breadth first, to the features and models behind it. Pure: it asks for what it lacks.

It is run again after each fetch with the larger graph, from the start; what it still wants is `wanted`. Proven hops make
trails. Behind a hop that could not be proven it goes on looking, only to learn whether a serving model stands there: then
the doubt decides the verdict and is an unknown, else it is a note.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from app.change import Removal, RemovalReport
from app.trail.graph import LineageGraph
from app.trail.hop import NOWHERE, Contradiction, Doubt, FeatureLoss, Hop, Hops, Loss, ModelLoss, Place
from app.trail.naming import Naming
from app.trail.opaque import Lost, find_feature_words, find_suspects, is_test
from app.trail.reach import Reach, find_reach
from app.trail.scene import Scene
from app.trail.sql_side import same_path
from app.trail.trail import OpaqueFile, OpenQuestion, SqlIndex, Step, Trail, Walk
from app.trail.urns import bare, find_title, find_type
from app.words import Config, Evidence, Unknown

#: kinds after which the relation has fewer columns, for those who count them
NARROWS = frozenset({"column_dropped", "column_hidden", "output_removed"})
#: kinds that take the column from the stored table, not only from the text that builds it
PHYSICAL = frozenset({"column_dropped", "column_renamed", "relation_dropped", "relation_renamed"})
#: code that nobody reads: who takes columns by their place there is warned, not stopped
CODE = (".py", ".ipynb")
MOST_NAMES = 5  # models in a sentence
MOST_LINES = 6  # that gave the columns of a relation


def walk(report: RemovalReport, index: SqlIndex, graph: LineageGraph, naming: Naming, config: Config) -> Walk:
    """Trails from all removals, and what could not be told. Call again with a larger graph until `wanted` is empty."""
    if not report.removals and not report.added:
        return Walk(unknowns=_cut_short(graph))
    scene = Scene.of(report, index, graph, naming, config)
    traces = [_trace(removal, scene) for removal in (*report.removals, *report.added)]
    if scene.sql.unread:
        known = (urn for urn in graph.aspects if graph.exists(urn) and not scene.features.is_shown(urn))
        words = find_feature_words(known, config)
        for trace in traces:
            # nobody reads a query under a name; a new column concerns those alone whose names can be read
            if trace.removal.relation not in report.queries and trace.removal.kind != "column_added":
                _ask_opaque(trace, scene, words)
    places = (place for trace in traces for _, place in trace.doubts if place is not None)
    reach = find_reach(places, scene.expand)
    questions = [question for trace in traces for question in _find_questions(trace, scene, reach)]
    deciding = (question.unknown for question in questions if question.removal.level == "block")
    wanted, guesses = _find_wanted(traces, reach, graph)
    return Walk(
        trails=tuple(trail for trace in traces for trail in trace.trails),
        wanted=wanted,
        unknowns=tuple(dict.fromkeys((*_cut_short(graph), *deciding))),
        contradicted=_contradicted(traces),
        dashboards=tuple(sorted({urn for trace in traces for urn in trace.dashboards})),
        notes=tuple(dict.fromkeys(note for trace in traces for note in trace.notes)),
        entities=len({urn for trace in traces for urn in trace.entities}),
        questions=tuple(questions),
        guesses=guesses,
        unbound=tuple(one.line for one in scene.features.bindings.unbound()) if not wanted else (),
    )


def _find_wanted(traces: Iterable[_Trace], reach: Reach, graph: LineageGraph) -> tuple[frozenset[str], frozenset[str]]:
    """What is to be fetched, and which of it are guesses: names of which the aspects matter only if something points at them.

    Names on proven ways of which nothing came are asked for last, all at once: most of them do not exist, but a feature that
    no model takes is worth a word.
    """
    proven = frozenset[str]().union(*(trace.wanted for trace in traces)) | reach.wanted
    named = frozenset[str]().union(*(trace.guesses for trace in traces))
    wanted = (proven | named | reach.guesses) - graph.asked
    if wanted:
        return wanted, wanted & ((named | reach.guesses) - proven)
    return frozenset(urn for urn in named & graph.guessed if find_type(urn) == "mlFeature"), frozenset()


def next_frontier(walk: Walk) -> frozenset[str]:
    """The urns to fetch before the walk is run again; empty when it is done."""
    return walk.wanted


@dataclass(slots=True)
class _Trace:
    """One removal's walk while it is under way."""

    removal: Removal
    trails: list[Trail] = field(default_factory=list)
    losses: dict[Loss, None] = field(default_factory=dict)
    doubts: dict[tuple[Doubt, Place | None], None] = field(default_factory=dict)
    contradictions: dict[Contradiction, None] = field(default_factory=dict)
    wanted: set[str] = field(default_factory=set)
    guesses: set[str] = field(default_factory=set)
    dashboards: set[str] = field(default_factory=set)
    entities: set[str] = field(default_factory=set)
    notes: dict[str, None] = field(default_factory=dict)

    def note(self, place: Place, found: Hops) -> None:
        """All that a place tells beyond the proven hops."""
        self.wanted.update(found.wanted)
        self.guesses.update(found.guesses)
        self.entities.add(place.node if isinstance(place, Loss) else place.urn)
        if isinstance(place, Loss):
            self.losses[place] = None
        for hop in found.hops:
            if hop.doubt is not None:
                self.doubts[hop.doubt, hop.to] = None
        if found is not NOWHERE:
            self.contradictions |= dict.fromkeys(found.contradictions)
            self.dashboards.update(found.dashboards)
            self.notes |= dict.fromkeys(found.notes)
            self.doubts |= {(doubt, None): None for doubt in found.dead_ends}


@dataclass(slots=True)
class _Seen:
    """The places that were met. `gone`: relations that are lost as a whole; any other loss of theirs says no more."""

    places: set[Place] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)

    def add(self, place: Place) -> bool:
        """Whether the place is worth following."""
        if place in self.places:
            return False
        if isinstance(place, Loss):
            if place.node in self.gone and not place.by_position:
                return False
            if place == Loss(place.node, None, "stops"):
                self.gone.add(place.node)
        self.places.add(place)
        return True


def _trace(removal: Removal, scene: Scene) -> _Trace:
    trace = _Trace(removal)
    queue: deque[tuple[Place, tuple[Step, ...]]] = deque()
    seen = _Seen()
    for loss in _start(removal, scene):
        evidence = (removal.evidence, *removal.related, *_frozen_lines(removal, loss, scene))
        queue.append((loss, (Step(loss.node, removal.column, "sql", evidence),)))
        seen.add(loss)
    while queue:
        place, steps = queue.popleft()
        found = scene.expand(place)
        trace.note(place, found)
        proven = [hop for hop in found.hops if hop.doubt is None]
        _end(trace, place, steps, proven, scene)
        for hop in proven:
            if seen.add(hop.to):
                told = _with_columns(steps, removal, hop, scene) if len(steps) == 1 and removal.columns else steps
                queue.append((hop.to, (*told, hop.step)))
    return trace


def _with_columns(steps: tuple[Step, ...], removal: Removal, hop: Hop, scene: Scene) -> tuple[Step, ...]:
    """The relation that goes, with the lines that gave what its reader takes."""
    if not isinstance(hop.to, Loss):
        return steps
    first, *rest = steps
    taken = scene.sql.taken(hop.to.node, first.urn)
    lines = tuple(line for name, line in removal.columns if name in taken or "*" in taken)[:MOST_LINES]
    return (replace(first, evidence=(*first.evidence, *lines)), *rest)


def _start(removal: Removal, scene: Scene) -> list[Loss]:
    """The removal as a loss. An order that may only warn is one that the relation itself may be filled by (a dbt model that
    inserts by position): then its own columns are concerned as well.
    """
    node = scene.nodes.of_relation(removal.relation)
    if removal.moves_order:
        ordered = Loss(node, None, "values", by_position=True, at_end=removal.at_end)
        return [ordered] if removal.level == "block" else [ordered, Loss(node, None, "values")]
    return [
        Loss(
            node,
            removal.column,
            removal.effect,
            narrows=removal.kind in NARROWS,
            physical=removal.kind in PHYSICAL,
            new_type=removal.new_type,
            gained=removal.kind == "column_added",
            hidden=removal.kind == "column_hidden",
        )
    ]


def _frozen_lines(removal: Removal, loss: Loss, scene: Scene) -> tuple[Evidence, ...]:
    """The star of a view that goes invalid without anybody touching its file."""
    if removal.kind != "view_invalidated":
        return ()
    stars = [
        (one.reader, o.line)
        for one in scene.sql.building.get(loss.node, ())
        for o in one.reader.statement.outputs
        if o.via_star
    ]
    return tuple(dict.fromkeys(reader.evidence(line) for reader, line in stars))


def _end(trace: _Trace, place: Place, steps: tuple[Step, ...], proven: list[Hop], scene: Scene) -> None:
    """Models end a trail; so does a feature that no model takes."""
    match place:
        case ModelLoss(urn, effect, feature):
            deployments = scene.deployments(urn)
            trace.entities.update(deployments)
            trace.trails.append(Trail(trace.removal, steps, effect, feature, urn, deployments))
        case FeatureLoss(urn, effect) if not proven:
            trace.trails.append(Trail(trace.removal, steps, effect, urn))


# --- what could not be told ----------------------------------------------------------------------------------------


def _ask_opaque(trace: _Trace, scene: Scene, feature_words: frozenset[str]) -> None:
    if trace.removal.kind == "writer_is_unread":
        return  # no column is known to go: one unread file is no reason to doubt another
    lost = Lost.of(trace.removal, trace.losses, scene.nodes)
    suspects = find_suspects(scene.sql.unread, lost, feature_words, scene.config)
    absent = [file for file in suspects if file.absent]
    if absent:
        trace.doubts[_absent_doubt(absent, trace.removal), None] = None
    for file in suspects:
        if file.absent:
            continue
        if is_test(file.path) and not _is_named(file, scene.config):
            trace.notes[f"a test may read {_title(trace.removal)}; a test is no reader that serves"] = None
            continue
        place = None
        if file.relation is not None:
            node = scene.nodes.of_relation(file.relation)
            if any(loss.node == node for loss in trace.losses):
                continue  # lost already, whatever its file says
            if file.in_catalog and any(
                isinstance(to, Loss) and (to.node, to.column) == (node, None) for _, to in trace.doubts
            ):
                continue  # asked already: the catalog's lineage leads there as well
            place = Loss(node, None, trace.removal.effect)
        trace.doubts[_opaque_doubt(file, trace.removal), place] = None


def _is_named(file: OpaqueFile, config: Config) -> bool:
    return any(same_path(entry.code, file.path) for entry in config.features.values() if entry.code is not None)


def _title(removal: Removal) -> str:
    return f"{removal.relation}.{bare(removal.column)}" if removal.column else removal.relation


def _absent_doubt(files: Sequence[OpaqueFile], removal: Removal) -> Doubt:
    """All of them at once: none of them can be told from another."""
    first = files[0]
    more = f", like {len(files) - 1} more" if len(files) > 1 else ""
    why = f"what is not here may read it: {first.why}{more}; `roots:` with `kind: ignore` in .tether.yml leaves it out"
    return Doubt("reader_is_unknown", _title(removal), why, Evidence(first.path, 1, "", "base", first.repo.full_name))


def _opaque_doubt(file: OpaqueFile, removal: Removal) -> Doubt:
    what = _title(removal)
    where = Evidence(file.path, file.line or 1, "", "base", file.repo.full_name)
    why = f"a file that could not be understood mentions it: {file.why}"
    mild = removal.moves_order and file.path.endswith(CODE)
    return Doubt("reader_is_unknown", what, why, where, mild=mild)


def _find_questions(trace: _Trace, scene: Scene, reach: Reach) -> Iterable[OpenQuestion]:
    """Doubts with a model behind them that may serve and is not lost already; doubts that lead nowhere visible."""
    blocked = {t.model for t in trace.trails if t.model is not None} if trace.removal.level == "block" else set()
    for doubt, place in trace.doubts:
        removal = replace(trace.removal, level="warn") if doubt.mild else trace.removal
        if place is None:
            yield OpenQuestion(doubt.rule, removal, doubt.unknown(""))
            continue
        behind = reach.models[place]
        models = tuple(m for m in behind if m not in blocked and scene.may_serve(m))
        if models:
            names = ", ".join(find_title(model) for model in models[:MOST_NAMES])
            more = f" and {len(models) - MOST_NAMES} more" if len(models) > MOST_NAMES else ""
            placed = doubt if doubt.evidence else replace(doubt, evidence=_first_line(place, scene))
            yield OpenQuestion(doubt.rule, removal, placed.unknown(f"behind it: {names}{more}"), models)
        elif not blocked.intersection(behind):
            trace.notes[f"{doubt.what}: {doubt.why}; no serving model is known behind it"] = None


def _first_line(place: Place, scene: Scene) -> Evidence | None:
    """The first visible statement that goes on from the place: where a person may start to look."""
    going_on = scene.sql.reading.get(place.node, ()) if isinstance(place, Loss) else ()
    return next((one.reader.evidence(one.reader.statement.line) for one in going_on), None)


def _cut_short(graph: LineageGraph) -> tuple[Unknown, ...]:
    reasons = (*graph.reasons, *graph.strange)
    return tuple(Unknown("the walk through the catalog was cut short", reason) for reason in reasons)


def _contradicted(traces: Iterable[_Trace]) -> tuple[tuple[str, Evidence | None, Removal], ...]:
    return tuple((c.text, c.evidence, trace.removal) for trace in traces for c in trace.contradictions)
