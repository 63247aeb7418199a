"""The command line as a stranger meets it: every command and option, what goes to stdout and what to stderr, exit codes, and refusals without a traceback."""

import csv
import io
import json
import os
import re
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from rich.console import Console
from typer.testing import CliRunner

import analyzer
from analyzer import examples, loads, playing, sample
from analyzer.analyses import compare as comparing
from analyzer.cli import app, tables
from analyzer.cli.output import progress
from analyzer.plan import Plan
from analyzer.systems import systems

BAD = Path(__file__).parent / "bad"
EXPECTED = json.loads((BAD / "expected.json").read_text(encoding="utf-8").replace("{systems}", ", ".join(systems())))
ISSUE = ("dpr", "+20/+15/+10/+5", "2d6+15", "--crit", "17-20/x2", "--extra", "5d6", "--dr", "5", "--ac", "28")
ROUND = ["dpr", "hits", "crits", "any_hit", "any_crit", "no_damage"]
ATTACK = ["hit_chance", "threat_chance", "crit_chance", "mean"]
PLOTS = {"png": b"\x89PNG\r\n", "svg": b"<?xml", "pdf": b"%PDF-"}


def run(*args, code=0):
    """What a command says; its exit code is checked, and a traceback never passes."""
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def records(command, *args):
    return json.loads(run(command, "--format", "json", *args).stdout)


def process(*args, code="from analyzer.cli import main; main()", **options):
    """The command line in an interpreter of its own."""
    options = {"capture_output": True, "text": True} | options
    return subprocess.run([sys.executable, "-c", code, *map(str, args)], check=False, **options)


def in_environment(**variables):
    return {"env": os.environ | variables}


def refusals(result):
    """The lines of a refusal, which says nothing else."""
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    lines = result.stderr.splitlines()
    assert all(line.startswith("error: ") for line in lines), result.stderr
    return [line.removeprefix("error: ") for line in lines]


def beside(name):
    return [name, f"{name}_mc", f"{name}_se", f"{name}_z"]


@pytest.fixture
def duel(tmp_path):
    file = tmp_path / "duel.toml"
    file.write_text(
        'system = "d20"\n[target]\nac = 18\n'
        '[[build]]\nname = "sword"\nattack = "+8/+3"\ndamage = "1d8+3"\ncritical = "19-20/x2"\n'
        '[[build]]\nname = "axe"\nattack = "+8/+3"\ndamage = "1d12+3"\ncritical = "x3"\n'
    )
    return file


# -- dpr -----------------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "figures"),
    [
        ([], {"dpr": 42.35, "sd": 31.412285017171225, "no_damage": 0.2223, "hits": 1.1, "crits": 0.2}),
        (["confirm_naturals=on"], {"dpr": 42.405, "sd": 31.489021234921438, "hits": 1.1, "crits": 0.2025}),
        (["ties=hit", "confirm_naturals=on"], {"dpr": 48.295, "sd": 32.68657280393077}),
    ],
)
def test_dpr_of_the_issue(rules, figures):
    (row,) = records(*ISSUE, *(part for rule in rules for part in ("--rule", rule)))
    assert {key: row[key] for key in figures} == pytest.approx(figures, rel=1e-12)
    assert row["system"] == "d20"
    assert row["ac"] == 28


@pytest.mark.parametrize(("rules", "last"), [([], 0.0), (["--rule", "confirm_naturals=on"], 0.0025)])
def test_dpr_of_the_issue_by_attack(rules, last):
    rows = records(*ISSUE, "--by", "attack", *rules)
    assert [row["attack"] for row in rows] == [1, 2, 3, 4]
    assert [row["bonus"] for row in rows] == [20, 15, 10, 5]
    assert [row["hit_chance"] for row in rows] == pytest.approx([0.6, 0.35, 0.1, 0.05], rel=1e-12)
    assert [row["threat_chance"] for row in rows] == pytest.approx([0.2, 0.2, 0.1, 0.05], rel=1e-12)
    assert [row["crit_chance"] for row in rows] == pytest.approx([0.12, 0.07, 0.01, last], rel=1e-12)
    assert sum(row["mean"] for row in rows) == pytest.approx(42.405 if last else 42.35, rel=1e-12)


@pytest.mark.parametrize("word", ["on", "true", "yes", "On", " on "])
def test_switches_written_in_several_ways(word):
    assert records(*ISSUE, "--rule", f"confirm_naturals={word}")[0]["dpr"] == pytest.approx(42.405, rel=1e-12)
    assert records(*ISSUE, "--rule", f"confirm_naturals={word}", "--rule", "confirm_naturals=off")[0]["dpr"] == pytest.approx(42.35, rel=1e-12)


