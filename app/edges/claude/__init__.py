"""Anthropic at the other end. Optional: nothing of Tether needs it."""

from app.edges.claude.advisor import DEFAULT_MODEL, ClaudeAdvisor
from app.edges.claude.key import probe_key

__all__ = ["DEFAULT_MODEL", "ClaudeAdvisor", "probe_key"]
