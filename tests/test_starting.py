"""Starting: a command imports what it needs and no more, and what is put off until it is needed is the same as ever."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pkgutil import iter_modules
from threading import Barrier
from typing import Annotated

import numba
import numpy as np
import pytest
import typer
from pydantic import Field
from typer.main import get_command, get_command_name
from typer.testing import CliRunner

import analyzer.systems
from analyzer.cli.app import Checked, app, whole
from analyzer.cli.index import COMMANDS
from analyzer.montecarlo import kernel, record, simulate, warm
from analyzer.montecarlo.lower import lower
from analyzer.montecarlo.simulate import program_of
from analyzer.rulekit.models import Model
from tests.plans import CASES

ROUND = CASES["reroll_ones"][0]
COMMAND_LINE = "from analyzer.cli import main; main()"


def process(code, *args, **variables):
    """What a new interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, check=False, env=os.environ | variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def imported(*args):
    """The modules a command brings along."""
    ending = "import atexit, json, sys; atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))\n"
    done = subprocess.run([sys.executable, "-c", ending + COMMAND_LINE, *args], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


# -- the list of commands ------------------------------------------------------------------------------------------------------------------------------


LISTED = get_command(app).commands


def named(registered):
    return registered.name or get_command_name(registered.callback.__name__)


def test_the_list_is_what_the_modules_have():
    for module in {command.entry.module for command in LISTED.values()}:
        names = {name for name, command in LISTED.items() if command.entry.module == module}
        assert {named(one) for name in names for one in import_module(module).app_of(name).registered_commands} == names


@pytest.mark.parametrize("name", LISTED)
def test_a_line_of_the_list_is_the_commands_own(name):
    command = LISTED[name].load()
    assert command.name == name
    assert " ".join(command.help.split("\n\n")[0].split()) == LISTED[name].help
    assert not command.hidden
    assert not command.deprecated


def test_the_list_looks_as_if_every_command_had_been_imported():
    eager = typer.Typer(add_completion=False, no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]})
    eager.callback()(whole)
    for name, command in LISTED.items():
        eager.registered_commands += [one for one in import_module(command.entry.module).app_of(name).registered_commands if named(one) == name]
    for args in (["--help"], ["-h"], [], ["compar"], ["nonsense"]):
        shown, wanted = (CliRunner().invoke(one, args, prog_name="analyzer") for one in (app, eager))
        assert (shown.exit_code, shown.output) == (wanted.exit_code, wanted.output)


def test_a_command_of_another_module_needs_a_line_only(monkeypatch, tmp_path):
    (tmp_path / "shouting.py").write_text(
        'import typer\napp = typer.Typer()\n@app.command()\ndef shout_out(word: str) -> None:\n    """Say it loud."""\n    print(word.upper())\n'
        "def app_of(name: str) -> typer.Typer:\n    return app\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(COMMANDS, "shout-out", COMMANDS["dpr"]._replace(help="Say it loud.", module="shouting"))
    assert "Say it loud." in CliRunner().invoke(app, ["--help"]).output
    assert "shouting" not in sys.modules
    assert CliRunner().invoke(app, ["shout-out", "hey"]).output == "HEY\n"
    assert app.info.cls is Checked


# -- what is imported ----------------------------------------------------------------------------------------------------------------------------------

ENGINES = ("numpy", "numba", "pandas", "matplotlib", "scipy")


@pytest.mark.parametrize("args", [("--help",), ("-h",), ("--version",)])
def test_the_list_of_commands_imports_no_command(args):
    assert not imported(*args) & {*ENGINES, "pydantic", "analyzer.cli.commands", "analyzer.scenario", "analyzer.systems"}


@pytest.mark.parametrize("args", [("systems",), ("examples",), ("schema",), ("explain", "d20-builds"), ("dpr", "--help"), ("compare", "--help")])
def test_what_asks_no_engine_imports_none(args):
    assert not imported(*args) & {*ENGINES}


@pytest.mark.parametrize(("args", "game"), [(("dpr", "+5", "1d8"), "d20"), (("dpr", "+5", "1d8", "--system", "nwn"), "nwn"), (("curve", "core-duel"), "core")])
def test_a_game_comes_alone(args, game):
    found = imported(*args)
    assert {name for name in found if name.startswith("analyzer.systems.")} == {f"analyzer.systems.{game}"}
    assert not found & {"numba", "pandas", "matplotlib", "scipy"}


def test_an_answer_is_not_drawn_before_it_is_asked_for():
    code = (
        "import sys, analyzer\nbuild = analyzer.statblock('+5', '1d8', name='sword')\nanswer = analyzer.curve(build, '10:12')\n"
        "print('matplotlib' in sys.modules)\nprint(len(answer.figure().axes))"
    )
    assert process(code).split() == ["False", "2"]


# -- games ---------------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", [found.name for found in iter_modules(analyzer.systems.__path__)])
def test_a_game_is_in_the_module_of_its_id(module):
    """Or it would be found only after all others were imported."""
    assert analyzer.systems.get(module) is analyzer.systems.systems()[module]


@pytest.mark.parametrize("id", ["", "_x", "__init__", "d20.SYSTEM", "..d20", "D20", "d20 ", "a b", "\N{MINUS SIGN}", None, 5])
def test_what_is_no_id_is_refused(id):
    with pytest.raises(ValueError, match="system must be one of core, d20"):
        analyzer.systems.get(id)


PLUGGED = """
from analyzer.systems.d20 import D20

class Plugged(D20):
    id = "{id}"

SYSTEM = Plugged()
"""


@pytest.fixture
def plugged(tmp_path):
    """A folder that holds a package with a game in it, as a package manager would leave it."""

    def make(id):
        (tmp_path / "plugged.py").write_text(PLUGGED.format(id=id))
        info = tmp_path / "plugged-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[analyzer.systems]\nmine = plugged\n")
        return {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}

    return make


