"""Who is behind it: from a lost column, past views and dashboards, to features, models and deployments. Pure."""

from app.trail.aspects import find_strange
from app.trail.graph import Edge, GraphSlice, LineageGraph
from app.trail.models import find_features, find_model_name
from app.trail.naming import Named, Naming, split_relation
from app.trail.owner import find_owner
from app.trail.serving import WITHOUT_STATUS, decide_serving, find_sharers
from app.trail.trail import (
    Effect,
    MissingEdge,
    OpaqueFile,
    OpenQuestion,
    Reader,
    Serving,
    SqlIndex,
    Step,
    Trail,
    Walk,
    Witness,
)
from app.trail.training import find_last_trained
from app.trail.walk import next_frontier, walk

__all__ = [
    "WITHOUT_STATUS",
    "Edge",
    "Effect",
    "GraphSlice",
    "LineageGraph",
    "MissingEdge",
    "Named",
    "Naming",
    "OpaqueFile",
    "OpenQuestion",
    "Reader",
    "Serving",
    "SqlIndex",
    "Step",
    "Trail",
    "Walk",
    "Witness",
    "decide_serving",
    "find_features",
    "find_last_trained",
    "find_model_name",
    "find_owner",
    "find_sharers",
    "find_strange",
    "next_frontier",
    "split_relation",
    "walk",
]
