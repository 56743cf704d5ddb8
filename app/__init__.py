"""Tether: webhook -> durable job -> removals -> reads -> trails -> verdict -> effects."""
