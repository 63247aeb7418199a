"""Figures of questions whose own file would be too long with them: a DataFrame of records in, a matplotlib Figure out."""