@pytest.mark.parametrize(
    "args",
    [
        ("-1/-6", "1d8", "--ac", "10"),
        ("--ac", "10", "-1/-6", "1d8"),
        ("--ac=10", "-1/-6", "1d8"),
        ("--ac=10", "--", "-1/-6", "1d8"),
        ("--", "-1/-6", "1d8"),
        ("\N{MINUS SIGN}1/\N{MINUS SIGN}6", "1d8", "--ac", "10"),
        ("-1/\N{MINUS SIGN}6", "1d8", "--ac", "10"),
        ("- 1 / - 6", "1d8", "--ac", "10"),
        ("-1/-6", "--ac=10", "1d8"),
    ],
)
def test_negative_lists_as_written(args):
    (row,) = [row for row in records("dpr", *args) if row["ac"] == 10]
    assert row["hits"] == pytest.approx(0.45 + 0.2, rel=1e-12)
    assert row["build"] == "-1/-6 1d8"


@pytest.mark.parametrize(
    ("args", "dpr"),
    [
        (("+9", "-1d6+10"), 0.95 * 6.5),
        (("+9", "-d6+10"), 0.95 * 6.5),
        (("+9", "-1"), 0.95),
        (("-1", "-1"), 0.95 * 1.0),
        (("+9", "4", "--extra", "-1"), 0.95 * 4),
        (("+9", "4", "--extra=-1"), 0.95 * 4),
        (("16/11", "4", "--ac", "5"), 2 * 0.95 * 4),
        (("+9", "2\N{MULTIPLICATION SIGN}d6".replace("\N{MULTIPLICATION SIGN}", "")), 0.95 * 7),
    ],
)
def test_damage_and_extras_that_begin_with_a_minus(args, dpr):
    args = args if "--ac" in args else (*args, "--ac", "-20")
    assert records("dpr", *args, "--crit", "20/x1")[0]["dpr"] >= dpr - 1e-9
    assert records("dpr", *args, "--crit", "none", "--rule", "ties=hit")[0]["dpr"] == pytest.approx(dpr, rel=1e-12)


@pytest.mark.parametrize("ac", ["-5:-3", "\N{MINUS SIGN}5:-3", "-5,-4,-3", "-5:-4, -3"])
def test_negative_sweeps(ac):
    assert [row["ac"] for row in records("dpr", "+1", "1d8", "--ac", ac)] == [-5, -4, -3]
    assert [row["ac"] for row in records("dpr", "+1", "1d8", f"--ac={ac}")] == [-5, -4, -3]


def test_the_default_sweep_is_10_to_40():
    assert [row["ac"] for row in records("dpr", "+1", "1d8")] == list(range(10, 41))


def test_options_of_dpr():
    (plain,) = records("dpr", "+9", "2d6", "--ac", "15")
    (fog,) = records("dpr", "+9", "2d6", "--ac", "15", "--miss-chance", "50")
    assert fog["dpr"] == pytest.approx(plain["dpr"] / 2, rel=1e-12)
    (immune,) = records("dpr", "+9", "2d6", "--extra", "3d6 precision", "--ac", "15", "--immune", "critical", "--immune", "precision")
    assert immune["crits"] == 0
    assert immune["dpr"] == pytest.approx(0.7 * 7, rel=1e-12)
    extras = records("dpr", "+9", "2d6", "--extra", "1d6 fire", "--extra", "1d4", "--ac", "15")[0]
    assert extras["dpr"] == pytest.approx(plain["dpr"] + 0.7 * 6, rel=1e-12)
    (core,) = records("dpr", "+9", "2d6", "--ac", "15", "--system", "core")
    assert (core["system"], core["hits"]) == ("core", pytest.approx(0.75, rel=1e-12))


# -- records -------------------------------------------------------------------------------------------------------------------------------------------

SHAPES = {
    "round": ["system", "build", "ac", "dpr", "sd", *ROUND[1:]],
    "attack": ["system", "build", "ac", "attack", "bonus", *ATTACK],
}
COMPARED = {
    "round": ["system", "build", "ac", *beside("dpr"), "sd", *(key for name in ROUND[1:] for key in beside(name))],
    "attack": ["system", "build", "ac", "attack", "bonus", *(key for name in ATTACK for key in beside(name))],
}


@pytest.mark.parametrize("by", ["round", "attack"])
def test_keys_of_records(by, duel):
    for args, keys in (
        (("dpr", "+1", "1d8"), SHAPES),
        (("curve", duel), SHAPES),
        (("compare", duel, "--trials", "1000", "--seed", "1"), COMPARED),
    ):
        rows = records(*args, "--ac", "18:19", "--by", by)
        assert all(list(row) == keys[by] for row in rows)
        assert len(rows) == (1 if args[0] == "dpr" else 2) * 2 * (1 if by == "round" else len({row["attack"] for row in rows}))


def test_other_records(duel):
    assert all(list(row) == ["id", "name", "summary"] for row in records("systems"))
    assert [row["id"] for row in records("systems")] == list(systems())
    assert {"core", "d20", "starfinder"} <= set(systems())
    assert all(list(row) == ["name", "system", "summary"] for row in records("examples"))
    assert [row["name"] for row in records("examples")] == examples.names()
    assert all(list(row) == ["system", "build", "trial", "attack", "purpose", "sides", "face"] for row in records("trace", duel))


