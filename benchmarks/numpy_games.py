"""One build of every game's example, and every option the plan knows, as the best NumPy that could be written by hand (see `numpy_tools`).

The numbers are written out from the examples, not read from a plan: an attack hits from a face, its damage is dice and a number. Where a floor or a
reduction can be seen never to bind it is left out. What cannot matter is not rolled. Grouped by mechanism; each function plays one block of rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.numpy_tools import BLOCK, U32, Dice, Spots, Tally, again, confirmed, confirming, first, firsts, needed

ZERO, ONE, TWO = np.uint32(0), np.uint32(1), np.uint32(2)
TWENTY = first(20)


class Game(NamedTuple):
    """A build of an example in NumPy."""

    example: str
    build: str
    #: attacks a round
    attacks: int
    #: at least the most damage of a round
    highest: int
    mechanism: str
    block: Callable[[Dice, Tally], None]
    #: where the tally's rows, which follow the stacks, stand in the plan
    rows: tuple[int, ...] | None = None


GAMES: dict[str, Game] = {}


def game(example: str, build: str, mechanism: str, *, attacks: int, highest: int, rows: tuple[int, ...] | None = None):
    """Registers a block under the example and build it plays."""

    def register(block: Callable[[Dice, Tally], None]) -> Callable[[Dice, Tally], None]:
        GAMES[f"{example}: {build}"] = Game(example, build, attacks, highest, mechanism, block, rows)
        return block

    return register


def play(played: Game, trials: int, seed: int) -> Tally:
    """The tally of ``trials`` rounds, whole blocks."""
    if trials % BLOCK:
        raise ValueError(f"trials must be whole blocks of {BLOCK}; got {trials}")
    dice, tally = Dice(seed), Tally(played.attacks, played.highest)
    for _ in range(trials // BLOCK):
        played.block(dice, tally)
        tally.end_block()
    tally.close()
    return tally


def struck(word: U32, least: U32) -> tuple[U32, Spots]:
    """The words and spots of the attacks of a stack that hit."""
    spots = np.flatnonzero(word >= least)
    return word.reshape(-1).take(spots), spots


def split(n: int, some: Spots) -> Spots:
    """Those of ``n`` that are not among ``some``."""
    rest = np.ones(n, np.bool_)
    rest[some] = False
    return np.flatnonzero(rest)


# --- threats and confirmation -------------------------------------------------------------------------------------------------------------------


def confirming_stack(ac: int, bonuses: list[int], threat: int, *, naturals: bool) -> Callable[[Dice], tuple[Spots, Spots]]:
    """How attacks alike are rolled: the spots that hit, and which of those are critical."""
    hit, confirm, threatens = firsts(needed(ac, bonuses)), confirming(ac, bonuses, naturals=naturals), first(threat)

    def roll(dice: Dice) -> tuple[Spots, Spots]:
        word, spots = struck(dice.attacks(len(bonuses)), hit)
        return spots, confirmed(word, spots, threatens, confirm)

    return roll


_FALCHION = confirming_stack(25, [19, 14, 9], 18, naturals=False)


@game("d20-builds", "falchion", "confirmation, extra dice, reduction", attacks=3, highest=3 * 47)
def falchion(dice: Dice, tally: Tally) -> None:
    """2d4+9 and 3d6, 5 off."""
    spots, criticals = _FALCHION(dice)
    damage = dice.sums(2, 4, len(spots), 9 - 5)
    damage += dice.sums(3, 6, len(spots))
    damage[criticals] += dice.sums(2, 4, len(criticals), 9)
    tally.hits(slice(0, 3), spots, damage, criticals)


_STATBLOCK = confirming_stack(25, [17, 12, 7], 19, naturals=False)


@game("d20-fighter", "as the statblock says", "confirmation, dice of a critical alone", attacks=3, highest=3 * 54)
def burst(dice: Dice, tally: Tally) -> None:
    """1d10+9 and 1d6, a d10 more on a critical."""
    spots, criticals = _STATBLOCK(dice)
    damage = dice.sums(1, 10, len(spots), 9)
    damage += dice.sums(1, 6, len(spots))
    damage[criticals] += dice.sums(2, 10, len(criticals), 9)
    tally.hits(slice(0, 3), spots, damage, criticals)


_LONGBOW = confirming_stack(27, [14, 14, 9, 4], 19, naturals=True)


@game("pathfinder1-hunters", "longbow, Manyshot", "confirmation, triple damage, two packets of one attack", attacks=4, highest=5 * 60)
def manyshot(dice: Dice, tally: Tally) -> None:
    """1d8+10 and 1d6, 5 off each arrow; the first attack looses a second arrow, which no critical multiplies."""
    spots, criticals = _LONGBOW(dice)
    second = int(spots.searchsorted(BLOCK))
    damage = dice.sums(1, 8, len(spots) + second, 10 - 5)
    damage += dice.sums(1, 6, len(damage))
    damage[:second] += damage[len(spots) :]
    damage = damage[: len(spots)]
    damage[criticals] += dice.sums(2, 8, len(criticals), 20)
    tally.hits(slice(0, 4), spots, damage, criticals)


# --- miss chance, fortification, typed reductions -------------------------------------------------------------------------------------------------


_DAGGERS = confirming_stack(19, [11, 6, 9], 19, naturals=True)


@game("d20-rogue", "two daggers", "confirmation, miss chance, typed reduction", attacks=3, highest=3 * 30)
def daggers(dice: Dice, tally: Tally) -> None:
    """1d3 less 2 and 4d6; the second dagger is 1d3-1, at least 1, and its fire is nothing to the target."""
    spots, criticals = _DAGGERS(dice)
    kept = np.flatnonzero(dice.kept(len(spots), 20))
    critical = np.zeros(len(spots), np.bool_)
    critical[criticals] = True
    spots, criticals = spots.take(kept), np.flatnonzero(critical.take(kept))
    off_hand = spots >= 2 * BLOCK
    blade = dice.sums(1, 3, len(spots))
    blade[criticals] += dice.sums(1, 3, len(criticals))
    less = np.full(len(spots), TWO)
    less[off_hand] += ONE
    less[criticals.compress(off_hand.take(criticals))] += ONE
    np.maximum(blade, less, out=blade)
    blade -= less
    blade += dice.sums(4, 6, len(spots))
    tally.hits(slice(0, 3), spots, blade, criticals)


_KUKRIS = confirming_stack(24, [13, 8, 13, 8], 15, naturals=True)


@game("srd35-warriors", "two kukris", "confirmation, fortification, miss chance rolled twice, precision", attacks=4, highest=4 * 36)
def kukris(dice: Dice, tally: Tally) -> None:
    """1d4+2 or 1d4+1 and 4d6 sneak, 5 off; fortification takes the critical and the sneak attack."""
    spots, criticals = _KUKRIS(dice)
    whole = dice.kept(len(spots), 25)
    critical = np.zeros(len(spots), np.bool_)
    critical[criticals] = True
    critical &= whole
    kept = np.flatnonzero(dice.kept(len(spots), 20, twice=True))
    spots, criticals, sneaking = spots.take(kept), np.flatnonzero(critical.take(kept)), np.flatnonzero(whole.take(kept))
    damage = dice.sums(1, 4, len(spots), 2)
    damage[criticals] += dice.sums(1, 4, len(criticals), 2)
    second = int(spots.searchsorted(2 * BLOCK))
    damage[second:] -= ONE
    damage[criticals[criticals.searchsorted(second) :]] -= ONE
    damage[sneaking] += dice.sums(4, 6, len(sneaking))
    np.maximum(damage, np.uint32(5), out=damage)
    damage -= np.uint32(5)
    tally.hits(slice(0, 4), spots, damage, criticals)


_MAIN, _OFF = confirming_stack(51, [42, 37, 32, 27, 44], 10, naturals=False), confirming_stack(51, [42, 37], 12, naturals=False)


def _concealed(dice: Dice, spots: Spots, criticals: Spots) -> tuple[Spots, Spots]:
    kept = np.flatnonzero(dice.kept(len(spots), 20, twice=True))
    critical = np.zeros(len(spots), np.bool_)
    critical[criticals] = True
    return spots.take(kept), np.flatnonzero(critical.take(kept))


def _warded(slashing: U32) -> U32:
    """A tenth off, rounded in the target's favour, then 5 and 5."""
    slashing -= slashing // np.uint32(10)
    slashing -= np.uint32(10)
    return slashing


