"""Repair of an installation: which edges SQL proves, written to the catalog through a ledger, and kept there."""
