"""Who is behind it: from a lost column, past views and dashboards, to features, models and deployments. Pure."""

from app.trail.graph import Edge, GraphSlice, LineageGraph
from app.trail.trail import MissingEdge, Reader, Serving, SqlIndex, Step, Trail, Walk

__all__ = [
    "Edge",
    "GraphSlice",
    "LineageGraph",
    "MissingEdge",
    "Reader",
    "Serving",
    "SqlIndex",
    "Step",
    "Trail",
    "Walk",
]