@game("nwn-duelists", "two kukris", "seven attacks, confirmation, miss chance rolled twice, percent and points off", attacks=7, highest=7 * 100)
def duelist(dice: Dice, tally: Tally) -> None:
    """1d4+7 three times on a critical and 8d6, 1d6 fire halved; 1d4+6 twice and 8d6, 1d6 acid less 10."""
    spots, criticals = _concealed(dice, *_MAIN(dice))
    slashing = dice.sums(1, 4, len(spots), 7)
    slashing += dice.sums(8, 6, len(spots))
    slashing[criticals] += dice.sums(2, 4, len(criticals), 14)
    fire = dice.sums(1, 6, len(spots), 1)
    fire[criticals] += dice.sums(2, 6, len(criticals))
    fire >>= ONE
    damage = _warded(slashing)
    damage += fire
    tally.hits(slice(0, 5), spots, damage, criticals)

    spots, criticals = _concealed(dice, *_OFF(dice))
    slashing = dice.sums(1, 4, len(spots), 6)
    slashing += dice.sums(8, 6, len(spots))
    slashing[criticals] += dice.sums(1, 4, len(criticals), 6)
    damage = _warded(slashing)
    acid = dice.sums(2, 6, len(criticals))
    np.maximum(acid, np.uint32(10), out=acid)
    acid -= np.uint32(10)
    damage[criticals] += acid
    tally.hits(slice(5, 7), spots, damage, criticals)


