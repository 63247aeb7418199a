"""The questions: one file each, one function, one tidy DataFrame, one figure."""
