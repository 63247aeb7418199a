"""A grid from builds to DataFrame: 1,000 distinct damages by 21 attack bonuses over 31 ACs, beside asking the curve of each design; by CPU time."""

from time import process_time

import numpy as np
import pytest

import analyzer

pytestmark = pytest.mark.benchmark(timer=process_time)

ACS = "10:40"
DAMAGES = tuple(f"{count}d{sides}+{flat}" for count in range(1, 6) for sides in (4, 6, 8, 10, 12) for flat in range(40))
BONUSES = tuple(range(-10, 11))
CELLS = len(DAMAGES) * len(BONUSES) * 31
#: Designs whose curve is asked one by one.
ALONE = 50
GRID = "analyzer, `grid`"
GROUP = f"Grid: {len(DAMAGES):,} distinct damages by {len(BONUSES)} attack bonuses over 31 ACs, from builds to DataFrame"


@pytest.fixture(scope="module")
def template():
    """The reference."""
    return analyzer.statblock("+20/+15/+10/+5", "2d6+15", critical="17-20/x2", extra=["5d6"], name="reference")


def whole(template, target, damages):
    """The grid of these damages."""
    return analyzer.grid(template, ACS, vary={"damage": damages, "attack": BONUSES}, target=target, top=None)


def alone(template, target, damages):
    """The same by a curve of each design."""
    return [analyzer.curve(template.but(damage=damage, attack=bonus, name="one"), ACS, target=target) for damage in damages for bonus in BONUSES[::7]]


def test_results_are_equal(template, target):
    found = whole(template, target, DAMAGES[:7])
    for damage, curves in zip(DAMAGES[:7], np.array([one["dpr"] for one in alone(template, target, DAMAGES[:7])]).reshape(7, 3, 31), strict=True):
        for bonus, row in zip(BONUSES[::7], curves, strict=True):
            np.testing.assert_allclose(found[(found["damage"] == damage) & (found["attack"] == bonus)]["dpr"], row, rtol=1e-12)


def test_whole(measure, template, target, forget):
    def fresh():
        forget()
        return template, target, DAMAGES

    measure(whole, fresh, group=GROUP, method=GRID, work=CELLS, unit="cell", rounds=3, base=True)


def test_alone(measure, template, target):
    def fresh():
        return template, target, DAMAGES[:: len(DAMAGES) // ALONE]

    measure(alone, fresh, group=GROUP, method="analyzer, `curve` of every design", work=ALONE * 3 * 31, unit="cell", rounds=3)