_SWORD, _HAMMER = firsts(needed(21, [14, 9])), firsts(needed(21, [12]))


@game("nwn-rogue", "as the statblock says", "immunity to criticals, miss chance rolled twice, percent off and on", attacks=3, highest=3 * 30)
def backstab(dice: Dice, tally: Tally) -> None:
    """1d6+5 and 3d6 halved, 1d4 acid; 1d4+2 and a quarter, 1d4 acid."""
    _, spots = struck(dice.attacks(2), _SWORD)
    spots = spots.compress(dice.kept(len(spots), 20, twice=True))
    damage = dice.sums(4, 6, len(spots), 5 + 1)
    damage >>= ONE
    damage += dice.sums(1, 4, len(spots))
    tally.hits(slice(0, 2), spots, damage)
    _, spots = struck(dice.attacks(1), _HAMMER)
    spots = spots.compress(dice.kept(len(spots), 20, twice=True))
    damage = dice.sums(1, 4, len(spots), 2)
    damage += damage >> TWO
    damage += dice.sums(1, 4, len(spots))
    tally.hits(slice(2, 3), spots, damage)


# --- a natural 20, or a total that meets -----------------------------------------------------------------------------------------------------------


_RAPIER = firsts(needed(15, [2, 0, -2]))


@game("core-duel", "duellist", "natural 20, the first hit is taken", attacks=4, highest=4 * 17)
def duellist(dice: Dice, tally: Tally) -> None:
    """1d8+2 less 1, another d8 on a critical; the first attack always hits."""
    word = dice.attacks(4)
    hits = word[1:] >= _RAPIER
    spots = np.concatenate((np.arange(BLOCK), np.flatnonzero(hits) + BLOCK))
    criticals = np.flatnonzero(word.reshape(-1).take(spots) >= TWENTY)
    damage = dice.sums(1, 8, len(spots), 1)
    damage[criticals] += dice.sums(1, 8, len(criticals))
    tally.hits(slice(0, 4), spots, damage, criticals)


_SHORT, _LONG = firsts(needed(15, [4, -1])), firsts(needed(15, [2, -3]))


