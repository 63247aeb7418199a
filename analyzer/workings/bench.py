"""Bench: the weapons of an armoury beside their reference, exactly and in simulated rounds, and the search for dice and penalties that keep all close."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from analyzer.asking.seats import Seat, Simulation, child_seed
from analyzer.asking.twins import Twins
from analyzer.exact.windows import Offer, closest
from analyzer.pmf import Floats
from analyzer.records import Record
from analyzer.workings.parity import Line, Range, Sample, Vary, nearest, ratio, sampled, sampled_attacks


@dataclass(frozen=True, kw_only=True, slots=True)
class Bench:
    """The weapons beside their reference; the last setting of each is the weapon as it is."""

    reference: Line
    lines: tuple[Line, ...]
    over: Range
    vary: Vary
    criterion: str
    #: what is simulated of it, if anything, by weapon and setting
    how: Simulation | None
    apart: bool
    twins: Twins = field(default_factory=Twins)
    samples: dict[tuple[int, int], Sample] = field(default_factory=dict)

    @property
    def seat(self) -> Seat:
        """The reference before the foes all are compared on."""
        return self.reference.seats[0]

    def best(self, i: int, turns: slice = slice(None)) -> int:
        """The setting of a weapon that is closest to the reference over some turn lengths."""
        one = self.lines[i]
        over = replace(self.over, turns=self.over.turns[turns])
        own = one.weapon.ap or 0
        values = [setting.value(self.vary) for setting in one.settings[:-1]]
        unlike = [abs(value - (own if self.vary == "ap" else 0)) if isinstance(value, int) else place for place, value in enumerate(values)]
        return nearest(one.turns[:-1, turns], self.reference.turns[0, turns], over, self.criterion, unlike)

    def sample(self, i: int, setting: int) -> Sample | None:
        """Simulated rounds of a weapon in a setting, those of the reference for -1; every weapon and setting has dice of its own."""
        if self.how is None:
            return None
        if (i, setting) not in self.samples:
            how = replace(self.how, seed=child_seed(child_seed(self.how.seed, i + 1), setting))
            self.samples[i, setting] = sampled(self.reference if i < 0 else self.lines[i], setting, self.over, how, apart=self.apart)
        return self.samples[i, setting]

    def attack_sample(self, i: int, setting: int) -> Sample | None:
        """Simulated attacks of the longest turn of a weapon in a setting, those of the reference for -1."""
        if self.how is None:
            return None
        how = replace(self.how, seed=child_seed(child_seed(self.how.seed, i + 1), setting))
        return sampled_attacks(self.reference if i < 0 else self.lines[i], setting, how)

    def mixed(self, table: Floats) -> Floats:
        """(n_setting, n_turn, n_foe) figures weighed into mixes, (n_mix, n_setting, n_turn)."""
        return self.seat.mixed(np.moveaxis(table, -1, 0))

    def place(self, turn: int, foe: int) -> str:
        """A turn length and a foe in words."""
        face = self.seat.field.foes[foe].name or f"AC {self.seat.ac(foe)}"
        count = self.over.turns[turn] if self.over.turns else 0
        return f"{face}, {count} attack{'s' if count > 1 else ''}" if count else face

    def called(self, i: int, setting: int) -> str:
        """A weapon in a setting, in words."""
        return f"{self.lines[i].weapon.name}, {self.vary} {self.lines[i].settings[setting].value(self.vary)}"

    def compared(self, i: int, setting: int, turns: slice = slice(None)) -> Record:
        """The `figures` of a weapon with what simulated rounds say beside them."""
        record = self.figures(i, setting, turns)
        mine, its = self.sample(i, setting), self.sample(-1, 0)
        if mine is None or its is None:
            return record
        over = replace(self.over, turns=self.over.turns[turns])
        where = f"{self.called(i, setting)}, {'+'.join(map(str, over.turns))} attacks"
        simulated = self.beside(where, record, mine.turns(turns).mean(over), its.turns(turns).mean(over))
        return simulated | {key: value for key, value in record.items() if key not in simulated}

    def figures(self, i: int, setting: int, turns: slice = slice(None)) -> Record:
        """The columns of a weapon in a setting beside the reference, over some turn lengths and all foes."""
        over = replace(self.over, turns=self.over.turns[turns])
        table, standard = self.lines[i].turns[setting, turns], self.reference.turns[0, turns]
        dpr, reference = float(over.mean(table)), float(over.mean(standard))
        record: Record = {"dpr": dpr, "reference_dpr": reference, "ratio": quotient(dpr, reference)}
        ratios = [(float(table[t, f] / standard[t, f]), t, f) for t, f in np.ndindex(*table.shape) if over.weights[f] > 0.0 and standard[t, f] > 0.0]
        first = turns.start or 0
        for name, pick in (("lowest", min), ("highest", max)):
            value, turn, foe = pick(ratios, key=lambda cell: round(cell[0], 12)) if ratios else (None, 0, 0)
            record |= {name: value, f"{name}_at": None if value is None else self.place(first + turn, foe)}
        return record

    def told(self, i: int, setting: int, turns: slice = slice(None)) -> str:
        """The ratio of a weapon in a setting over some turn lengths and all foes, and the simulated one, in words."""
        found = self.figures(i, setting, turns)["ratio"]
        if not isinstance(found, float):
            return "the reference deals nothing"
        mine, its = (self.sample(i, setting), self.sample(-1, 0)) if self.apart else (None, None)
        over = replace(self.over, turns=self.over.turns[turns])
        simulated = None if mine is None or its is None else ratio(mine.turns(turns).mean(over)[:2], its.turns(turns).mean(over)[:2])
        return f"{found:.3f} at best" if simulated is None else f"{found:.3f} at best, simulated {simulated[0]:.3f} \N{PLUS-MINUS SIGN} {simulated[1]:.3f}"

    def beside(self, where: str, record: Record, one: tuple[float, float, float], other: tuple[float, float, float]) -> Record:
        """Two means and their ratio with what simulated rounds say; ``one`` and ``other`` are means, standard errors and rounds with damage."""
        trials = 0 if self.how is None else self.how.trials
        out: Record = {}
        for key, (found, error, often) in (("dpr", one), ("reference_dpr", other)):
            out |= self.twins.estimate(where, key, exact=cast("float", record[key]), found=found, error=error, trials=trials, occurrences=often)
        exact, simulated = record["ratio"], ratio(one[:2], other[:2])
        if simulated is None or not isinstance(exact, float):
            return out | {"ratio": exact}
        value, spread = simulated
        return out | self.twins.estimate(where, "ratio", exact=exact, found=value, error=spread, trials=trials, occurrences=min(one[2], other[2]))

    def search(self, *, dice: bool) -> tuple[int, ...] | None:
        """A setting of each weapon such that the weighted mean damages of all, the reference included, are as close as can be; None when there is none.

        With ``dice`` no two weapons take the same ones, the reference keeping its own.
        """
        offers = [Offer(group=0, good=self.reference.dice(0) if dice else -1, score=float(self.over.mean(self.reference.turns[0])))]
        places = [0]
        for i, one in enumerate(self.lines):
            for setting, score in enumerate(self.over.mean(one.turns[:-1])):
                if score > 0.0:
                    held = one.dice(setting)
                    offers.append(Offer(group=i + 1, good=held if dice else i, score=float(score), own=held == one.dice(-1)))
                    places.append(setting)
        found = closest(offers, len(self.lines) + 1, offers[0].score) if offers[0].score > 0.0 else None
        return None if found is None else tuple(places[offer] for offer in found[1:])


def quotient(dpr: float, reference: float) -> float | None:
    """The ratio of two figures; None where the second is 0."""
    return dpr / reference if reference > 0.0 else None


def alike(places: dict[str, Seat]) -> None:
    """Refuse weapons that would be compared on different foes."""
    faces = {tuple(mix.head for mix in seat.field.mixes) for seat in places.values()}
    games = {seat.build.system for seat in places.values()}
    if len(games) > 1 or len(faces) > 1:
        raise ValueError(f"builds must be of one game and face the same foes; got {', '.join(sorted(games))} and {len(faces)} tables of foes")
