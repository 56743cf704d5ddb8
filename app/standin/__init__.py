"""GitHub over local git repositories, and the demo over both stand-ins, with the data they start from."""
