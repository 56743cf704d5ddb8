"""Edges that SQL proves minus edges the catalog has; what cannot be proven is a refusal with a reason. Pure."""

from app.repair.connections import AspectRow, find_aspect_rows, find_connected, find_holders, find_own_fields
from app.repair.edge import ProvenEdge, Refusal
from app.repair.edges import Proofs, find_edges, find_missing, prove_edges

__all__ = [
    "AspectRow",
    "Proofs",
    "ProvenEdge",
    "Refusal",
    "find_aspect_rows",
    "find_connected",
    "find_edges",
    "find_holders",
    "find_missing",
    "find_own_fields",
    "prove_edges",
]
