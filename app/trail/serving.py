"""Is a model serving? Ordered rules; the first that decides wins and is named. `PROD` in a urn is no signal: every source
defaults to it, and the latest version of a group need not be the deployed one.

Deliberately absent: the clock. A scoring run counts however old it is: better one question too many than one too few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from app.trail.aspects import find_properties, find_rows, find_tags, find_texts, is_ml_exposure
from app.trail.graph import LineageGraph
from app.trail.graph_side import JOB_READS, JOBS
from app.trail.models import matches_model
from app.trail.trail import Serving
from app.trail.urns import find_title, find_type, split_key
from app.words import Config

UP: Final = frozenset({"IN_SERVICE", "UPDATING", "ROLLING_BACK", "CREATING"})
OUT: Final = frozenset({"OUT_OF_SERVICE", "FAILED", "DELETING"})
#: tags and stages that say the opposite
NOT_LIVE_TAGS: Final = frozenset({"urn:li:tag:mlflow_staging", "urn:li:tag:mlflow_archived"})
NOT_LIVE_ALIASES: Final = frozenset({"challenger", "staging", "archived"})
NOT_LIVE_VALUES: Final = frozenset(
    {"false", "no", "off", "0", "none", "staging", "archived", "challenger", "dev", "development", "test"}
)
#: the rule that a deployment without status decides by; which version it runs is not recorded
WITHOUT_STATUS: Final = "a deployment without status"

_Rule = Callable[[str, LineageGraph, Config], Serving | None]


def decide_serving(model: str, graph: LineageGraph, config: Config) -> Serving:
    """`model` is a mlModel, an exposure's dashboard, or a name that only `.tether.yml` knows."""
    decided = _decide_alone(model, graph, config)
    if decided is not None:
        return decided
    groups = _find_sets(model, graph)
    versions = find_versions(model, graph)
    told = {other: _decide_alone(other, graph, config) for other in versions}
    for other, served in told.items():
        if served is not None and served.state == "serving":
            return Serving("not_serving", f"another version of its group is serving: {find_title(other)}")
    missing = [group for group in groups if group in graph.unread]
    missing += [other for other, served in told.items() if served is not None and served.state == "unread"]
    if missing:
        return _unread(missing[0])
    return Serving("unknown", "nothing in the catalog or in .tether.yml decides it")


def _unread(urn: str) -> Serving:
    return Serving("unread", f"the catalog's answer about {find_title(urn)} did not come whole")


def find_versions(model: str, graph: LineageGraph) -> tuple[str, ...]:
    """Other versions: models of the same group, or of the same version set."""
    others = (other for group in _find_sets(model, graph) for other in graph.sources(group, "MemberOf", "VersionOf"))
    return tuple(o for o in dict.fromkeys(others) if o != model and find_type(o) == "mlModel" and not graph.removed(o))


def _find_sets(model: str, graph: LineageGraph) -> tuple[str, ...]:
    """What holds the versions of the model together."""
    return (*_listed(model, graph, "groups", "MemberOf"), *graph.destinations(model, "VersionOf"))


def find_deployments(model: str, graph: LineageGraph) -> tuple[str, ...]:
    """The model's deployments. SageMaker's models name endpoints by ARN, its endpoints are entities by name: the tail decides."""
    found = []
    for urn in _listed(model, graph, "deployments", "DeployedTo"):
        # Vertex AI keeps evaluations of a model as deployments; nobody calls those
        if ".model_evaluation." not in find_title(urn) and not graph.removed(urn):
            twin = find_endpoint(urn)
            found.append(twin if twin is not None and graph.exists(twin) else urn)
    return tuple(dict.fromkeys(found))


def find_endpoint(deployment: str) -> str | None:
    """The urn by endpoint name of a deployment urn by endpoint ARN, None for any other."""
    fields = split_key(deployment)
    if len(fields) != 3 or not fields[1].startswith("arn:"):
        return None
    return f"urn:li:mlModelDeployment:({fields[0]},{fields[1].rpartition('/')[2]},{fields[2]})"


