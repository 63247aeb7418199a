"""Balance: which attack penalty, or dice, damage or attack bonus, makes one weapon match another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, cast

from analyzer.asking.parameters import Choice, Numbers, Real, Text
from analyzer.asking.question import AcOrOwn, AgainstTable, Column, Found, Seed, Trials, Workers, question
from analyzer.asking.seats import Simulation, seats, standing
from analyzer.playing import Builds, Opponent, listed
from analyzer.scenario import Scenario
from analyzer.workings.armoury import Weapon, contested, weapons
from analyzer.workings.bench import Bench, alike
from analyzer.workings.parity import Range, Setting, Vary, line
from analyzer.workings.parity import settings as tried
from analyzer.workings.parity import weights as foe_weights
from analyzer.workings.standings import KEYS, by_attack, by_turn, cells, pictured, searched, sentences, summaries

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_COLUMNS = (
    Column(key="weapon", heading="weapon"),
    Column(key="turns", heading="attacks"),
    Column(key="dice", heading="dice"),
    Column(key="ap", heading="AP"),
    Column(key="damage_shift", heading="damage added", signed=True),
    Column(key="attack_shift", heading="attack bonus added", signed=True),
    Column(key="ratio_now", heading="ratio now"),
    *(Column(key=f"best_{key}", heading=f"best {heading}", signed=key.endswith("shift")) for key, heading in KEYS.values()),
    Column(key="best", heading="best"),
    Column(key="attacks", heading="attacks"),
    Column(key="attack", heading="attack"),
    Column(key="against", heading="target"),
    Column(key="ac", heading="AC"),
    Column(key="dpr", heading="DPR"),
    Column(key="reference_dpr", heading="reference DPR"),
    Column(key="ratio", heading="ratio"),
    Column(key="lowest", heading="lowest"),
    Column(key="lowest_at", heading="at"),
    Column(key="highest", heading="highest"),
    Column(key="highest_at", heading="at"),
)
_TURNS = (1, 2, 3, 4)
#: Most settings of all weapons together.
_MAX_SETTINGS = 5000


def _draw(frame: pd.DataFrame) -> Figure:
    from analyzer.pictures.ratios import attack_curves, ratio_maps, ratio_ranges  # noqa: PLC0415 - matplotlib costs start-up time

    reference = str(frame["reference"].iloc[0])
    if "value" in frame:
        return ratio_maps(frame, rows=str(frame["rows"].iloc[0]), reference=reference)
    if "attack" in frame:
        return attack_curves(frame.assign(panel=_names(frame)))
    return ratio_ranges(frame, _names(frame), reference=reference)


def _names(frame: pd.DataFrame) -> list[str]:
    """Each row's weapon with what was changed of it: ``dagger, 1d6, AP -2``."""
    shown = {"dice": "{}", "ap": "AP {}", "damage_shift": "damage {:+d}", "attack_shift": "attack bonus {:+d}"}
    parts = [[str(weapon)] for weapon in frame["weapon"]]
    for key, text in shown.items():
        if key in frame:
            for part, value in zip(parts, frame[key], strict=True):
                part.extend([] if value is None or value != value else [text.format(value if key == "dice" else int(value))])  # noqa: PLR0124 - NaN is no value
    return [", ".join(part) for part in parts]


