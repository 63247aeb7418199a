"""Foes: tables of creatures, hit points, and builds seated before them."""

import io

import numpy as np
import pandas as pd
import pytest

from analyzer import ScenarioError, curve, distribution, loads, statblock, target
from analyzer.asking.bestiary import read
from analyzer.asking.foes import EVERYONE, hit_points
from analyzer.asking.seats import child_seed, seats

ROWS = [
    {"name": "ogre", "ac": 16, "hp": "4d8+8", "dr": 5, "weight": 3},
    {"name": "imp", "ac": 20, "hp": 20},
    {"name": "shade", "ac": 14, "miss_chance": 50, "weight": 0},
]
CSV = "name,ac,hp,dr,weight,miss_chance\nogre,16,4d8+8,5,3,\nimp,20,20,,,\nshade,14,,,0,50\n"


@pytest.fixture
def falchion():
    return statblock("+12/+7", "2d4+6", critical="18-20/x2", extra=["1d6 fire"], system="srd35", name="falchion")


def told(against, system="srd35"):
    with pytest.raises(ScenarioError) as caught:
        read(against, system)
    return list(caught.value.problems)


def test_hit_points_are_a_number_or_dice():
    assert hit_points(150).pmf.mean == 150
    assert hit_points("150").text == "150"
    rolled = hit_points("2d6-4").pmf
    assert (rolled.low, rolled.high) == (1, 8)
    assert rolled.chance(1) == pytest.approx(10 / 36)  # 2 to 5 on the dice
    for wrong in (0, -3, "0", "2d6-20", "many", 1_000_001, True, None, 1.5, "1d1000+999999"):
        with pytest.raises(ValueError, match=r"^hp must be hit points from 1 to 1000000, or dice such as '12d8\+36'; got "):
            hit_points(wrong)


def test_a_table_is_read_from_a_file_or_rows(tmp_path):
    file = tmp_path / "bestiary.csv"
    file.write_text("\N{ZERO WIDTH NO-BREAK SPACE}" + CSV, encoding="utf-8")
    for given in (ROWS, str(file), file, pd.read_csv(io.StringIO(CSV)).to_dict("records")):
        field = read(given, "srd35")
        assert [foe.name for foe in field.foes] == ["ogre", "imp", "shade"]
        assert [dict(mix.head)["against"] for mix in field.mixes] == [EVERYONE, "ogre", "imp", "shade"]
        assert field.weights[0].tolist() == [0.75, 0.25, 0.0]
        assert field.foes[0].hp is not None
        assert field.foes[0].hp.pmf.mean == 26


def test_everything_wrong_with_a_table_is_told_at_once(tmp_path):
    rows = [
        {"name": "ogre", "ac": "x", "dr": -1},
        {"nme": "imp", "hp": "q", "ac": 14},
        {"name": "shade", "level": 1.5, "weight": -1, "ac": 14},
        {"name": "bat", "miss_chance": 200, "ac": 14},
        {"name": "slime", "hp": 20},
    ]
    assert told(rows) == [
        "against, nme: nme must be a known column; did you mean 'name'?",
        "against, row 1, dr: dr must be a whole number from 0 to 10000; got -1",
        "against, row 2, name: name must be given (what the creature is called); got nothing",
        "against, row 2, hp: hp must be hit points from 1 to 1000000, or dice such as '12d8+36'; got 'q'",
        "against, row 3, weight: weight must be a number from 0; got -1",
        "against, row 3, level: level must be a whole number from 0 to 100; got 1.5",
        "against, row 4, miss_chance: miss_chance must be an integer from 0 to 100; got 200",
        "against, row 5, ac: ac must be given, or the keys of a target that the game makes it of; got nothing",
    ]
    assert told([{"name": "a", "ac": 9}, {"name": "a", "ac": 9}]) == ["against: name must be unlike the other rows' of its level; got 'a' twice"]
    assert told([{"name": "a", "ac": 9, "weight": 0}]) == ["against: weight must be above 0 in one row at least; got [0]"]
    assert told([{"name": "a", "ac": 9, "level": 1}, {"name": "b", "ac": 9}]) == ["against: level must be given in every row or in none; got some"]
    assert told([]) == ["against: a table of creatures must have 1 to 10000 rows; got 0"]
    assert told(tmp_path / "none.csv") == [
        f"{tmp_path / 'none.csv'}: file must exist, or be one of srd35-creatures.csv, srd35-levels.csv, starfinder-creatures.csv; got no such file"
    ]
    ragged = tmp_path / "ragged.csv"
    ragged.write_text("name,ac\nogre,16,3\n")
    assert told(ragged) == [f"{ragged}, row 1: a row must have as many cells as the header; got more"]


def test_a_weighted_answer_is_the_mean_of_its_creatures(falchion):
    (seat,) = seats(falchion, None, against=ROWS)
    found = seat.mixed(seat.gathered(lambda _, exact: exact.dpr))
    alone = [curve(falchion, row["ac"], target={"reduction": {"physical": row.get("dr", 0)}, "miss_chance": row.get("miss_chance", 0)}).dpr[0] for row in ROWS]
    np.testing.assert_allclose(found[1:], alone, rtol=1e-12)
    assert found[0] == pytest.approx(0.75 * alone[0] + 0.25 * alone[1], rel=1e-12)
    assert seat.head(0) == {"system": "srd35", "build": "falchion", "against": EVERYONE, "ac": None}
    assert seat.head(2) == {"system": "srd35", "build": "falchion", "against": "imp", "ac": 20}


