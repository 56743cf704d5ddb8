"""`tether doctor`: what is wrong with an installation, and how much of the graph a review can use. Nothing is changed."""
