"""sandbox/github"""