@pytest.mark.parametrize(
    "args",
    [
        ("dpr", "+1", "1d8"),
        ("curve", "starfinder-soldier"),
        ("curve", "starfinder-soldier", "--by", "attack"),
        ("compare", "core-duel", "--trials", "500", "--seed", "1", "--ac", "12:14"),
        ("trace", "core-duel"),
        ("systems",),
        ("examples",),
    ],
)
def test_json_and_csv_say_the_same_unrounded(args):
    rows = records(*args)
    assert isinstance(rows, list)
    assert rows
    read = list(csv.DictReader(io.StringIO(run(*args, "--format", "csv").stdout)))
    assert len(read) == len(rows)
    for row, line in zip(rows, read, strict=True):
        assert {key: "" if value is None else str(value) for key, value in row.items()} == {key: line[key] for key in row}
        assert all(line[key] == "" for key in line.keys() - row.keys())


def test_records_are_those_of_python():
    rows = records("curve", "d20-builds", "--ac", "20:24")
    assert rows == analyzer.curve(loads(examples.text("d20-builds")), "20:24").to_dict("records")


def test_what_is_not_an_answer_goes_to_stderr(duel, tmp_path):
    result = run("compare", duel, "--ac", "18", "--trials", "1000", "--seed", "7", "--format", "json", "--plot", tmp_path / "a.png")
    json.loads(result.stdout)
    assert "1,000 rounds per build and AC, seed 7" in result.stderr
    assert "The two engines agree: 14 figures compared, smallest p = " in result.stderr
    assert f"Wrote {tmp_path / 'a.png'}" in result.stderr
    verified = run("verify", duel, "--ac", "18", "--trials", "1000")
    assert verified.stdout == ""
    assert "The two engines agree: 30 figures compared" in verified.stderr


def test_tables_are_plain_text_off_a_terminal(duel):
    for args in (
        ("curve", duel),
        ("curve", duel, "--by", "attack"),
        ("compare", duel, "--trials", "100", "--ac", "18:20"),
        ("systems",),
        ("examples",),
        ("explain", duel),
    ):
        shown = run(*args).stdout
        assert "\x1b" not in shown
        assert max(map(len, shown.splitlines())) <= 140


def test_tables_show_the_figures_and_the_better_build(duel):
    rows = {row["build"]: row for row in records("curve", duel, "--ac", "18")}
    shown = run("curve", duel, "--ac", "18").stdout
    assert f"{rows['axe']['dpr']:.3f}" in shown
    assert f"{rows['sword']['dpr']:.3f}" in shown
    assert "* axe" in shown
    assert "sword *" not in shown
    compared = run("compare", duel, "--ac", "18", "--trials", "1000").stdout
    assert "±" in compared
    assert "worst z" in compared


def test_a_narrow_table_says_what_it_left_out(duel):
    rows = records("curve", duel, "--ac", "18:20")

    def shown(width):
        screen = Console(width=width, file=io.StringIO())
        screen.print(tables.rounds(rows, screen))
        return screen.file.getvalue()

    assert "no damage" in shown(140)
    assert "more figures" not in shown(140)
    assert "no damage" not in shown(60)
    assert "DPR" in shown(60)
    assert "more figures: a wider terminal, or --format csv" in " ".join(shown(60).split())


@pytest.mark.parametrize("name", ["[bold]x[/bold]", "[/]", "spear [two hands]", ":smile:", "_x", "$x$", "café", "a,b", 'quote"d'])
def test_any_build_name_is_shown_as_it_is(name, tmp_path):
    file = tmp_path / "b.toml"
    file.write_text(f"system = 'starfinder'\n[[build]]\nname = '{name}'\nattack = '+5'\ndamage = '1d6'\n", encoding="utf-8")
    for args in (("curve", "--ac", "15"), ("curve", "--ac", "15", "--by", "attack"), ("explain",), ("trace",), ("compare", "--trials", "100", "--ac", "15")):
        assert name in run(args[0], file, *args[1:]).stdout
    assert records("curve", file, "--ac", "15")[0]["build"] == name
    assert next(csv.DictReader(io.StringIO(run("curve", file, "--ac", "15", "--format", "csv").stdout)))["build"] == name


# -- compare and verify --------------------------------------------------------------------------------------------------------------------------------


def test_compare_without_a_file_plays_an_example():
    result = run("compare", "--ac", "24", "--trials", "1000", "--seed", "1", "--format", "json")
    assert "No build file given: playing the example 'd20-builds'" in result.stderr
    assert result.stdout == run("compare", "d20-builds", "--ac", "24", "--trials", "1000", "--seed", "1", "--format", "json").stdout