def test_a_weighted_distribution_sums_to_one(falchion):
    (seat,) = seats(falchion, None, against=ROWS)
    pmf = seat.mixed(seat.gathered(lambda _, exact: exact.pmf, pmf=True))
    np.testing.assert_allclose(pmf.sum(axis=1), 1.0, atol=1e-12)


def test_a_sweep_is_that_of_the_curve_in_one_pass(falchion):
    (seat,) = seats(falchion, "10:40", target={"reduction": {"physical": 5}})
    assert len(seat.faced) == 1
    answer = curve(falchion, "10:40", target={"reduction": {"physical": 5}})
    assert seat.mixed(seat.gathered(lambda _, exact: exact.dpr)).tolist() == answer["dpr"].tolist()
    (own,) = seats(falchion, None, target={"ac": 23})
    assert own.head(0)["ac"] == 23


def test_two_defences_keep_their_difference():
    scenario = loads(
        'system = "starfinder"\n[[build]]\nname = "laser"\nattack = "+8"\ndamage = "2d6+4 fire"\nagainst = "eac"\n'
        '[[build]]\nname = "slug"\nattack = "+8"\ndamage = "2d6+4 piercing"\n'
    )
    rows = [{"name": "guard", "eac": 14, "kac": 16}, {"name": "drone", "eac": 20, "kac": 21}]
    laser, slug = seats(scenario, None, against=rows)
    for seat, defence in ((laser, "eac"), (slug, "kac")):
        found = seat.mixed(seat.gathered(lambda _, exact: exact.dpr))
        alone = [curve(seat.build, row[defence]).dpr[0] for row in rows]
        np.testing.assert_allclose(found[1:], alone, rtol=1e-12)


def test_creatures_roll_dice_of_their_own_and_builds_share_them(falchion):
    (seat,) = seats(falchion, None, against=[{"name": "a", "ac": 20}, {"name": "b", "ac": 20}])
    one, two = seat.tallies(trials=10_000, seed=1)
    assert one.total != two.total
    (other,) = seats(falchion.but(name="twin"), None, against=[{"name": "a", "ac": 20}, {"name": "b", "ac": 20}])
    assert other.tallies(trials=10_000, seed=1)[0].total == one.total
    assert child_seed(1, 0) != child_seed(1, 1) != child_seed(2, 0)
    (swept,) = seats(falchion, [20, 21])
    assert swept.seed(7, 0) == swept.seed(7, 1) == 7


def test_a_build_meets_the_creatures_of_its_level():
    scenario = loads(
        "\n".join(['system = "srd35"', *(f'[[build]]\nname = "fighter"\nlevel = {level}\nattack = "+{level + 4}"\ndamage = "1d8+4"' for level in (1, 2))])
    )
    assert [build.name for build in scenario.builds] == ["fighter (level 1)", "fighter (level 2)"]
    rows = [{"name": "rat", "ac": 14, "level": 1}, {"name": "wolf", "ac": 15, "level": 2}, {"name": "bear", "ac": 16, "level": 2}]
    first, second = seats(scenario, None, against=rows)
    assert [foe.name for foe in first.field.foes] == ["rat"]
    assert [foe.name for foe in second.field.foes] == ["wolf", "bear"]
    assert first.head(0)["level"] == 1
    with pytest.raises(ValueError, match=r"^level of '\+5 1d8' must be one of the table's: 1, 2; got none$"):
        seats(statblock("+5", "1d8", system="srd35"), None, against=rows)


def test_a_table_stands_alone(falchion):
    with pytest.raises(ValueError, match=r"^against must be given without ac and target"):
        seats(falchion, 20, against=ROWS)
    with pytest.raises(ValueError, match=r"^against must be given without ac and target"):
        seats(falchion, None, target=target(system="srd35", ac=20), against=ROWS)


def test_hit_points_come_from_the_question_the_table_or_the_target(falchion):
    (seat,) = seats(falchion, None, against=ROWS)
    assert [None if hp is None else hp.text for hp in seat.hp] == ["4d8+8", "20", None]
    (given,) = seats(falchion, None, against=ROWS, hp="30")
    assert {hp.text for hp in given.hp} == {"30"}
    (own,) = seats(falchion, "20:21", target={"hp": 44})
    assert {hp.text for hp in own.hp} == {"44"}


def test_a_table_may_be_a_frame(falchion):
    (seat,) = seats(falchion, None, against=pd.DataFrame(ROWS))
    assert [foe.name for foe in seat.field.foes] == ["ogre", "imp", "shade"]


def test_what_nobody_said_is_told(falchion):
    """An armor class that the game takes because nobody gave one, and a target whose place the table takes."""
    scenario = loads('system = "srd35"\n[target]\nac = 20\n[[build]]\nname = "sword"\nattack = "+8"\ndamage = "1d8"\n')
    assert "no armor class is given: falchion meets AC 10, which the game takes where nothing is said" in distribution(falchion).notes
    assert not [note for note in distribution(falchion, 20).notes + distribution(scenario).notes if "no armor class" in note]
    against = distribution(scenario, against=ROWS).notes
    assert "the table stands in for the file's target: what [target] says (ac) does not count" in against
    assert not [note for note in distribution(falchion, against=ROWS).notes if "stands in" in note]
