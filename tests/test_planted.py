"""Broken rules are found: each is planted in one engine alone, and `analyzer verify` exits with 1 and names a figure it spoils."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module

import pytest
from typer.testing import CliRunner

from analyzer import loads, playing
from analyzer.cli import app
from analyzer.plan import Attack, Check, Packet, Part, Plan, Roll

lowering = import_module("analyzer.montecarlo.lower")
simulation = import_module("analyzer.montecarlo.simulate")

TRIALS = "1e7"
SEED = "20"


@dataclass(frozen=True, kw_only=True)
class Planted:
    """A build file, what one engine misreads in its plan, and the figures that must be named."""

    text: str
    ac: int
    misread: Callable[[Plan], Plan]
    figures: tuple[str, ...]


def each(change):
    """A misreading that changes every attack, given with the number of its turn."""

    def misread(plan):
        return Plan(
            turns=tuple(
                replace(turn, steps=tuple(replace(step, variants=tuple(a and change(a, t) for a in step.variants)) for step in turn.steps))
                for t, turn in enumerate(plan.turns)
            )
        )

    return misread


def checked(**changes):
    """Every check read otherwise."""
    return each(lambda attack, _: replace(attack, check=replace(attack.check, **changes)))


def dealt(change):
    """The packets of hits and criticals dealt otherwise."""
    return each(lambda attack, _: replace(attack, on=tuple(tuple(p for packet in packets for p in change(packet)) for packets in attack.on)))


def rolled(change):
    """Every roll of a packet made otherwise, given the most rolls of any."""

    def packet_of(packet: Packet):
        most = max(roll.times for part in packet.parts for roll in part.rolls)
        yield replace(packet, parts=tuple(replace(part, rolls=tuple(change(roll, most) for roll in part.rolls)) for part in packet.parts))

    return dealt(packet_of)


def threat_hits(attack: Attack, _turn):
    """A die in the threat range hits, whatever its total."""
    return replace(attack, check=replace(attack.check, auto_hit_from=attack.check.threat_from))


def multiplied(roll: Roll, _most):
    """x2 and x3 make six rolls instead of five; with a x2 critical twelve instead of seven."""
    return replace(roll, times={5: 6, 7: 12}[roll.times])


def extra_multiplied(roll: Roll, most):
    return replace(roll, times=most)


def minimum_of_the_hit(packet: Packet):
    def part_of(part: Part):
        return replace(part, rolls=tuple(replace(roll, minimum=None) for roll in part.rolls), minimum=1)

    yield replace(packet, parts=tuple(map(part_of, packet.parts)))


def reduced_one_by_one(packet: Packet):
    """Each roll meets the reduction on its own."""
    for part in packet.parts:
        for roll in part.rolls:
            for _ in range(roll.times):
                yield Packet(parts=(replace(part, rolls=(replace(roll, times=1),)),))


def penalty_runs_on(attack: Attack, turn):
    """The two claws of the own turn leave -3 each."""
    return replace(attack, bonus=attack.bonus - 6 * turn)


def d20(build, target=""):
    return f'system = "d20"\n[target]\n{target}\n[[build]]\nname = "b"\n{build}\n'


FOUR = d20('attack = "+20/+15/+10/+5"\ndamage = "2d6+15"\ncritical = "17-20/x2"')
WEAK = d20('attack = "+4/-1"\ndamage = "1d4-3"\ncritical = "18-20/x3"')
REACTING = """
system = "core"
[[build]]
name = "b"
proficiency_bonus = 4
body_parts = { claw = { on_hit = "1d6" } }
turn = ["claw", "claw"]
reactions = [["claw"]]
"""
HURT = ("dpr of b", "mean of attack 1 of b", "distribution of b")
PLANTED = {
    "ties": Planted(text=FOUR, ac=28, misread=checked(ties_hit=True), figures=("hit_chance of attack 1", "dpr of b")),
    "natural 20": Planted(text=FOUR, ac=28, misread=checked(auto_hit_from=21), figures=("hit_chance of attack 4",)),
    "natural 1": Planted(text=FOUR, ac=10, misread=checked(auto_miss_to=0), figures=("hit_chance of attack 1", "hit_chance of attack 2")),
    "naturals on confirmation": Planted(text=FOUR, ac=28, misread=checked(confirm_naturals=True), figures=("crit_chance of attack 4",)),
    "a threat must hit": Planted(text=FOUR, ac=28, misread=each(threat_hits), figures=("hit_chance of attack 3", "threat_chance of attack 3")),
    "multipliers multiplied": Planted(
        text=d20('attack = "+6/+1"\ndamage = "1d6"\ncritical = "20/x2"\nmultipliers = [2, 3]'), ac=14, misread=rolled(multiplied), figures=HURT
    ),
    "extra dice multiplied": Planted(
        text=d20('attack = "+6/+1"\ndamage = "1d8"\ncritical = "20/x2"\nextra = ["1d6 sneak"]'), ac=14, misread=rolled(extra_multiplied), figures=HURT
    ),
    "minimum scope": Planted(text=WEAK, ac=14, misread=dealt(minimum_of_the_hit), figures=HURT),
    "reduction before the sum": Planted(
        text=d20('attack = "+6/+1"\ndamage = "1d8"\ncritical = "20/x2"', "reduction = { physical = 3 }"),
        ac=14,
        misread=dealt(reduced_one_by_one),
        figures=HURT,
    ),
    "AP not reset": Planted(text=REACTING, ac=12, misread=each(penalty_runs_on), figures=("hit_chance of attack 3", "mean of attack 3")),
}


@pytest.fixture(autouse=True)
def programs_made_anew():
    """A process keeps the programs it played; a plant must not find an honest one there, nor leave a wrong one behind."""
    simulation._programs.cache_clear()
    yield
    simulation._programs.cache_clear()


def in_exact(monkeypatch, misread):
    whole = playing.evaluate
    monkeypatch.setattr(playing, "evaluate", lambda plan, target, acs: whole(misread(plan), target, acs))


def in_simulation(monkeypatch, misread):
    whole = simulation.lower
    monkeypatch.setattr(simulation, "lower", lambda plan, target, defences: whole(misread(plan), target, defences))


def verify(tmp_path, planted):
    file = tmp_path / "b.toml"
    file.write_text(planted.text)
    return CliRunner().invoke(app, ["verify", str(file), "--ac", str(planted.ac), "--trials", TRIALS, "--seed", SEED])


def named(result):
    return [line.removeprefix("  disagrees: ") for line in result.output.splitlines() if line.startswith("  disagrees: ")]


@pytest.mark.parametrize("plant", [in_exact, in_simulation])
@pytest.mark.parametrize("name", PLANTED)
def test_a_broken_rule_in_one_engine_is_found(name, plant, monkeypatch, tmp_path):
    planted = PLANTED[name]
    plan = loads(planted.text).builds[0].derive().plan
    assert planted.misread(plan) != plan
    plant(monkeypatch, planted.misread)
    result = verify(tmp_path, planted)
    assert result.exit_code == 1, result.output
    assert "The two engines DISAGREE" in result.output
    for figure in planted.figures:
        assert any(line.startswith(figure) and line.endswith(f"b, AC {planted.ac}") for line in named(result)), (figure, result.output)


@pytest.mark.parametrize("name", PLANTED)
def test_unbroken_they_agree(name, tmp_path):
    result = verify(tmp_path, PLANTED[name])
    assert result.exit_code == 0, result.output
    assert "The two engines agree" in result.output
    assert named(result) == []


@pytest.mark.parametrize(
    ("changes", "ac", "figure"),
    [
        ({"ties_hit": True}, 28, "hit_chance of attack 2 of b"),
        ({"auto_hit_from": 21}, 28, "hit_chance of attack 4 of b"),
        ({"auto_miss_to": 0}, 10, "hit_chance of attack 2 of b"),
        ({"threat_from": 18}, 28, "crit_chance of attack 1 of b"),
        ({"confirm_naturals": True}, 28, "crit_chance of attack 4 of b"),
    ],
)
def test_wrong_thresholds_of_the_kernel_are_found(changes, ac, figure, monkeypatch, tmp_path):
    """The same one floor below: where faces of the die are compared."""
    whole = lowering.thresholds

    def wrong(check: Check, bonus: int, ac: int):
        return whole(replace(check, **changes), bonus, ac)

    monkeypatch.setattr(lowering, "thresholds", wrong)
    result = verify(tmp_path, Planted(text=FOUR, ac=ac, misread=lambda plan: plan, figures=()))
    assert result.exit_code == 1, result.output
    assert f"{figure}, AC {ac}" in named(result)


def test_the_worst_figure_stands_in_the_verdict(monkeypatch, tmp_path):
    """Only the last attack can be told apart by a natural 20 on the critical roll: an exact chance of 0, so the first contrary round is enough."""
    planted = PLANTED["naturals on confirmation"]
    in_simulation(monkeypatch, planted.misread)
    result = verify(tmp_path, planted)
    assert "smallest p = 0 (crit_chance of attack 4 of b, AC 28)" in result.output