@game("core-goobelthorp", "Kaflimbo", "natural 20, two weapons", attacks=4, highest=2 * 12 + 2 * 16, rows=(0, 2, 1, 3))
def kaflimbo(dice: Dice, tally: Tally) -> None:
    """1d6 and 1d8, twice on a critical."""
    for stack, hit, sides in ((slice(0, 2), _SHORT, 6), (slice(2, 4), _LONG, 8)):
        word, spots = struck(dice.attacks(2), hit)
        criticals = np.flatnonzero(word >= TWENTY)
        damage = dice.sums(1, sides, len(spots))
        damage[criticals] += dice.sums(1, sides, len(criticals))
        tally.hits(stack, spots, damage, criticals)


_RIFLE, _PISTOL = firsts(needed(20, [3, 3])), firsts(needed(20, [-3]))


@game("starfinder-soldier", "rifle and pistol, full attack", "critical when the total meets, two weapons", attacks=3, highest=110, rows=(0, 2, 1))
def soldier(dice: Dice, tally: Tally) -> None:
    """2d10+6, rolled twice on a critical; 1d12+6 and 1d4, which never is one here."""
    word, spots = struck(dice.attacks(2), _RIFLE)
    criticals = np.flatnonzero(word >= TWENTY)
    damage = dice.sums(2, 10, len(spots), 6)
    damage[criticals] += dice.sums(2, 10, len(criticals), 6)
    tally.hits(slice(0, 2), spots, damage, criticals)
    word, spots = struck(dice.attacks(1), _PISTOL)
    damage = dice.sums(1, 12, len(spots), 6)
    damage += dice.sums(1, 4, len(spots))
    tally.hits(slice(2, 3), spots, damage)


_DOSHKO = firsts(needed(18, [4, 4]))


@game("starfinder-melee", "doshko", "critical when the total meets, miss chance", attacks=2, highest=72)
def doshko(dice: Dice, tally: Tally) -> None:
    """1d12+4, rolled twice and a d4 on a critical."""
    word, spots = struck(dice.attacks(2), _DOSHKO)
    kept = np.flatnonzero(dice.kept(len(spots), 20))
    word, spots = word.take(kept), spots.take(kept)
    criticals = np.flatnonzero(word >= TWENTY)
    damage = dice.sums(1, 12, len(spots), 4)
    more = dice.sums(1, 12, len(criticals), 4)
    more += dice.sums(1, 4, len(criticals))
    damage[criticals] += more
    tally.hits(slice(0, 2), spots, damage, criticals)


# --- ten above or below -----------------------------------------------------------------------------------------------------------------------------


_PICK, _PICK_CRITICAL = firsts([5, 10, 15]), firsts([15, 20, 20]).ravel()


@game("pathfinder2-strikers", "fighter, greatpick", "margins, one roll doubled, fatal, weakness and resistance", attacks=3, highest=3 * 92)
def greatpick(dice: Dice, tally: Tally) -> None:
    """2d10+8 less 3 and 1d6 fire plus 2; a critical is 2d12+8 doubled, another d12, less 3, and 1d6 doubled plus 2."""
    word, spots = struck(dice.attacks(3), _PICK)
    critical = word >= _PICK_CRITICAL.take(spots >> (BLOCK.bit_length() - 1))
    criticals, ordinary = np.flatnonzero(critical), np.flatnonzero(~critical)
    damage = np.empty(len(spots), np.uint32)
    some = dice.sums(2, 10, len(ordinary), 8 - 3 + 2)
    some += dice.sums(1, 6, len(ordinary))
    damage[ordinary] = some
    some = dice.sums(2, 12, len(criticals), 8)
    some += dice.sums(1, 6, len(criticals))
    some += some
    some += dice.sums(1, 12, len(criticals), 2)
    some -= np.uint32(3)
    damage[criticals] = some
    tally.hits(slice(0, 3), spots, damage, criticals)


_LASER, _LASER_CRITICAL = firsts([9, 14]), firsts([19, 20]).ravel()


@game("pathfinder2-distance", "laser rifle, aimed", "margins, the higher of two d20, one roll doubled", attacks=2, highest=2 * 44)
def laser(dice: Dice, tally: Tally) -> None:
    """2d8+2, doubled and a d8 on a critical."""
    word = dice.attacks(2)
    np.maximum(word, again(word), out=word)
    word, spots = struck(word, _LASER)
    criticals = np.flatnonzero(word >= _LASER_CRITICAL.take(spots >> (BLOCK.bit_length() - 1)))
    damage = dice.sums(2, 8, len(spots), 2)
    more = damage.take(criticals)
    more += dice.sums(1, 8, len(criticals))
    damage[criticals] += more
    tally.hits(slice(0, 2), spots, damage, criticals)


