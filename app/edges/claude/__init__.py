"""Anthropic at the other end. Optional: nothing of Tether needs it."""

from app.edges.claude.key import probe_key

__all__ = ["probe_key"]
