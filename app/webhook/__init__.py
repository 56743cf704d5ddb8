"""The door in: a signed delivery becomes a stored job request, and only then a 202. Nothing is decided or fetched here."""

from app.webhook.intake import Ignored, find_request
from app.webhook.routes import create_router
from app.webhook.signature import is_signed

__all__ = ["Ignored", "create_router", "find_request", "is_signed"]
