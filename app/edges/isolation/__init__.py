"""Child processes with limits: where SQL and templates of strangers are handled. Fulfils `app.ports.Isolation`."""

from app.edges.isolation.pool import ChildPool, Limits

__all__ = ["ChildPool", "Limits"]
