"""Edges that SQL proves minus edges the catalog has; what cannot be proven is a refusal with a reason. Pure."""

from app.repair.connections import AspectRow, find_aspect_rows, find_connected, find_holders, find_own_fields
from app.repair.declared import find_declared, find_served
from app.repair.edge import ProvenEdge, Refusal
from app.repair.edges import Proofs, find_edges, find_missing, prove_edges
from app.repair.keeping import GONE, Keeping, KeptEdge, find_ends, plan_keeping

__all__ = [
    "GONE",
    "AspectRow",
    "Keeping",
    "KeptEdge",
    "Proofs",
    "ProvenEdge",
    "Refusal",
    "find_aspect_rows",
    "find_connected",
    "find_declared",
    "find_edges",
    "find_ends",
    "find_holders",
    "find_missing",
    "find_own_fields",
    "find_served",
    "plan_keeping",
    "prove_edges",
]
