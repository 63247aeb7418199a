"""The commands by name: what each answers, in a line, and the module that has it.

So the list of commands is shown, and one of them run, without importing the others; a test holds these lines equal to the commands' own.
"""

from __future__ import annotations

from typing import NamedTuple

from analyzer import analyses


class Entry(NamedTuple):
    """A command: the first paragraph of its help, and the module whose ``app_of``, given the command's name, returns a Typer that has it."""

    help: str
    module: str = "analyzer.cli.commands"


#: Every command but the questions that are made of one file, in the order it is listed.
COMMANDS = {
    "compare": Entry("Compare builds at every AC: exact figures beside simulated ones, with errors and a verdict. Without FILE, an example."),
    "curve": Entry("Show the exact figures of builds at every AC, without a simulation."),
    "dpr": Entry("Answer in one line: exact DPR, hits and criticals of a list of attacks."),
    "verify": Entry("Hold the engines against each other: every figure of every round and attack. Exits with 1 when they disagree."),
    "trace": Entry("Show one simulated round die by die, like a game's combat log."),
    "explain": Entry("Show how every bonus, armor class and damage was derived, each line with its rule; of a build with rounds, in each of them."),
    "examples": Entry("List the build files that come with the package, or print one, or a table of creatures (NAME.csv)."),
    "systems": Entry("List the games, or with --rules what each of them does."),
    "schema": Entry("Print the JSON Schema of build files, for editors."),
}

#: Where the questions stand in the list: before this command.
_AFTER_QUESTIONS = "trace"


def entries() -> dict[str, Entry]:
    """Every command in the order it is listed, those of the questions too."""
    made = {name: Entry(summary, "analyzer.cli.questions") for name, summary in analyses.questions().items()}
    place = list(COMMANDS).index(_AFTER_QUESTIONS)
    listed = list(COMMANDS.items())
    return dict([*listed[:place], *made.items(), *listed[place:]])
