"""The README says what is true: its table of rules is the generated one, its examples run."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from analyzer.analyses import questions
from analyzer.analyses.rules import records
from analyzer.cli import app
from analyzer.examples import text
from analyzer.systems import systems

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def rules_table():
    played = [record for record in records() if record["choices"] is None]
    rules = list(dict.fromkeys(record["rule"] for record in played))
    games = dict.fromkeys(record["system"] for record in played)
    values = {(record["system"], record["rule"]): record["value"] for record in played}
    rows = [f"| `{game}` | " + " | ".join(values[game, rule] for rule in rules) + " |" for game in games]
    return "\n".join(["| game | " + " | ".join(rules) + " |", "|---" * (len(rules) + 1) + "|", *rows])


def test_the_table_of_rules_is_the_games_own():
    shown = README.split("<!-- rules -->")[1].split("<!-- /rules -->")[0].strip()
    assert shown == rules_table(), f"README.md must hold, between its rules marks:\n{rules_table()}"


def test_every_game_is_listed():
    assert set(re.findall(r"^\| `(\w+)` \| [^|]+ \| [^|]+ \|$", README, flags=re.MULTILINE)) == set(systems())


@pytest.mark.parametrize("line", [line[2:] for line in README.splitlines() if line.startswith("$ analyzer ")])
def test_shown_output_is_the_output(line):
    result = CliRunner().invoke(app, shlex.split(line)[1:])
    assert result.exit_code == 0
    shown = README.split(f"$ {line}\n")[1].split("```")[0]
    squeezed = [" ".join(row.split()) for row in result.stdout.splitlines() if row.strip()]
    for row in shown.splitlines():
        assert " ".join(row.split()) in squeezed


def test_the_python_example_runs(tmp_path, monkeypatch):
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})  # our own text


def test_every_question_has_its_section():
    shown = README.split("<!-- questions -->")[1].split("<!-- /questions -->")[0]
    assert set(re.findall(r"^\*\*(\w+)\*\* - ", shown, flags=re.MULTILINE)) == set(questions())


@pytest.mark.parametrize("line", [line for line in re.findall(r"`(analyzer [^`]+)`", README) if line.split()[1] in questions()])
def test_the_commands_of_the_questions_run(line, tmp_path, monkeypatch):
    (tmp_path / "mine.toml").write_text(text("d20-builds"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, shlex.split(line)[1:])
    assert result.exit_code == 0, result.output
    assert result.stdout


def test_its_picture_is_there():
    for name in re.findall(r"!\[[^]]*\]\(([^)]+)\)", README):
        assert (Path(__file__).parent.parent / name).is_file()
