"""Queries in code, which build no relation: what they feed is in the program around them, and that is not SQL.

A Feast feature view says it in constants. Failing that, a known feature with the name of an output column may be computed
there, if the file mentions its table or is called like it. A Python file that surely reads what is lost and leads nowhere
else is a dead end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from app.change import find_feast_views
from app.trail.features import Features
from app.trail.hop import NOWHERE, Doubt, FeatureLoss, Hop, Hops, Loss, join_hops
from app.trail.opaque import is_test
from app.trail.sql_side import MOST_LINES, Bound, SqlSide
from app.trail.touched import Touch
from app.trail.trail import Step
from app.trail.urns import bare, feature_urn, find_type, is_of_project

_COMMENT: Final = re.compile(r"(^|\s)(#|--).*$")
_WORD: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
MOST_CANDIDATES: Final = 2000  # (word of the file, output) pairs that are looked up by urn


@dataclass(frozen=True, slots=True)
class CodeQueries:
    sql: SqlSide
    features: Features

    def hops(self, loss: Loss) -> Hops:
        if loss.node not in self.sql.reading:
            return NOWHERE
        parts = [
            self._follow(one, loss, touch)
            for one in self.sql.reading.get(loss.node, ())
            if one.target is None
            and not one.features
            and (touch := self.sql.touch(one, loss)) is not None
            and not touch.gained
        ]
        return join_hops(*parts)

    def _follow(self, one: Bound, loss: Loss, touch: Touch) -> Hops:
        if is_test(one.reader.path):
            title = self.sql.nodes.title_of(loss)
            return Hops(notes=(f"a test reads {title}; a test is no reader that serves",))
        views = tuple(self._views(one, touch))
        named = views or tuple(self._candidates(one, touch))
        doubt = None if views and touch.certain else self._doubt(loss, one, touch)
        found = tuple(
            Hop(FeatureLoss(feature, touch.effect), self._step(feature, one, touch), doubt)
            for feature in named
            if self.features.exists(feature)
        )
        wanted = frozenset(named)
        if found or views:
            return Hops(found, wanted=wanted)
        if one.reader.path.endswith((".py", ".ipynb")):
            return Hops(wanted=wanted, dead_ends=(self._doubt(loss, one, touch),))
        note = f"a query reads {self.sql.nodes.title_of(loss)} without saying what it feeds"
        return Hops(notes=(note,), wanted=wanted)

    def _views(self, one: Bound, touch: Touch) -> Iterator[str]:
        """Features of the Feast views whose query this is."""
        line = one.reader.statement.line
        known = [urn for urn in self.features.graph.aspects if find_type(urn) == "mlFeature"]
        for view in find_feast_views("\n".join(one.reader.source)):
            if view.first_line <= line <= view.last_line:
                for feature, column in view.columns.items():
                    if touch.columns is None or column.lower() in {bare(c).lower() for c in touch.columns}:
                        yield feature_urn(view.name, feature)
                        yield from (u for u in known if is_of_project(u, view.name, feature))

    def _candidates(self, one: Bound, touch: Touch) -> Iterator[str]:
        outputs = touch.columns or tuple(output.name for output in one.reader.statement.outputs)
        names = [bare(output) for output in outputs if output != "*"]
        words = dict.fromkeys(w for line in one.reader.source for w in _WORD.findall(_COMMENT.sub("", line)))
        words = {PurePosixPath(one.reader.path).name.partition(".")[0]: None, **words}
        pairs = ((word, name) for name in dict.fromkeys(names) for word in words)
        for _, (word, name) in zip(range(MOST_CANDIDATES), pairs, strict=False):
            yield feature_urn(word, name)

    def _step(self, feature: str, one: Bound, touch: Touch) -> Step:
        return Step(feature, None, "sql", tuple(one.reader.evidence(line) for line in touch.lines[:MOST_LINES]))

    def _doubt(self, loss: Loss, one: Bound, touch: Touch) -> Doubt:
        what = self.sql.nodes.title_of(loss)
        why = "a query in code reads it, and what that code computes could not be told; `features:` in .tether.yml settles it"
        return Doubt("reader_is_unknown", what, why, one.reader.evidence(touch.lines[0]))