# --- once a turn, rerolls, the better of two ----------------------------------------------------------------------------------------------------------


@game("dnd5e-martials", "reckless barbarian", "advantage, the first hit takes the better of two rolls", attacks=2, highest=2 * 49)
def barbarian(dice: Dice, tally: Tally) -> None:
    """2d6+19; 4d6+19 and a d6 on a critical."""
    word = dice.attacks(2)
    np.maximum(word, again(word), out=word)
    hits = word >= first(13)
    spots = np.flatnonzero(hits)
    word = word.reshape(-1).take(spots)
    early = int(spots.searchsorted(BLOCK))
    better = np.concatenate((np.arange(early), early + np.flatnonzero(~hits[0].take(spots[early:] - BLOCK))))
    criticals = np.flatnonzero(word >= TWENTY)
    critical = np.zeros(len(spots), np.bool_)
    critical[criticals] = True
    damage = dice.sums(2, 6, len(spots), 19)
    damage[criticals] += dice.sums(2, 6, len(criticals))
    other = dice.sums(2, 6, len(better), 19)
    doubled = np.flatnonzero(critical.take(better))
    other[doubled] += dice.sums(2, 6, len(doubled))
    damage[better] = np.maximum(damage.take(better), other)
    damage[criticals] += dice.sums(1, 6, len(criticals))
    tally.hits(slice(0, 2), spots, damage, criticals)


_LOW = first(2)


@game("dnd5e-martials", "rogue with two blades", "three d20 and a lucky one, sneak attack once a turn", attacks=2, highest=30 + 120)
def rogue(dice: Dice, tally: Tally) -> None:
    """1d8+6, then 1d4; 5d6 with the first that hits, twice on a critical."""
    word = dice.words(BLOCK)
    second = again(word)
    third = again(second)
    lowest = np.minimum(np.minimum(word, second), third)
    np.maximum(word, second, out=word)
    np.maximum(word, third, out=word)
    # A die that shows 1 is the lowest, so the lucky one joins the others.
    unlucky = np.flatnonzero(lowest < _LOW)
    word[unlucky] = np.maximum(word.take(unlucky), dice.words(len(unlucky)))
    hits = word >= first(8)
    spots = np.flatnonzero(hits)
    criticals = np.flatnonzero(word.take(spots) >= TWENTY)
    damage = dice.sums(1, 8, len(spots), 6)
    damage += dice.sums(5, 6, len(spots))
    more = dice.sums(1, 8, len(criticals))
    more += dice.sums(5, 6, len(criticals))
    damage[criticals] += more
    tally.hits(slice(0, 1), spots, damage, criticals)

    word = dice.words(BLOCK)
    unlucky = np.flatnonzero(word < _LOW)
    word[unlucky] = dice.words(len(unlucky))
    spots = np.flatnonzero(word >= first(9))
    critical = word.take(spots) >= TWENTY
    criticals = np.flatnonzero(critical)
    damage = dice.sums(1, 4, len(spots))
    damage[criticals] += dice.sums(1, 4, len(criticals))
    sneaking = np.flatnonzero(~hits.take(spots))
    sneak = dice.sums(5, 6, len(sneaking))
    doubled = np.flatnonzero(critical.take(sneaking))
    sneak[doubled] += dice.sums(5, 6, len(doubled))
    damage[sneaking] += sneak
    tally.hits(slice(1, 2), spots, damage, criticals)


