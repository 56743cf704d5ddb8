"""edges/isolation"""
