"""Two trees -> removals: what does this change take away, and how surely. Pure."""

from app.change.removal import ParsedFile, Removal, RemovalReport

__all__ = ["ParsedFile", "Removal", "RemovalReport"]