@game("dnd5e-martials", "paladin, smites on criticals", "a d4 on the attack, rerolled dice, a smite once a turn, vulnerability", attacks=2, highest=350)
def paladin(dice: Dice, tally: Tally) -> None:
    """2d6+5 (1 and 2 rerolled) and 1d8 radiant, doubled; twice the dice on a critical, and 8d8 more on the first."""
    word = dice.attacks(2)
    bless = again(word)
    bless >>= np.uint32(30)
    # The face of 27 bits, times 20, and the d4 on top of it.
    face = word >> np.uint32(5)
    face *= np.uint32(20)
    face >>= np.uint32(27)
    bless += face
    hits = bless >= np.uint32(7)
    hits &= word >= _LOW
    hits |= word >= first(20)
    spots = np.flatnonzero(hits)
    critical = word.reshape(-1).take(spots) >= first(19)
    criticals = np.flatnonzero(critical)
    radiant = dice.sums(1, 8, len(spots))
    radiant[criticals] += dice.sums(1, 8, len(criticals))
    smiting = word >= first(19)
    smiting &= hits
    smiting[1] &= ~smiting[0]
    first_critical = criticals.compress(smiting.reshape(-1).take(spots.take(criticals)))
    radiant[first_critical] += dice.sums(8, 8, len(first_critical))
    radiant += radiant
    radiant += dice.pairs("reroll", len(spots))
    radiant[criticals] += dice.pairs("reroll", len(criticals))
    radiant += np.uint32(5)
    tally.hits(slice(0, 2), spots, radiant, criticals)


@game("dnd5e-switches", "champion", "disadvantage, immunity to criticals, dice at least 3, the better of two, damage of a miss", attacks=3, highest=3 * 20)
def champion(dice: Dice, tally: Tally) -> None:
    """2d6+6, 3 off and halved; the first hit takes the better of two dice each and a d8; a miss is 1."""
    word = dice.attacks(3)
    np.minimum(word, again(word), out=word)
    hits = word >= first(10)
    spots = np.flatnonzero(hits)
    earlier = np.zeros((3, BLOCK), np.bool_)
    earlier[1] = hits[0]
    np.logical_or(hits[0], hits[1], out=earlier[2])
    later = earlier.reshape(-1).take(spots)
    fresh, rest = np.flatnonzero(~later), np.flatnonzero(later)
    damage = np.empty(len(spots), np.uint32)
    some = dice.sums(1, 8, len(fresh))
    np.maximum(some, np.uint32(3), out=some)
    some += dice.pairs("best", len(fresh))
    damage[fresh] = some
    damage[rest] = dice.pairs("floor", len(rest))
    damage += np.uint32(6 - 3)
    damage >>= ONE
    tally.hits(slice(0, 3), spots, damage)
    tally.misses(slice(0, 3), np.flatnonzero(~hits), ONE)


# --- areas ----------------------------------------------------------------------------------------------------------------------------------------------

#: Where a miss lands, direction by direction (1 is back to the thrower) and distance by distance: how many are caught who take it whole, and whether the
#: one with 5 off is.
_WHOLE = np.array([1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 2, 2, 2, 1, 2, 2, 1, 1, 2, 2, 2, 0, 1, 0, 0, 0], dtype=np.uint32)
_LESS = np.array([1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0], dtype=np.uint32)
_FIVE = np.uint32(5)


def _less(damage: U32) -> U32:
    return np.maximum(damage, _FIVE) - _FIVE


@game("starfinder-grenade", "frag grenade", "area, scatter, one roll for all, each with reductions", attacks=1, highest=3 * 24)
def grenade(dice: Dice, tally: Tally) -> None:
    """2d6, twice on a critical, on the mark to one whole and to one less 5; a miss scatters by a d8 and a d4, five bits."""
    word = dice.words(BLOCK)
    hits = word >= first(3)
    spots = np.flatnonzero(hits)
    criticals = np.flatnonzero(word.take(spots) >= TWENTY)
    damage = dice.sums(2, 6, len(spots))
    damage[criticals] += dice.sums(2, 6, len(criticals))
    damage += _less(damage)
    tally.hits(slice(0, 1), spots, damage, criticals)
    spots = np.flatnonzero(~hits)
    damage = dice.sums(2, 6, len(spots))
    landing = (dice.words(len(spots)) >> np.uint32(27)).astype(np.intp)
    tally.misses(slice(0, 1), spots, damage * _WHOLE.take(landing) + _less(damage) * _LESS.take(landing))
