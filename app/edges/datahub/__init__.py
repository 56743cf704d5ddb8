"""edges/datahub"""
