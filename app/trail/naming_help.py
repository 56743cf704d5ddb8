"""Why a relation name means no dataset, or too many, as sentences that list the candidates and the line that settles it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from app.trail.urns import DatasetName
from app.words import CatalogNaming

_SHOWN: Final = 5  # candidates in a sentence
#: which setting names which part of a dataset's name, counted from its end
_SETTINGS: Final = ((4, "instance"), (3, "database"), (2, "schema"))


def tell_ambiguous(relation: str, written: int, found: Sequence[DatasetName]) -> str:
    """`written`: how many parts the name has, those of the configuration included."""
    first = found[0]
    if len({name.platform for name in found}) > 1:
        line = f"`catalog: {{platform: {first.platform}}}` in .tether.yml"
    elif settings := [
        f"{key}: {first.parts[-place]}"
        for place, key in _SETTINGS
        if place > written and len(first.parts) >= place and len({_part(name, place) for name in found}) > 1
    ]:
        line = f"`catalog: {{{', '.join(settings)}}}` in .tether.yml"
    else:
        line = "the catalog's own spelling, in quotes,"
    return f"{relation} may be {_list(found)}; {line} settles it for the first of them"


def tell_missing(relation: str, written: Sequence[str], near: Sequence[DatasetName], rules: CatalogNaming) -> str:
    """`near` are datasets with the same last part. `written` are the parts of the name in lower case."""
    if not near:
        return f"no dataset of the catalog is called {relation}; check `catalog:` in .tether.yml, or ingest it"
    head = f"{relation} is not in the catalog; nearest is {_list(near)}"
    if rules.env.upper() not in {name.env.upper() for name in near}:
        line = f"env: {near[0].env}"
    elif rules.platform is not None and rules.platform not in {name.platform for name in near}:
        line = f"platform: {near[0].platform}"
    else:
        line = _find_line(written, near, rules)
    if not line:
        return f"{head}; ingest it, or write the name as the catalog has it"
    return f"{head}; `catalog: {{{line}}}` in .tether.yml would settle it"


def _find_line(written: Sequence[str], near: Sequence[DatasetName], rules: CatalogNaming) -> str:
    """The settings that make the name the nearest dataset that it does not contradict; "" where no setting can."""
    own = [part for part in (rules.database, rules.schema) if part]
    for name in near:
        parts = [part.lower() for part in name.parts]
        bare = [part for part in written if part not in {o.lower() for o in own}] if own else list(written)
        for tail in (list(written), bare):
            if tail and parts[-len(tail) :] == tail and len(parts) > len(tail):
                return ", ".join(
                    f"{key}: {name.parts[-place]}" for place, key in _SETTINGS if len(tail) < place <= len(parts)
                )
    return ""


def _part(name: DatasetName, place: int) -> str:
    return name.parts[-place].lower() if len(name.parts) >= place else ""


def _list(names: Sequence[DatasetName]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(name.urn for name in names[:_SHOWN]) + more
