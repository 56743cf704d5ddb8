"""edges/store"""
