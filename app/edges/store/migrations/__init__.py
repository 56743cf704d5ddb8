"""Alembic scripts; `env.py` runs them."""