def find_sharers(model: str, graph: LineageGraph) -> tuple[str, ...]:
    """Other models that list one of this model's deployments, or belong to its group."""
    urns = _listed(model, graph, "deployments", "DeployedTo")
    others = [other for urn in urns for other in graph.sources(urn, "DeployedTo")]
    return tuple(
        o for o in dict.fromkeys((*others, *find_versions(model, graph))) if o != model and not graph.removed(o)
    )


def find_serving_frontier(model: str, graph: LineageGraph, config: Config) -> frozenset[str]:
    """Urns whose neighbours decide whether the model serves, beyond its own."""
    if find_type(model) != "mlModel":
        return frozenset()
    deployments = _listed(model, graph, "deployments", "DeployedTo")
    wanted = {model, *deployments, *(twin for urn in deployments if (twin := find_endpoint(urn)))}
    wanted.update(_find_sets(model, graph))
    alone = _decide_alone(model, graph, config)
    if alone is None or alone.rule.startswith(WITHOUT_STATUS):
        for other in find_sharers(model, graph):
            others = _listed(other, graph, "deployments", "DeployedTo")
            wanted.update((other, *(twin for urn in others if (twin := find_endpoint(urn)))))
    wanted.update(_listed(model, graph, "trainingJobs", "TrainedBy"))
    wanted.update(_listed(model, graph, "downstreamJobs", "UsedBy"))
    return frozenset(wanted)


def _listed(model: str, graph: LineageGraph, field: str, edge: str) -> tuple[str, ...]:
    held = find_texts(graph.aspect(model, "mlModelProperties"), field)
    return tuple(dict.fromkeys((*held, *graph.destinations(model, edge))))


def _decide_alone(model: str, graph: LineageGraph, config: Config) -> Serving | None:
    """By what is known of the model itself. Where not all of that was read, only a rule that says "serving", or the
    configuration, decides: what is missing might have spoken before any other.
    """
    configured = _by_config(model, graph, config)
    if configured is not None:
        return configured
    decided = next((found for rule in _RULES if (found := rule(model, graph, config)) is not None), None)
    if decided is not None and decided.state in ("serving", "unread"):
        return decided
    if model in graph.unread:
        return _unread(model)
    if graph.absent(model) and find_type(model) == "mlModel":
        return Serving("unread", "the catalog's index names it, and the catalog holds nothing of it")
    return decided


# --- the rules, in order -------------------------------------------------------------------------------------------


def _by_config(model: str, graph: LineageGraph, config: Config) -> Serving | None:
    for pattern, entry in config.models.items():
        if entry.serving is not None and matches_model(pattern, model, graph):
            return Serving(
                "serving" if entry.serving else "not_serving",
                f".tether.yml: models.{pattern}.serving = {str(entry.serving).lower()}",
            )
    return None


def _by_deployment(model: str, graph: LineageGraph, _config: Config) -> Serving | None:
    deployments = find_deployments(model, graph)
    if not deployments:
        return None
    status = {urn: str(graph.aspect(urn, "mlModelDeploymentProperties").get("status") or "") for urn in deployments}
    for urn, held in status.items():
        if held in UP:
            return Serving("serving", f"deployment {find_title(urn)} is {held}")
    unread = next((urn for urn in deployments if urn in graph.unread), None)
    if unread is not None:
        return _unread(unread)
    if all(held in OUT for held in status.values()):
        listed = ", ".join(f"{find_title(urn)} {held}" for urn, held in status.items())
        retired = _is_deprecated(model, graph)
        return Serving("retired" if retired else "not_serving", f"every deployment is out of service: {listed}")
    open_ended = next(urn for urn, held in status.items() if held not in OUT)
    return Serving("serving", f"{WITHOUT_STATUS}: {find_title(open_ended)}")


def _by_alias(model: str, graph: LineageGraph, config: Config) -> Serving | None:
    for alias in _aliases(model, graph):
        if alias.lower() in {name.lower() for name in config.serving.aliases}:
            return Serving("serving", f"alias {alias}")
    return None


