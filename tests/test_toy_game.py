"""A ninth game is one file: dropped beside the others it is found, explained, compared, verified, traced and in every list."""

import json
from textwrap import dedent

import pytest
from typer.testing import CliRunner

import analyzer
import analyzer.systems
from analyzer.cli import app

GAME = '''
"""Toy: a target number on a d20, four points a hit, doubled on an eleven."""

from pydantic import Field

from analyzer import plan
from analyzer.plan import Attack, Check, Plan, Roll
from analyzer.rulekit.ledger import Ledger, Term
from analyzer.rulekit.lowering import blow, facing, part, turn
from analyzer.rulekit.models import Model, StatblockKeys, TargetKeys
from analyzer.rulekit.system import System


class ToyRules(Model):
    lucky: int = Field(default=11, description="the face from which a hit counts double")


class ToyTarget(TargetKeys):
    number: int = Field(default=10, description="the target number")


class ToySheet(Model):
    name: str | None = Field(default=None, description="the name shown")
    level: int = Field(description="the level")


class Toy(System[ToyRules, ToyTarget, StatblockKeys, ToySheet]):
    id = "toy"
    name = "Toy"
    summary = "one die, one number"
    defences = ("number",)
    Rules, Target, Statblock, Sheet = ToyRules, ToyTarget, StatblockKeys, ToySheet

    def _check(self, rules):
        return Check(critical=plan.Critical.NATURAL, threat_from=rules.lucky)

    def from_statblock(self, build, rules, target, ledger: Ledger) -> Plan:
        parts = [part(build.damage), *map(part, build.extra)]
        on = ((), (), blow(parts), blow([part(build.damage, times=2), *map(part, build.extra)]))
        return Plan(turns=(turn([Attack(label="toy", bonus=b, check=self._check(rules), on=on) for b in build.attack]),))

    def from_sheet(self, build, rules, target, ledger: Ledger) -> Plan:
        bonus = ledger.total("toy", "attack", [Term("level", build.level, "one point a level")])
        four = plan.Part(type="physical", rolls=(Roll(flat=4),))
        eight = plan.Part(type="physical", rolls=(Roll(flat=4, scale=2),))
        on = ((), (), blow([four]), blow([eight]))
        return Plan(turns=(turn([Attack(label="toy", bonus=bonus, check=self._check(rules), on=on)]),))

    def facing(self, rules, target, ledger: Ledger) -> plan.Target:
        return facing(target, (target.number,), ledger)


SYSTEM = Toy()
'''

BUILDS = """
system = "toy"
[target]
number = 12
[[build]]
name = "sheet"
level = 3
[[build]]
name = "numbers"
attack = "+2/+1"
damage = "1d4"
extra = ["1d2 fire"]
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    (tmp_path / "toy.py").write_text(dedent(GAME), encoding="utf-8")
    monkeypatch.setattr(analyzer.systems, "__path__", [*analyzer.systems.__path__, str(tmp_path)])
    analyzer.systems.systems.cache_clear()
    file = tmp_path / "builds.toml"
    file.write_text(BUILDS, encoding="utf-8")
    yield str(file)
    analyzer.systems.systems.cache_clear()


def run(*args):
    result = CliRunner().invoke(app, list(args))
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_new_game_is_one_file(toy):
    assert "toy" in [record["id"] for record in json.loads(run("systems", "--format", "json"))]
    rules = {record["rule"]: record["value"] for record in json.loads(run("systems", "--rules", "--format", "json")) if record["system"] == "toy"}
    assert rules["weapon on a critical"] == "rolled 2 times"
    assert rules["lucky"] == "11"
    records = json.loads(run("compare", toy, "--ac", "5:20", "--trials", "20000", "--seed", "1", "--format", "json"))
    sheet = next(record for record in records if record["build"] == "sheet" and record["ac"] == 12)
    # +3 against 12: 9 and 10 hit for 4, 11 to 20 for 8
    assert sheet["dpr"] == pytest.approx((2 * 4 + 10 * 8) / 20)
    assert "one point a level" in run("explain", toy)
    assert "damage in the round" in run("trace", toy, "--seed", "4")
    run("verify", toy, "--ac", "12", "--trials", "200000", "--seed", "1")
    assert "toy" in json.loads(run("schema"))["properties"]["system"]["enum"]
    every = json.loads(run("dpr", "+2", "1d4", "--system", "all", "--ac", "12", "--format", "json"))
    assert {"toy", "d20", "core"} <= {record["system"] for record in every}


def test_the_version_is_the_packages():
    assert run("--version").strip() == analyzer.__version__
