"""Referees: plain-Python third readings of the rule texts, and the harness that plays them."""