def test_a_game_of_another_package_is_seen_at_once(plugged):
    path = plugged("mine")
    assert "mine" in [record["id"] for record in json.loads(process(COMMAND_LINE, "systems", "--format", "json", **path))]
    one = process(COMMAND_LINE, "dpr", "+5", "1d8", "--system", "mine", "--format", "json", **path)
    assert json.loads(one)[0]["system"] == "mine"


def test_two_games_of_one_id_are_refused_where_games_are_listed(plugged):
    code = "import analyzer.systems as s\ntry:\n    s.systems()\nexcept ValueError as error:\n    print(error)"
    assert process(code, **plugged("d20")) == "system id of plugged must be unique; got 'd20' again\n"


# -- models --------------------------------------------------------------------------------------------------------------------------------------------


def test_threads_build_a_model_once():
    class Part(Model):
        size: Annotated[int, Field(description="of it")] = 3

    class Whole(Model):
        parts: tuple[Part, ...] = ()
        name: str = "whole"

    threads = 16
    start = Barrier(threads)

    def made(number):
        start.wait()
        return Whole.model_validate({"name": str(number), "parts": ({"size": number},)})

    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(made, range(threads)))
    assert [(one.name, one.parts[0].size) for one in found] == [(str(number), number) for number in range(threads)]


def test_building_a_model_keeps_nothing_of_its_caller():
    class Kept(Model):
        name: str = ""

    secret = ["a variable of whoever asked first"]
    assert Kept.model_validate({}).name == ""
    assert secret not in (Kept.__pydantic_parent_namespace__ or {}).values()


# -- the simulation ------------------------------------------------------------------------------------------------------------------------------------

SIMULATED = """
import sys
from tests.plans import CASES
from analyzer.montecarlo import record, simulate
from analyzer.montecarlo import kernel, warm
plan, target = CASES["reroll_ones"][0]
if "--plainly" in sys.argv:
    for function in (kernel.run_blocks, kernel.sweep_blocks):
        function.enable_caching()
for acs in ((28,), (25, 26, 27, 28)):
    for tally in simulate(plan, target, acs, trials=3000, seed=5):
        print(bytes(tally).hex())
print(record(plan, target, 28, first=0, trials=3, seed=5).log.tolist())
ready = "numba.np.arraymath" in sys.modules
print(ready, file=sys.stderr)
"""


def simulated(*args):
    done = subprocess.run([sys.executable, "-c", SIMULATED, *args], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr.splitlines()[-1]


def test_a_warm_start_simulates_the_same():
    simulate(*ROUND, (25, 26, 27, 28), trials=1, seed=1)
    record(*ROUND, 28, first=0, trials=1, seed=1)
    warmly, plainly = simulated(), simulated("--plainly")
    assert warmly[0] == plainly[0]
    known = warm.known(numba.__version__)
    assert (warmly[1], plainly[1]) == (str(not known), "True")


def test_after_a_warm_start_numba_compiles_anything():
    code = SIMULATED + (
        "import numpy as np\nfrom numba import njit\n@njit\ndef product(a, b):\n    return np.dot(a, b) + np.linalg.det(a) * len(str(len(b)))\n"
        "print(product(np.eye(2), np.ones((2, 2))).tolist())"
    )
    assert process(code).splitlines()[-1] == "[[2.0, 2.0], [2.0, 2.0]]"


@pytest.mark.parametrize(
    ("version", "known"),
    [("0.60.0", True), ("0.68.1", True), ("0.61.0rc1", True), ("0.59.1", False), ("0.69.0", False), ("1.60.0", False), ("0.x", False), ("", False)],
)
def test_other_releases_of_numba_start_as_they_would(version, known, monkeypatch):
    class Function:
        class _cache:  # noqa: N801 - Numba's name
            pass

    monkeypatch.setattr(warm.numba, "__version__", version)
    warm.start_warm(Function)
    assert hasattr(Function._cache, "load_overload") is known


@pytest.mark.slow
def test_with_an_empty_cache_the_kernel_is_compiled(tmp_path):
    assert process(SIMULATED, NUMBA_CACHE_DIR=str(tmp_path)) == process(SIMULATED, NUMBA_CACHE_DIR=str(tmp_path))


def test_a_program_is_made_once_and_as_lower_makes_it():
    plan, target = ROUND
    first = program_of(plan, target, (28,))
    assert program_of(plan, target, (28,)) is first
    assert program_of(plan, target, (27,)) is not first
    again = lower(plan, target, (28,))
    assert all(np.array_equal(a, b) for a, b in zip(first.program, again.program, strict=True))
    assert kernel.Program._fields == first.program._fields
