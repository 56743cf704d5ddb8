"""Merged history of real repositories, judged commit by commit: how much is unassessable, how many blocks are false."""