@pytest.mark.parametrize("name", examples.names())
def test_an_example_printed_into_a_file_plays_like_the_example(name, tmp_path):
    file = tmp_path / "my.toml"
    file.write_text(run("examples", name).stdout, encoding="utf-8")
    args = ("--ac", "15:17", "--trials", "1000", "--seed", "3", "--format", "csv")
    assert run("compare", file, *args).stdout == run("compare", name, *args).stdout
    assert run("explain", file).stdout == run("explain", name).stdout


def test_a_file_of_an_examples_name_is_the_file(duel, monkeypatch):
    monkeypatch.chdir(duel.parent)
    duel.rename(duel.parent / "d20-rogue")
    assert {row["build"] for row in records("curve", "d20-rogue", "--ac", "18")} == {"sword", "axe"}


def test_line_ends_and_marks_of_other_systems_are_read(duel):
    plain = run("curve", duel).stdout
    duel.write_bytes(b"\xef\xbb\xbf" + duel.read_bytes().replace(b"\n", b"\r\n"))
    assert run("curve", duel).stdout == plain


def test_the_seed_drawn_is_told_and_repeats_the_run(duel):
    first = run("compare", duel, "--ac", "18", "--trials", "1000", "--format", "csv")
    (seed,) = re.findall(r"seed (\d+)", first.stderr)
    assert run("compare", duel, "--ac", "18", "--trials", "1000", "--format", "csv", "--seed", seed).stdout == first.stdout


def test_workers_change_nothing(duel):
    args = ("compare", duel, "--ac", "17:18", "--trials", "3e5", "--seed", "1", "--format", "csv")
    one = run(*args, "--workers", "1").stdout
    assert run(*args, "--workers", "2").stdout == one
    assert run(*args).stdout == one


@pytest.mark.parametrize("trials", ["2000", "2_000", "2e3", "2E3", "2,000", " 2000 "])
def test_trials_as_people_write_them(trials, duel):
    assert "2,000 rounds per build and AC" in run("compare", duel, "--ac", "18", "--trials", trials).stderr


def test_a_precision(duel):
    asked = ("--ac", "18", "--precision", "1%", "--of", "dpr", "--of", "any_crit", "--confidence", "95%", "--seed", 3)
    rows = records("compare", duel, *asked)
    assert rows == records("compare", duel, *asked, "--workers", 3)
    for row in rows:
        assert (row["any_crit_high"] - row["any_crit_low"]) / 2 <= 0.01 * row["any_crit_mc"]
    shown = run("compare", duel, *asked)
    few, many = sorted(row["trials"] for row in rows)
    for number in (few, many):
        assert f"{number:,}" in shown.stdout
    assert f"{few:,} to {many:,} rounds per build and AC, seed 3, \N{PLUS-MINUS SIGN}1 % of dpr, any_crit at 95 % confidence" in shown.stderr
    by_attack = run("compare", duel, "--ac", "18", "--precision", "5%", "--of", "crit_chance", "--by", "attack", "--seed", 3)
    assert "rounds" in by_attack.stdout


def test_a_precision_not_reached_is_told(duel):
    shown = run("verify", duel, "--ac", "18", "--precision", "1e-6", "--trials", "1e5", "--seed", 3)
    assert "The precision was not reached within 100,000 rounds" in shown.stderr or "100,000 rounds per build and AC" in shown.stderr


