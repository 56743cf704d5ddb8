"""The shell: a durable job fetches, lets the core decide, and performs what it planned."""
