"""The trees of repositories as text, rendered and parsed, and kept by content: what every job reads before it decides."""
