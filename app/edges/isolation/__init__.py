"""Child processes with limits: where SQL and templates of strangers are handled. Fulfils `app.ports.Isolation`."""

from app.edges.isolation.pool import ChildLimits, ChildPool

__all__ = ["ChildLimits", "ChildPool"]
