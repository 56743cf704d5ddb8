"""sandbox/catalog"""
