"""Edges that SQL proves minus edges the catalog has; what cannot be proven is a refusal with a reason. Pure."""

from app.repair.edge import ProvenEdge, Refusal

__all__ = ["ProvenEdge", "Refusal"]
