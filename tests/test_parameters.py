"""Parameters of questions: what each kind takes, and in which words it refuses the rest."""

import re

import numpy as np
import pytest

from analyzer.asking.parameters import Choice, Many, Numbers, Real, Text, Whole

GOOD = [
    (Whole(low=0), "1e6", 1_000_000),
    (Whole(low=0), "1_000", 1000),
    (Whole(low=-5), "\N{MINUS SIGN}3", -3),
    (Whole(low=0), np.int64(7), 7),
    (Real(low=0.0, high=1.0), "0.5", 0.5),
    (Real(low=0.0, high=1.0, percent=True), "95%", 0.95),
    (Real(low=-10.0, high=10.0), 3, 3.0),
    (Choice(("a", "b")), "b", "b"),
    (Numbers(low=-10, high=40), "-2:1", (-2, -1, 0, 1)),
    (Numbers(low=-10, high=40), [3, 1, 3], (3, 1)),
    (Numbers(low=-10, high=40), 5, (5,)),
    (Text(), "anything", "anything"),
    (Many(of=Whole(low=0)), ["1", "2"], (1, 2)),
    (Many(of=Whole(low=0)), "3", (3,)),
    (Many(of=Whole(low=0)), 4, (4,)),
]
BAD = [
    (Whole(low=1, high=9), "10", "n must be a whole number from 1 to 9; got '10'"),
    (Whole(low=1, high=9), 0, "n must be a whole number from 1 to 9; got 0"),
    (Whole(low=1), "2.5", "n must be a whole number from 1; got '2.5'"),
    (Whole(low=1), 2.5, "n must be a whole number; got 2.5"),
    (Whole(low=1), True, "n must be a whole number; got True"),
    (Real(low=0.0, high=1.0), "95%", "n must be a number from 0 to 1; got '95%'"),
    (Real(low=0.0, high=1.0), float("nan"), "n must be a number from 0 to 1; got nan"),
    (Real(low=0.0, high=1.0), None, "n must be a number; got None"),
    (Choice(("a", "b")), "c", "n must be one of 'a', 'b'; got 'c'"),
    (Numbers(low=0, high=40), "5:3", "n must be a range from low to high; got '5:3'"),
    (Numbers(low=0, high=40), "x", "n must be a number such as 28 or a range such as 10:40; got 'x'"),
    (Numbers(low=0, high=40), 41, "n must be 0 to 40; got 41"),
    (Numbers(low=0, high=40, what="penalty"), [], "n must be at least one penalty; got []"),
    (Many(of=Whole(low=0)), ["1", "x"], "n must be a whole number from 0; got 'x'"),
]


@pytest.mark.parametrize(("kind", "given", "read"), GOOD)
def test_read(kind, given, read):
    assert kind.check(given, "n") == read


@pytest.mark.parametrize(("kind", "given", "told"), BAD)
def test_refused(kind, given, told):
    with pytest.raises((ValueError, TypeError), match=f"^{re.escape(told)}$"):
        kind.check(given, "n")


def test_what_the_help_shows():
    assert Choice(("a", "b")).metavar == "a|b"
    assert Many(of=Numbers(low=0, high=1)).metavar == "N|LOW:HIGH"