@question(columns=_COLUMNS, draw=_draw, example="core-armoury", grouped=("weapon",), caption="ratio: damage of the weapon / damage of the reference")
def balance(
    builds: Builds,
    ac: AcOrOwn = None,
    *,
    target: Opponent = None,
    against: AgainstTable = None,
    reference: Annotated[str | None, Text(metavar="NAME")] = None,
    vary: Annotated[str | None, Choice(("ap", "dice", "damage", "attack"))] = None,
    values: Annotated[int | str | Iterable[int] | None, Numbers(low=-1000, high=1000)] = None,
    dice: Annotated[str | Iterable[str] | None, Text(metavar="DICE,DICE")] = None,
    attacks: Annotated[int | str | Iterable[int] | None, Numbers(low=1, high=64, what="number of attacks")] = None,
    weights: Annotated[str | Iterable[float] | None, Text(metavar="W,W,...")] = None,
    criterion: Annotated[str, Choice(("worst", "mean"))] = "worst",
    within: Annotated[float | None, Real(low=0.0, high=10.0, percent=True)] = None,
    by: Annotated[str, Choice(("summary", "turn", "cell", "attack"))] = "summary",
    simulate: bool = False,
    trials: Trials = 1_000_000,
    seed: Seed = None,
    workers: Workers = 1,
) -> Found:
    """Attack penalty, dice, damage or attack bonus at which weapons match a reference over armor classes and turn lengths.

    Every weapon that a build has at hand is one of the armoury; it makes all attacks of its turn, with nothing else in the round. All values are tried.

    Parameters
    ----------
    {builds}
    ac : int, str or iterable of int, optional
        Armor classes: ``28``, ``"10:20"`` (inclusive) or numbers; if left out those a first attack hits on a roll of 6 to one of 16 (AV 0 to 10 for +4).
    {target}
    {against}
    reference : str, optional
        The weapon the others are to match, which stays as it is; the first if left out.
    vary : {"ap", "dice", "damage", "attack"}, optional
        What is changed: the attack penalty, the weapon's dice, points added to damage or to the attack bonus (proficiency).
        If left out "ap" where every weapon has one, else "attack".
    values : int, str or iterable of int, optional
        Values tried: penalties such as ``-8:0``, or points added; -10 to 0, and -10 to 10, if left out.
    dice : str or iterable of str, optional
        Dice tried, such as ``1d6,1d8,2d4``; the weapon's flat points stay, and a critical deals the multiple of them that it did.
    attacks : int, str or iterable of int, optional
        Lengths of the turn, such as ``1:4`` (the default), each counting as much; left out where the game fixes the turn.
    weights : str or iterable of float, optional
        What each armor class counts, in order, such as ``1,2,3,2,1``; all the same if left out. A table of creatures has weights of its own.
    criterion : {"worst", "mean"}
        "worst": the value with the smallest largest distance over turn lengths and foes that count, ties going to the smaller mean distance; "mean": the
        other way round. A distance is the size of the logarithm of the ratio, so that 1/2 is as far from 1 as 2.
    within : float, optional
        Search instead for an AP for each weapon (and with ``dice`` for different dice of those, one each) so that the weighted mean damages of all, the
        reference included, are within this share of one another: ``5%``. The narrowest choice is shown in any case.
    by : {"summary", "turn", "cell", "attack"}
        A row per weapon; per weapon and turn length; per weapon, value, turn length and foe; or per weapon, attack of the longest turn and foe.
    {simulate}
    {trials}
    {seed}
    {workers}

    Returns
    -------
    Answer
        Per weapon its value now with ``ratio_now``, the best value, ``dpr`` and ``reference_dpr`` with it (damage points per round, mean over turn lengths and
        foes), their ``ratio``, and the ``lowest`` and ``highest`` ratio of one turn length and foe with where that is. By attack ``dpr`` is the mean of that
        attack: what the n-th attack adds. Simulated ratios are of independent rounds, their standard error by the delta method.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played or varied, fewer than two weapons, or an unknown reference.
    """
    pairs = listed(builds, target)
    armoury = weapons(build for build, _ in pairs)
    chosen = _reference(armoury, reference)
    others = tuple(weapon for weapon in armoury if weapon is not chosen)
    varied = _vary(armoury, vary, within)
    turns = _turns(armoury, cast("tuple[int, ...] | None", attacks))
    asked = builds if isinstance(builds, Scenario) else [build for build, _ in pairs]
    places = {seat.build.name: seat for seat in seats(asked, contested(pairs) if ac is None and against is None else ac, target=target, against=against)}
    alike(places)
    over = Range(turns=turns, weights=foe_weights(places[chosen.build.name], weights))
    settings = {weapon.name: tried(weapon, varied, cast("tuple[int, ...] | None", values), dice, searched=within is not None) for weapon in others}
    if sum(map(len, settings.values())) > _MAX_SETTINGS:
        raise ValueError(f"values must come to at most {_MAX_SETTINGS} with all weapons and dice; got {sum(map(len, settings.values()))}")
    bench = Bench(
        reference=line(chosen, places[chosen.build.name], (Setting(),), over),
        lines=tuple(line(weapon, places[weapon.build.name], (*settings[weapon.name], Setting()), over) for weapon in others),
        over=over,
        vary=varied,
        criterion=criterion,
        how=Simulation.asked(simulate, trials=trials, seed=seed, workers=workers),
        apart=by in ("summary", "turn") or within is not None,
    )
    if within is not None:
        return Found.of(*searched(bench, within, dice=dice is not None), bench.twins, bench.how)
    rows = {"summary": summaries, "turn": by_turn, "cell": cells, "attack": by_attack}[by]
    records, notes = list(rows(bench)), [*sentences(bench), *standing(build for build, _ in pairs)]
    return Found.of(records, notes, bench.twins, bench.how, drawn=None if by == "attack" else partial(list, list(pictured(bench))))


def _reference(armoury: Sequence[Weapon], name: str | None) -> Weapon:
    known = [weapon.name for weapon in armoury]
    if len(known) < 2:
        raise ValueError(f"builds must be two weapons at least, one of them the reference; got {', '.join(map(repr, known)) or 'none'}")
    if name is not None and name not in known:
        raise ValueError(f"reference must be one of {', '.join(map(repr, known))}; got {name!r}")
    return armoury[0 if name is None else known.index(name)]


def _vary(armoury: Sequence[Weapon], vary: str | None, within: float | None) -> Vary:
    lacking = [weapon for weapon in armoury if weapon.ap is None]
    chosen = vary or ("attack" if lacking and within is None else "ap")
    if chosen == "ap" and lacking:
        without = f"{lacking[0].name!r} of {lacking[0].build.system}, which has no attack penalty (AP) of its own"
        raise ValueError(f"vary must be 'dice', 'damage' or 'attack' for {without}; got 'ap'")
    if within is not None and chosen != "ap":
        raise ValueError(f"vary must be 'ap' with within, which searches dice and AP together; got {chosen!r}")
    return cast("Vary", chosen)


def _turns(armoury: Sequence[Weapon], attacks: tuple[int, ...] | None) -> tuple[int, ...]:
    fixed = [weapon for weapon in armoury if weapon.hand is None]
    if fixed and (attacks is not None or len(fixed) < len(armoury)):
        got = "nothing" if attacks is None else ", ".join(map(str, attacks))
        raise ValueError(f"attacks must be those of the build where its game or file fixes the turn, for every weapon; got {got} and {fixed[0].name!r}")
    return () if fixed else attacks or _TURNS
