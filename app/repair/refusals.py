"""Why no SQL was found that computes a feature: the most telling reason, for the report."""

from __future__ import annotations

from collections.abc import Iterator

from app.repair.definitions import Definitions, FeatureName
from app.repair.edge import Refusal
from app.trail import OpaqueFile, SqlIndex, find_title
from app.words import Evidence


def find_absence(feature: FeatureName, definitions: Definitions, index: SqlIndex) -> Refusal:
    """One refusal for a feature without any definition that SQL shows."""
    entry = definitions.config.features.get(f"{feature.table}.{feature.name}")
    if entry is not None and entry.code is not None:
        return _of_code(feature, entry.code, index)
    for file in _suspects(feature, definitions, index):
        where = Evidence(file.path, file.line or 1, "", "base", file.repo.full_name)
        return Refusal(feature.urn, f"the file that seems to compute it could not be understood: {file.why}", where)
    for urn in definitions.sources(feature.urn):
        for reader in definitions.building.get(urn, ()):
            if any(output.name == "*" for output in reader.statement.outputs):
                line = reader.evidence(reader.statement.line)
                return Refusal(feature.urn, "its relation is built by a star over columns that nobody knows", line)
    if not definitions.sources(feature.urn) and (rivals := definitions.rivals(feature)):
        return Refusal(feature.urn, f"another relation is called like its table: {find_title(rivals[0])}")
    return Refusal(feature.urn, "no SQL that computes it was found")


def _of_code(feature: FeatureName, path: str, index: SqlIndex) -> Refusal:
    """`.tether.yml` says which file computes it, and that the file is not SQL."""
    file = next((file for file in index.opaque if file.path == path.removeprefix("./")), None)
    language = "Python" if path.endswith((".py", ".ipynb")) else "code"
    where = Evidence(path, file.line or 1 if file else 1, "", "base", file.repo.full_name if file else "")
    return Refusal(feature.urn, f"it is computed by {language}, not SQL, and nothing but SQL proves an edge", where)


def _suspects(feature: FeatureName, definitions: Definitions, index: SqlIndex) -> Iterator[OpaqueFile]:
    """Files that own the feature's relation, then files that name the feature, then files that name its table."""
    sources = set(definitions.sources(feature.urn))
    last = feature.table.rpartition(".")[2].lower()
    yield from (f for f in index.opaque if f.relation and definitions.naming.key(f.relation) in sources)
    yield from (f for f in index.opaque if feature.name.lower() in f.words)
    yield from (f for f in index.opaque if last in f.words and f.relation is None)
