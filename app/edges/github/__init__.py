"""edges/github"""
