"""Who is behind it: from a lost column, past views and dashboards, to features, models and deployments. Pure."""

from app.change import FeastView, find_feast_views
from app.trail.aspects import FineEdge, find_fine_edges, find_paths, find_tags
from app.trail.binding import Unbound
from app.trail.features import find_feature_sources, find_near_sources, find_unbound
from app.trail.graph import Edge, GraphSlice, LineageGraph
from app.trail.listing import TRAINED_ON, ModelListing, find_without_inputs
from app.trail.models import find_features, find_model_name, matches_model
from app.trail.naming import Named, Naming, split_relation
from app.trail.owner import find_owner
from app.trail.proof import Proof, find_proofs, is_rejected
from app.trail.readers import Found, find_readers, find_unread
from app.trail.serving import WITHOUT_STATUS, decide_serving, find_serving_frontier, find_sharers
from app.trail.silence import find_silences, listen
from app.trail.told import find_lacking, find_told, tell_behind
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
from app.trail.training import RUN_EVENTS, Trained, find_last_trained, find_training_runs, is_success
from app.trail.urns import bare, field_urn, find_path, find_title, find_type, parse_dataset, parse_feature
from app.trail.walk import next_frontier, walk

__all__ = [
    "RUN_EVENTS",
    "TRAINED_ON",
    "WITHOUT_STATUS",
    "Edge",
    "Effect",
    "FeastView",
    "FineEdge",
    "Found",
    "GraphSlice",
    "LineageGraph",
    "MissingEdge",
    "ModelListing",
    "Named",
    "Naming",
    "OpaqueFile",
    "OpenQuestion",
    "Proof",
    "Reader",
    "Serving",
    "SqlIndex",
    "Step",
    "Trail",
    "Trained",
    "Unbound",
    "Walk",
    "Witness",
    "bare",
    "decide_serving",
    "field_urn",
    "find_feast_views",
    "find_feature_sources",
    "find_features",
    "find_fine_edges",
    "find_lacking",
    "find_last_trained",
    "find_model_name",
    "find_near_sources",
    "find_owner",
    "find_path",
    "find_paths",
    "find_proofs",
    "find_readers",
    "find_serving_frontier",
    "find_sharers",
    "find_silences",
    "find_tags",
    "find_title",
    "find_told",
    "find_training_runs",
    "find_type",
    "find_unbound",
    "find_unread",
    "find_without_inputs",
    "is_rejected",
    "is_success",
    "listen",
    "matches_model",
    "next_frontier",
    "parse_dataset",
    "parse_feature",
    "split_relation",
    "tell_behind",
    "walk",
]
