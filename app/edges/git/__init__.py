"""edges/git"""
