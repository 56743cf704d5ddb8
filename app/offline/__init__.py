"""Judgements over trees on this machine: two trees, a column, merged history, the bench. Nothing is written anywhere."""
