"""Measurements, run by hand: `.venv/bin/python -m tests.benchmarks.bench_reads`, `... .bench_index`, `... .bench_walk`."""