def test_an_interrupt_without_an_answer_is_130(duel, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(playing, "evaluate", stop)
    shown = run("compare", duel, code=130)
    assert shown.stdout == ""
    assert "Interrupted" in shown.stderr


def test_an_interrupted_command_shows_what_it_has(duel, monkeypatch):
    def stop_soon(*args, **options):
        done = []

        def advance(rounds):
            done.append(rounds)
            if len(done) == 6:
                raise KeyboardInterrupt

        return comparison(*args, **options | {"progress": advance})

    comparison = comparing.comparison
    monkeypatch.setattr(comparing, "comparison", stop_soon)
    for command in ("compare", "verify"):
        shown = run(command, duel, "--ac", "18", "--trials", "1e9", code=130)
        assert "partial answer, " in shown.stderr
        assert "The two engines agree" in shown.stderr


def test_nobody_at_the_address(duel):
    """A port that nothing listens on, and one where something else does."""
    pytest.importorskip("distributed")
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        start = time.monotonic()
        done = process("compare", duel, "--scheduler", address)
        assert time.monotonic() - start < 30
    assert done.returncode == 2
    (line,) = refusals(done)
    assert line.startswith(f"--scheduler must be the address of a running Dask scheduler such as tcp://10.0.0.1:8786; got {address!r}: ")


def test_a_cluster_without_dask_names_the_extra(duel, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    (line,) = refusals(run("compare", duel, "--scheduler", "tcp://127.0.0.1:8786", code=2))
    assert "pip install 'attack-analyzer[cluster]'" in line


def test_a_single_trial(duel):
    result = run("compare", duel, "--ac", "18", "--trials", "1", "--format", "json")
    assert all(row["dpr_se"] is None for row in json.loads(result.stdout))


def test_a_seed_of_any_size(duel):
    big = str(10**60)
    assert f"seed {big}" in run("verify", duel, "--ac", "18", "--trials", "100", "--seed", big).stderr


def test_rules_hold_for_every_build_of_a_file(duel):
    plain, ties = (records("curve", duel, "--ac", "18", *rule) for rule in ((), ("--rule", "ties=hit")))
    assert all(b["hits"] == pytest.approx(a["hits"] + 0.1, rel=1e-12) for a, b in zip(plain, ties, strict=True))
    for command in ("compare", "verify"):
        assert run(command, duel, "--ac", "18", "--trials", "1000", "--rule", "ties=hit").exit_code == 0
    assert run("explain", duel, "--rule", "ties=hit").stdout != run("explain", duel).stdout


def test_disagreement_is_exit_1_with_the_answer_and_the_picture(duel, tmp_path, monkeypatch):
    whole = playing.evaluate
    monkeypatch.setattr(playing, "evaluate", lambda plan, target, acs: whole(Plan(turns=plan.turns * 2), target, acs))
    picture = tmp_path / "a.svg"
    result = run("compare", duel, "--ac", "18:19", "--trials", "1e5", "--format", "json", "--plot", picture, code=1)
    assert len(json.loads(result.stdout)) == 4
    assert picture.exists()
    assert "The two engines DISAGREE" in result.stderr
    assert "disagrees: any_hit of sword, AC 18" in result.stderr


@pytest.mark.parametrize("name", examples.names())
def test_verify_every_example(name):
    result = run("verify", name, "--trials", "2e5", "--ac", "15:25", "--seed", "11")
    assert "The two engines agree" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", examples.names())
def test_verify_every_example_whole(name):
    result = run("verify", name, "--seed", "11")
    assert "10,000,000 rounds per build and AC" in result.stderr
    assert "The two engines agree" in result.stderr


# -- trace and explain ---------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", examples.names())
def test_trace_is_the_sample_die_by_die(name):
    scenario = loads(examples.text(name))
    for build in scenario.builds:
        rows = sample(build, target=scenario.target, trials=12, seed=6)
        for trial in (0, 11):
            row = rows.iloc[trial]
            dice = [column for column in rows if column.startswith("dice_")]
            told = [(k, *map(int, re.findall(r"\d+", die))) for k, column in enumerate(dice, 1) for die in re.findall(r"d\d+=\d+", row[column])]
            found = records("trace", name, "--trial", trial, "--seed", "6", "--build", build.name)
            assert [(die["attack"], die["sides"], die["face"]) for die in found] == told
            text = run("trace", name, "--trial", trial, "--seed", "6", "--build", build.name).stdout
            assert text.startswith(f"{build.name}: round {trial} of seed 6\n")
            assert text.endswith(f"  {row['total']} damage in the round\n")
            assert [int(n) for n in re.findall(r"(\d+) damage$", text, re.MULTILINE)] == [
                row[f"damage_{k}"] for k in range(1, len(dice) + 1) if row[f"degree_{k}"] >= 0
            ]


def test_trace_of_several_builds_is_one_array(duel):
    rows = records("trace", duel, "--seed", "5")
    assert list(dict.fromkeys(row["build"] for row in rows)) == ["sword", "axe"]


@pytest.mark.parametrize("ac", ["-5", "\N{MINUS SIGN}5"])
def test_trace_and_explain_at_an_armor_class(ac, duel):
    assert "against -5: " in run("trace", duel, "--ac", ac).stdout
    assert "-5" in run("explain", duel, "--ac", ac).stdout
    assert "against 18: " in run("trace", duel).stdout


def test_trace_is_of_seed_0_if_nothing_is_said(duel):
    assert run("trace", duel).stdout == run("trace", duel, "--seed", "0", "--trial", "0").stdout != run("trace", duel, "--trial", "1").stdout


def test_trace_far_out(duel):
    assert "round 1000000000000 of seed 0" in run("trace", duel, "--trial", "1e12").stdout


@pytest.mark.parametrize("name", examples.names())
def test_explain_mentions_every_attack_and_the_target(name):
    scenario = loads(examples.text(name))
    for build in scenario.builds:
        shown = run("explain", name, "--build", build.name).stdout
        derived = build.derive(scenario.target)
        for step in derived.plan.steps:
            for attack in step.variants:
                assert re.sub(r"\s", "", attack.label) in re.sub(r"\s", "", shown)
                assert f"{attack.bonus:+d}" in shown
        for defence in {attack.defence for step in derived.plan.steps for attack in step.variants}:
            assert f" {derived.target.ac[defence]} " in shown
        assert shown.startswith(build.name)


def test_schema_is_json_and_the_packages():
    assert json.loads(run("schema").stdout) == json.loads(json.dumps(analyzer.schema()))


# -- refusals ------------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["explain", "compare"])
@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_malformed_files(name, command, monkeypatch):
    monkeypatch.chdir(BAD)
    assert refusals(run(command, f"{name}.toml", code=2)) == EXPECTED[name]


def test_every_command_that_reads_a_file_refuses_a_malformed_one():
    for command in ("compare", "curve", "verify", "trace", "explain"):
        assert refusals(run(command, BAD / "unknown-keys.toml", code=2)) == EXPECTED["unknown-keys"]


ONE = ("dpr", "+5", "1d8")
REFUSED = [
    ((*ONE, "--ac", "40:10"), "ac must be a range from low to high; got '40:10'"),
    ((*ONE, "--ac", "x"), "ac must be a number such as 28 or a range such as 10:40; got 'x'"),
    ((*ONE, "--ac", ""), "ac must be a number such as 28 or a range such as 10:40; got ''"),
    ((*ONE, "--ac", "1.5"), "ac must be a number such as 28 or a range such as 10:40; got '1.5'"),
    ((*ONE, "--ac", "99999"), "ac must be -1000 to 1000; got '99999'"),
    ((*ONE, "--ac", "1:9999999999999"), "ac must be -1000 to 1000; got '1:9999999999999'"),
    ((*ONE, "--by", "foo"), "--by must be round or attack; got 'foo'"),
    ((*ONE, "--format", "xml"), "--format must be one of table, json, csv; got 'xml'"),
    ((*ONE, "--plot", "foo.bmp"), "--plot must be a file ending in .png, .svg, .pdf; got 'foo.bmp'"),
    ((*ONE, "--plot", "foo"), "--plot must be a file ending in .png, .svg, .pdf; got 'foo'"),
    ((*ONE, "--plot", "missing/dir/x.png"), f"--plot must be in a folder that exists; got {str(Path('missing/dir/x.png'))!r}"),
    ((*ONE, "--rule", "nonsense"), "--rule must be KEY=VALUE such as ties=hit; got 'nonsense'"),
    ((*ONE, "--rule", "ties="), "--rule must be KEY=VALUE such as ties=hit; got 'ties='"),
    ((*ONE, "--rule", "ties=maybe"), "ties must be 'miss' or 'hit'; got 'maybe'"),
    ((*ONE, "--rule", "tie=hit"), "tie must be a known key; did you mean 'ties'?"),
    ((*ONE, "--rule", "confirm_naturals=perhaps"), "confirm_naturals must be "),
    ((*ONE, "--system", "nope"), f"system must be one of {', '.join(systems())}; got 'nope'"),
    ((*ONE, "--system", "d21"), f"system must be one of {', '.join(systems())}; got 'd21'; did you mean 'd20'?"),
    ((*ONE, "--extra", "5x6"), "extra[0] must be dice"),
    ((*ONE, "--extra", ""), "extra[0] must be "),
    ((*ONE, "--crit", "17-19"), "critical must be a range"),
    ((*ONE, "--crit", "x3", "--system", "core"), "critical must be a known key"),
    ((*ONE, "--dr", "x"), "--dr must be a whole number from 0 to 10000; got 'x'"),
    ((*ONE, "--dr", "-2"), "--dr must be a whole number from 0 to 10000; got '-2'"),
    ((*ONE, "--miss-chance", "101"), "--miss-chance must be a whole number from 0 to 100; got '101'"),
    ((*ONE, "--immune", "fire"), "immune[0] must be 'critical' or 'precision'; got 'fire'"),
    (("dpr", "", "1d8"), "attack must be attack bonuses such as '+20/+15'; got ''"),
    (("dpr", "+5", ""), "damage must be "),
    (("dpr", "+5", "99999999d99999999"), "damage must be 0 to 1000 dice of 1 to 1000 sides a term such as '2d6'; got '99999999d99999999'"),
    (("dpr", "+5", "1d6/1d8"), "damage must be "),
    (("dpr", "1d8", "+5"), "attack must be "),
    (("compare", "--trials", "0"), "--trials must be a whole number from 1 to 1099511627776; got '0'"),
    (("compare", "--trials", "1.5"), "--trials must be a whole number from 1 to 1099511627776; got '1.5'"),
    (("verify", "--trials", "-5"), "--trials must be a whole number from 1 to 1099511627776; got '-5'"),
    (("verify", "--trials", "1e99"), "--trials must be a whole number from 1 to 1099511627776; got '1e99'"),
    (("compare", "--seed", "-1"), "--seed must be a whole number from 0 such as 1000000 or 1e6; got '-1'"),
    (("compare", "--seed", "0x1"), "--seed must be a whole number from 0 such as 1000000 or 1e6; got '0x1'"),
    (("compare", "--workers", "0"), "--workers must be a whole number from 1 to 1024; got '0'"),
    (("verify", "--workers", "many"), "--workers must be a whole number from 1 to 1024; got 'many'"),
    (("compare", "--precision", "0"), "precision must be a half-width above 0 such as 0.05, or a relative one such as '0.1%'; got '0'"),
    (("verify", "--precision", "some"), "precision must be a half-width above 0 such as 0.05, or a relative one such as '0.1%'; got 'some'"),
    (("compare", "--precision", "1%", "--confidence", "2"), "confidence must be 0.5 to 0.999999, or a percentage such as '99%'; got '2'"),
    (("compare", "--precision", "1%", "--of", "luck"), "of must be figures of every build: dpr, hits, crits, "),
    (("compare", "--of", "hits"), "precision must be given where confidence or of are; got confidence 0.99 of ['hits'] alone"),
    (("compare", "--scheduler", "here"), "--scheduler must be the address of a running Dask scheduler such as tcp://10.0.0.1:8786; got 'here'"),
    (("compare", "--by", "foo"), "--by must be round or attack; got 'foo'"),
    (("compare", "--format", "xml"), "--format must be one of table, json, csv; got 'xml'"),
    (("compare", "--ac", "40:10"), "ac must be a range from low to high; got '40:10'"),
    (("compare", "--rule", "ap_reset=own turn"), "ap_reset must be a switch of d20: "),
    (("curve", "no-such-example"), "FILE must be a build file, or an example: core-armoury, core-duel, "),
    (("compare", ""), "FILE must be a build file, or an example: core-armoury, core-duel, "),
    (("curve", "no-such-file.toml"), "file must exist; got no such file"),
    (("explain", "."), "file must be a build file; got a directory"),
    (("trace", "--build", "unknown"), "--build must be one of 'falchion', 'greatsword'; got 'unknown'"),
    (("explain", "--build", "unknown"), "--build must be one of 'falchion', 'greatsword'; got 'unknown'"),
    (("trace", "--trial", "-1"), "--trial must be a whole number from 0 to 1099511627775; got '-1'"),
    (("trace", "--trial", "1e13"), "--trial must be a whole number from 0 to 1099511627775; got '1e13'"),
    (("trace", "--seed", "x"), "--seed must be a whole number from 0 such as 1000000 or 1e6; got 'x'"),
    (("trace", "--ac", "10:20"), "--ac must be one armor class such as 28; got '10:20'"),
    (("explain", "--ac", "x"), "ac must be a number such as 28 or a range such as 10:40; got 'x'"),
    (("explain", "--ac", "2000"), "ac must be -1000 to 1000; got '2000'"),
    (("trace", "--format", "xml"), "--format must be one of table, json, csv; got 'xml'"),
    (("examples", "no-such-example"), "example must be one of core-armoury, core-duel, "),
    (("examples", "--format", "xml"), "--format must be one of table, json, csv; got 'xml'"),
    (("systems", "--format", "xml"), "--format must be one of table, json, csv; got 'xml'"),
]


@pytest.mark.parametrize(("args", "message"), REFUSED, ids=[" ".join(args) for args, _ in REFUSED])
def test_refused_in_a_line(args, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (line,) = refusals(run(*args, code=2))
    assert message in line
    assert re.search(r" must .+; (got|did you mean|known:) ", line)
    assert list(tmp_path.iterdir()) == []


def test_several_things_wrong_are_told_at_once():
    lines = refusals(run("dpr", "+5/x", "2d6++3", "--extra", "5x6", code=2))
    assert [line.split(":")[0] for line in lines] == ["extra[0]", "attack", "damage"]


@pytest.mark.parametrize(
    "args", [("dpr", "+5"), ("dpr",), (*ONE, "--nonsense"), (*ONE, "more"), ("nonsense",), ("compare", "--trials"), ("curve", "-x"), ("--nonsense",)]
)
def test_misuse_is_exit_2_with_the_usage(args):
    result = run(*args, code=2)
    assert result.stdout == ""
    assert "Error" in result.stderr
    assert "Traceback" not in result.stderr


def test_help_names_every_command_and_option():
    shown = run("--help").stdout
    for command in ("compare", "curve", "dpr", "verify", "trace", "explain", "examples", "systems", "schema"):
        assert command in shown
        assert run(command, "--help").stdout == run(command, "-h").stdout
    options = run("compare", "--help").stdout
    simulating = ("--trials", "--precision", "--confidence", "--of", "--seed", "--workers", "--scheduler")
    for option in ("--ac", *simulating, "--format", "--plot", "--by", "--rule"):
        assert option in options
    assert all(option in run("verify", "--help").stdout for option in simulating)


# -- pictures ------------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", PLOTS)
@pytest.mark.parametrize(
    "args", [("dpr", "+5", "1d8"), ("curve", "d20-builds", "--ac", "24"), ("compare", "core-duel", "--trials", "500", "--ac", "12:14", "--by", "attack")]
)
def test_pictures(ending, args, tmp_path):
    picture = tmp_path / f"a b.{ending.upper() if ending == 'pdf' else ending}"
    run(*args, "--plot", picture)
    assert list(tmp_path.iterdir()) == [picture]
    assert picture.read_bytes().startswith(PLOTS[ending])
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(picture.stat().st_mode) == 0o666 & ~mask


def test_a_picture_replaces_another(tmp_path):
    picture = tmp_path / "a.svg"
    picture.write_text("old")
    run(*ONE, "--plot", picture)
    assert picture.read_bytes().startswith(PLOTS["svg"])


@pytest.mark.parametrize("old", [None, "old"])
@pytest.mark.parametrize("ending", PLOTS)
def test_a_picture_that_fails_leaves_nothing(ending, old, tmp_path, monkeypatch):
    picture = tmp_path / f"a.{ending}"
    if old is not None:
        picture.write_text(old)

    def full(_figure, name, **_):
        Path(name).write_text("half a picture")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", full)
    result = run(*ONE, "--format", "json", "--plot", picture, code=2)
    json.loads(result.stdout)
    assert result.stderr == f"error: --plot must be a file that can be written; got {str(picture)!r}: No space left on device\n"
    assert [p.name for p in tmp_path.iterdir()] == ([] if old is None else [picture.name])
    assert old is None or picture.read_text() == old


def test_an_interrupted_picture_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(_figure, name, **_):
        Path(name).write_text("half a picture")
        raise KeyboardInterrupt

    monkeypatch.setattr(Figure, "savefig", interrupted)
    result = CliRunner().invoke(app, [*ONE, "--plot", str(tmp_path / "a.png")])
    assert result.exit_code == 130
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_picture(tmp_path):
    folder = tmp_path / "a.png"
    folder.mkdir()
    (line,) = refusals(run(*ONE, "--plot", folder, code=2))
    assert line == f"--plot must be a file; got the folder {str(folder)!r}"


# -- as a program --------------------------------------------------------------------------------------------------------------------------------------


def test_dpr_imports_nothing_heavy():
    code = (
        "import sys\nfrom analyzer.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "print([m for m in ('pandas', 'matplotlib', 'scipy', 'numba') if m in sys.modules], file=sys.stderr)"
    )
    for form in ("json", "csv", "table"):
        result = process(*ISSUE, "--format", form, code=code)
        assert result.stderr == "[]\n"
    assert json.loads(process(*ISSUE, "--format", "json", code=code).stdout)[0]["dpr"] == pytest.approx(42.35, rel=1e-12)


def test_importing_the_command_line_is_light():
    code = "import sys, analyzer.cli; print([m for m in ('numba', 'pandas', 'matplotlib', 'scipy') if m in sys.modules])"
    assert process(code=code).stdout == "[]\n"


def test_exit_codes_of_the_process(tmp_path):
    assert process(*ISSUE).returncode == 0
    bad = process("compare", BAD / "many-builds-wrong.toml")
    assert bad.returncode == 2
    assert bad.stdout == ""
    assert bad.stderr == "".join(f"error: {line}\n" for line in EXPECTED["many-builds-wrong"])


@pytest.mark.parametrize(
    "args",
    [(*ONE, "--ac=-1000:1000", "--format", "json"), (*ONE, "--format", "csv"), ONE, ("schema",), ("examples", "d20-rogue"), ("explain",)],
)
def test_a_reader_that_has_left_gets_no_traceback(args):
    """As in ``analyzer curve | head -1``: quiet, and neither of the exit codes that mean something else."""
    read, write = os.pipe()
    os.close(read)
    try:
        result = process(*args, stdout=write, stderr=subprocess.PIPE, capture_output=False)
    finally:
        os.close(write)
    assert result.stderr == ""
    assert result.returncode == 141


@pytest.fixture
def accented(tmp_path):
    file = tmp_path / "b.toml"
    file.write_text("system = 'd20'\n[[build]]\nname = 'épée \N{CROSSED SWORDS} 😀'\nattack = '+5'\ndamage = '1d6'\n", encoding="utf-8")
    return file


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_stdout_that_is_not_utf_8(encoding, accented):
    for args in (("curve", accented), ("explain", accented), ("compare", BAD / "bad-notation.toml")):
        result = process(*args, **in_environment(PYTHONIOENCODING=encoding), encoding=encoding)
        assert result.returncode == (2 if args[0] == "compare" else 0)
        assert "Traceback" not in result.stderr
    result = process("curve", accented, "--ac", "15", "--format", "json", **in_environment(PYTHONIOENCODING=encoding), encoding=encoding)
    assert json.loads(result.stdout)[0]["build"] == "épée \N{CROSSED SWORDS} 😀"


def test_utf_8_is_written_as_it_is(accented):
    result = process("curve", accented, "--ac", "15", "--format", "json", **in_environment(PYTHONIOENCODING="utf-8"), encoding="utf-8")
    assert "épée \N{CROSSED SWORDS} 😀" in result.stdout


# -- progress ------------------------------------------------------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_for_terminals_only(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress(10) as advance:
        assert advance is None
    assert sys.stderr.getvalue() == ""
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with progress(10) as advance:
        advance(5)
    assert "simulating" in sys.stderr.getvalue()
