"""The command line: load, check, one call, write. No arithmetic here."""

from analyzer.cli.app import app, main

__all__ = ["app", "main"]