def _by_tag(model: str, graph: LineageGraph, config: Config) -> Serving | None:
    for tag in find_tags(graph, model):
        if tag in config.serving.tags:
            return Serving("serving", f"tag {tag.removeprefix('urn:li:tag:')}")
    return None


def _by_property(model: str, graph: LineageGraph, config: Config) -> Serving | None:
    for key, value in _properties(model, graph, config.serving.properties):
        if value.lower() in {text.lower() for text in config.serving.properties[key]}:
            return Serving("serving", f"property {key} = {value}")
    return None


def _by_scoring(model: str, graph: LineageGraph, _config: Config) -> Serving | None:
    runs = (run for run in graph.sources(model, *JOB_READS) if find_type(run) in JOBS)
    for job in (*_listed(model, graph, "downstreamJobs", "UsedBy"), *runs):
        if not graph.removed(job):
            return Serving("serving", f"scored by {find_title(job)}")
    return None


def _by_exposure(model: str, graph: LineageGraph, _config: Config) -> Serving | None:
    if not is_ml_exposure(graph, model):
        return None
    maturity = find_properties(graph.aspect(model, "dashboardInfo")).get("maturity", "").lower()
    if maturity == "high":
        return Serving("serving", "exposure of maturity high")
    return Serving("not_serving", f"exposure of maturity {maturity}") if maturity else None


def _by_opposite(model: str, graph: LineageGraph, config: Config) -> Serving | None:
    for tag in find_tags(graph, model):
        if tag in NOT_LIVE_TAGS:
            return Serving("not_serving", f"tag {tag.removeprefix('urn:li:tag:')}")
    for alias in _aliases(model, graph):
        if alias.lower() in NOT_LIVE_ALIASES:
            return Serving("not_serving", f"alias {alias}")
    for key, value in _properties(model, graph, config.serving.properties):
        if value.lower() in NOT_LIVE_VALUES:
            return Serving("not_serving", f"property {key} = {value}")
    if _is_deprecated(model, graph):
        return Serving("not_serving", "deprecated, and no deployment is live")
    return None


#: after the configuration
_RULES: Final[tuple[_Rule, ...]] = (
    _by_deployment,
    _by_alias,
    _by_tag,
    _by_property,
    _by_scoring,
    _by_exposure,
    _by_opposite,
)


def _is_deprecated(model: str, graph: LineageGraph) -> bool:
    return bool(graph.aspect(model, "deprecation").get("deprecated", False))


def _aliases(model: str, graph: LineageGraph) -> Iterator[str]:
    for row in find_rows(graph.aspect(model, "versionProperties"), "aliases"):
        if row.get("versionTag"):
            yield str(row["versionTag"])


def _properties(model: str, graph: LineageGraph, keys: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """(key, value) of custom properties, `key: value` tags and structured properties whose key is one of `keys`.

    Unity Catalog stores run tags as JSON, so a value may stand in quotes.
    """
    wanted = {key.lower(): key for key in keys}
    found = list(find_properties(graph.aspect(model, "mlModelProperties")).items())
    for tag in (*find_texts(graph.aspect(model, "mlModelProperties"), "tags"), *find_tags(graph, model)):
        text = tag.removeprefix("urn:li:tag:")
        separator = "=" if "=" in text else ":"
        key, _, value = text.partition(separator)
        found.append((key, value))
    for row in find_rows(graph.aspect(model, "structuredProperties"), "properties"):
        key = str(row.get("propertyUrn", "")).rpartition(":")[2].rpartition(".")[2]
        values = row.get("values")
        for held in values if isinstance(values, (list, tuple)) else ():
            texts = held.values() if isinstance(held, Mapping) else (held,)
            found += [(key, str(text)) for text in texts]
    for key, value in found:
        if key.strip().lower() in wanted and value.strip():
            yield wanted[key.strip().lower()], value.strip().strip("\"'")
