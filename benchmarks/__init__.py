"""How fast the engines are, beside what people use instead; run by `python -m pytest benchmarks` or `python -m benchmarks.report`."""
