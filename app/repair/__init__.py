"""Edges that SQL proves minus edges the catalog has; what cannot be proven is a refusal with a reason. Pure."""

from app.repair.edge import ProvenEdge, Refusal
from app.repair.edges import find_edges

__all__ = ["ProvenEdge", "Refusal", "find_edges"]
