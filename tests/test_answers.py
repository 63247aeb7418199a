"""The questions in Python: what an answer holds, how it is drawn, and what is refused in which words."""

import copy
import io
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import analyzer
from analyzer import Answer, ScenarioError, analyses, compare, curve, load, loads, sample, sheet, statblock, target, trace
from analyzer.analyses.trace import records as trace_records
from analyzer.pictures.drawing import COLOURS
from analyzer.pictures.figures import sweep_figure

ROUND = ["dpr", "hits", "crits", "any_hit", "any_crit", "no_damage"]
ATTACK = ["hit_chance", "threat_chance", "crit_chance", "mean"]
DUEL = """
system = "d20"
[target]
ac = 18
reduction = { physical = 2 }
[[build]]
name = "sword"
attack = "+8/+3"
damage = "1d8+3"
critical = "19-20/x2"
[[build]]
name = "axe"
attack = "+8/+3"
damage = "1d12+3"
critical = "x3"
"""


def beside(name):
    return [name, f"{name}_mc", f"{name}_se", f"{name}_z"]


def python(code):
    """What a fresh interpreter prints."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def sword():
    return statblock("+8/+3", "1d8+3", critical="19-20/x2", name="sword")


# -- where a build comes from --------------------------------------------------------------------------------------------------------------------------


def test_file_statblock_sheet_and_variation_say_the_same(tmp_path, sword):
    """One fighter written five ways: base attack bonus +6 and Strength 14 are +8/+3 and 1d8+2, and luck is a point of damage more."""
    file = tmp_path / "duel.toml"
    file.write_text(DUEL)
    faced = target(reduction={"physical": 2})
    drawn = sheet(
        bab=6,
        abilities={"strength": 14},
        damage_bonuses={"luck": 1},
        weapon={"damage": "1d8", "critical": "19-20/x2"},
        name="sword",
    )
    wanted = curve(sword, "10:25", target=faced)
    for built in (drawn, sword.but(attack=+2).but(attack=-2, name="sword"), statblock([8, 3], "1d8+3", critical="19-20", name="sword")):
        pd.testing.assert_frame_equal(curve(built, "10:25", target=faced), wanted)
    pd.testing.assert_frame_equal(curve(load(file), "10:25").query("build == 'sword'"), pd.DataFrame(wanted))


def test_a_target_as_dict_or_object_instead_of_the_scenarios(sword):
    scenario = loads(DUEL)
    soft = curve(scenario, 18, target={"ac": 12})
    pd.testing.assert_frame_equal(soft, curve(scenario, 18, target=target(ac=12)))
    pd.testing.assert_frame_equal(soft, curve(list(scenario.builds), 18))
    assert (soft["dpr"] > curve(scenario, 18)["dpr"]).all()


def test_the_sweep_replaces_the_targets_own_number(sword):
    assert curve(sword, 15, target={"ac": 30}).equals(curve(sword, 15))
    assert trace(sword, 15, target={"ac": 30}) == trace(sword, 15)


@pytest.mark.parametrize(
    "ac", ["12:14", [12, 13, 14], (12, 13, 14), range(12, 15), np.arange(12, 15), "12,13,14", "14:14,12:13", iter([12, 13, 14]), [12, 12, 13, 14]]
)
def test_forms_of_a_sweep(sword, ac):
    assert sorted(curve(sword, ac)["ac"]) == [12, 13, 14]


def test_the_default_sweep(sword):
    assert curve(sword)["ac"].tolist() == list(range(10, 41))


# -- the frame -----------------------------------------------------------------------------------------------------------------------------------------


def test_columns_of_curve(sword):
    assert list(curve(sword, 18)) == ["system", "build", "ac", "dpr", "sd", "hits", "crits", "any_hit", "any_crit", "no_damage"]
    assert list(curve(sword, 18, by="attack")) == ["system", "build", "ac", "attack", "bonus", *ATTACK]


def test_columns_of_compare(sword):
    by_round = compare(sword, 18, trials=1000, seed=1)
    assert list(by_round) == ["system", "build", "ac", *beside("dpr"), "sd", *(c for name in ROUND[1:] for c in beside(name))]
    by_attack = compare(sword, 18, trials=1000, seed=1, by="attack")
    assert list(by_attack) == ["system", "build", "ac", "attack", "bonus", *(c for name in ATTACK for c in beside(name))]
    assert by_attack["attack"].tolist() == [1, 2]
    assert by_attack["bonus"].tolist() == [8, 3]


def test_critical_effects_have_columns_of_their_own():
    """Even an effect named like a figure there is already."""
    scenario = loads(
        'system = "starfinder"\n'
        + "".join(f'[[build]]\nname = "{e}"\nattack = "+5/+5"\ndamage = "1d6"\ncritical_effect = "{e}"\n' for e in ("severe wound", "hit", "crit"))
    )
    frame = curve(scenario, 15).set_index("build")
    assert frame.loc["severe wound", "any_severe_wound"] == pytest.approx(1 - 0.95**2)
    assert frame.loc["hit", "any_hit_effect"] == pytest.approx(1 - 0.95**2)
    assert frame.loc["crit", "any_crit_effect"] == pytest.approx(1 - 0.95**2)
    assert frame["any_hit"].tolist() == pytest.approx([1 - 0.45**2] * 3)
    by_attack = compare(scenario, 15, trials=1000, seed=1, by="attack")
    assert by_attack["effect"].tolist() == [e for e in ("severe wound", "hit", "crit") for _ in range(2)]
    assert by_attack["effect_chance"].tolist() == pytest.approx([0.05] * 6)


def test_exact_columns_of_compare_are_those_of_curve():
    scenario = loads(DUEL)
    for by in ("round", "attack"):
        exact = curve(scenario, "15:20", by=by)
        pd.testing.assert_frame_equal(pd.DataFrame(compare(scenario, "15:20", trials=1000, seed=1, by=by))[list(exact)], pd.DataFrame(exact))


def test_standard_error_and_z_by_hand(sword):
    """The standard error is the sample's own, z is in exact standard errors."""
    n = 5000
    found = compare(sword, 18, trials=n, seed=9)
    rows = sample(sword, 18, trials=n, seed=9)
    (figure,) = found.to_dict("records")
    totals = rows["total"].to_numpy()
    assert figure["dpr_mc"] == pytest.approx(totals.mean(), rel=1e-12)
    assert figure["dpr_se"] == pytest.approx(totals.std(ddof=1) / np.sqrt(n), rel=1e-12)
    assert figure["dpr_z"] == pytest.approx((totals.mean() - figure["dpr"]) / (figure["sd"] / np.sqrt(n)), rel=1e-12)
    hits = (rows[["degree_1", "degree_2"]] >= 2).sum(axis=1)
    assert figure["hits_mc"] == pytest.approx(hits.mean(), rel=1e-12)
    assert figure["hits_se"] == pytest.approx(hits.std(ddof=1) / np.sqrt(n), rel=1e-12)
    any_hit = (hits > 0).mean()
    assert figure["any_hit_se"] == pytest.approx(np.sqrt(any_hit * (1 - any_hit) / n), rel=1e-12)
    assert figure["any_hit_z"] == pytest.approx((any_hit - figure["any_hit"]) / np.sqrt(figure["any_hit"] * (1 - figure["any_hit"]) / n), rel=1e-9)
    assert figure["no_damage_mc"] == (totals == 0).mean()


def test_no_standard_error_without_variation_and_no_z_without_an_exact_one():
    """Never a hit in fog of 100 %: every figure is sure, and so are their records."""
    (sure,) = compare(statblock("+5", "1d6"), 15, target={"miss_chance": 100}, trials=200_000, seed=1).to_dict("records")
    for name in ROUND:
        assert pd.isna(sure[f"{name}_se"])
        assert pd.isna(sure[f"{name}_z"])
        assert sure[f"{name}_mc"] == sure[name] == (1.0 if name == "no_damage" else 0.0)


def test_variation_that_was_not_seen_has_a_z_but_no_error():
    (seen,) = compare(statblock("+5", "1d6"), 15, trials=1, seed=1).to_dict("records")
    assert pd.isna(seen["dpr_se"])
    assert np.isfinite(seen["dpr_z"])


# -- what else it carries ------------------------------------------------------------------------------------------------------------------------------


def test_pmf_rows_are_the_rounds_of_the_frame():
    frame = curve(loads(DUEL), "15:20")
    assert isinstance(frame, Answer)
    assert frame.pmf.shape[0] == len(frame) == 12
    assert frame.pmf.sum(axis=1) == pytest.approx(np.ones(12), abs=1e-12)
    totals = np.arange(frame.pmf.shape[1])
    assert frame.pmf @ totals == pytest.approx(frame["dpr"].to_numpy(), rel=1e-12)
    assert frame.pmf[:, 0] == pytest.approx(frame["no_damage"].to_numpy(), rel=1e-12)
    variance = frame.pmf @ totals**2 - (frame.pmf @ totals) ** 2
    assert np.sqrt(variance) == pytest.approx(frame["sd"].to_numpy(), rel=1e-9)


def test_too_many_totals_are_refused_with_the_limit_and_the_rest_is_there():
    wide = statblock([5] * 16, "10000")
    frame = curve(wide, 10)
    assert frame["dpr"].iloc[0] == pytest.approx(16 * 10_000 * (0.75 + 0.75 * 0.05))
    with pytest.raises(ValueError, match=r"at most 131072 totals; got \d+"):
        _ = frame.pmf
    found = compare(wide, 10, trials=1000, seed=1)
    assert found.verdict.agree
    assert "no_damage_mc" not in found


def test_verdict_seed_and_trials(sword):
    found = compare(sword, 18, trials=1000, seed=5)
    assert found.verdict.agree
    assert (found.seed, found.trials) == (5, 1000)
    exact = curve(sword, 18)
    assert exact.verdict is exact.seed is exact.trials is None


def test_the_seed_drawn_is_kept_and_repeats_the_run(sword):
    first, second = (compare(sword, 18, trials=1000) for _ in range(2))
    assert first.seed != second.seed
    assert compare(sword, 18, trials=1000, seed=first.seed).equals(first)
    rows = sample(sword, 18, trials=20)
    assert sample(sword, 18, trials=20, seed=rows.seed).equals(rows)


def test_same_seed_same_frame_however_it_runs(sword):
    wanted = compare(sword, "15:18", trials=300_000, seed=2**70 + 1)
    assert compare(sword, "15:18", trials=300_000, seed=2**70 + 1, workers=2).equals(wanted)
    with ThreadPoolExecutor(2) as executor:
        assert compare(sword, "15:18", trials=300_000, seed=2**70 + 1, executor=executor).equals(wanted)
    assert not compare(sword, "15:18", trials=300_000, seed=2**70 + 2).equals(wanted)


def test_progress_counts_every_round():
    done = []
    compare(loads(DUEL), "15:17", trials=200_000, seed=1, progress=done.append)
    assert sum(done) == 2 * 3 * 200_000


def test_builds_do_not_change_one_another(sword):
    """Common random numbers: a build's figures are the same alone and beside others."""
    scenario = loads(DUEL)
    together = compare(scenario, "15:17", trials=1000, seed=3)
    alone = compare(scenario.builds[1], "15:17", trials=1000, seed=3, target=scenario.target)
    pd.testing.assert_frame_equal(pd.DataFrame(together).query("build == 'axe'").reset_index(drop=True), pd.DataFrame(alone))


# -- as a DataFrame ------------------------------------------------------------------------------------------------------------------------------------


def test_what_pandas_derives_is_a_plain_frame(sword):
    found = compare(sword, "15:17", trials=1000, seed=1)
    for derived in (found.head(1), found[found["ac"] > 15], found.copy(), copy.copy(found), copy.deepcopy(found), found.sort_values("dpr")):
        assert type(derived) is pd.DataFrame
    assert found.groupby("build")["dpr"].mean().iloc[0] == pytest.approx(found["dpr"].mean())


def test_an_answer_can_be_pickled(sword):
    found = compare(sword, "15:17", trials=1000, seed=1)
    again = pickle.loads(pickle.dumps(found))
    assert isinstance(again, Answer)
    assert again.equals(found)
    assert (again.verdict, again.seed, again.trials) == (found.verdict, 1, 1000)
    assert (again.pmf == found.pmf).all()
    assert isinstance(again.figure(), Figure)


def test_notebook_display(sword):
    shown = compare(sword, 18, trials=1000, seed=1)._repr_html_()
    assert "<table" in shown
    assert "The two engines agree" in shown
    assert "p &lt; " in shown
    assert "engines" not in curve(sword, 18)._repr_html_()
    evil = statblock("+5", "1d6", name="<b>x</b>")
    assert "<b>x</b>" not in curve(evil, 18)._repr_html_()


# -- figures -------------------------------------------------------------------------------------------------------------------------------------------


def drawn(figure, form="png"):
    out = io.BytesIO()
    figure.savefig(out, format=form)
    return out.getvalue()


def many(n):
    return [statblock(f"+{5 + i}", f"1d8+{i}", name=f"build {i}") for i in range(n)]


@pytest.mark.parametrize("n", [1, 8])
@pytest.mark.parametrize("simulated", [False, True])
def test_figure_of_a_sweep(n, simulated):
    frame = compare(many(n), "10:20", trials=2000, seed=1) if simulated else curve(many(n), "10:20")
    figure = frame.figure()
    assert isinstance(figure, Figure)
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["DPR (damage points per round)", "expected hits per round", "DPR difference\n(standard errors)"][: 3 if simulated else 2]
    assert figure.axes[-1].get_xlabel() == "armor class (AC)"
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [f"build {i}" for i in range(n)]
    lines = [line for line in figure.axes[0].get_lines() if len(line.get_xdata()) == 11 and line.get_linestyle() != "None"]
    assert [to_hex(line.get_color()).upper() for line in lines] == list(COLOURS[:n])
    for i, line in enumerate(lines):
        assert list(line.get_ydata()) == frame[frame["build"] == f"build {i}"]["dpr"].tolist()
    assert len(figure.axes[0].containers) == (n if simulated else 0)
    assert ("±2 standard errors, 2,000 rounds" in figure.axes[0].get_title("left")) == simulated
    assert drawn(figure).startswith(b"\x89PNG")


@pytest.mark.parametrize("n", [1, 8])
def test_figure_of_one_armor_class(n):
    figure = compare(many(n), 15, trials=2000, seed=1).figure()
    assert [axes.get_xlabel() for axes in figure.axes] == ["DPR (damage points per round)", "expected hits per round"]
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == [f"build {i}" for i in range(n)]
    assert "AC 15" in figure.get_suptitle()
    assert len(figure.axes[0].patches) == n
    assert drawn(figure, "svg").startswith(b"<?xml")


@pytest.mark.parametrize("ac", [15, "14:16"])
def test_figure_of_nothing_at_all(ac):
    """No damage, no hits, no variation: still a picture."""
    frame = compare([statblock("+5", "1d6", name="a"), statblock("+0", "0", name="b")], ac, target={"miss_chance": 100}, trials=2000, seed=1)
    assert drawn(frame.figure()).startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["_hidden", "costs $5", r"$\frac$", "$x$", "%s {x}", "a\\b"])
@pytest.mark.parametrize("ac", [15, "14:16"])
def test_build_names_are_drawn_as_they_are(name, ac):
    figure = curve([statblock("+5", "1d6", name=name), statblock("+6", "1d6", name="other")], ac).figure()
    texts = [text.get_text() for legend in figure.legends for text in legend.get_texts()] or [t.get_text() for t in figure.axes[0].get_yticklabels()]
    assert len(texts) == 2
    assert texts[0].strip().replace(r"\$", "$") == name
    svg = drawn(figure, "svg").decode()
    assert svg.count("<!--") >= 2


def test_figure_of_a_chosen_column():
    frame = curve(many(2), "10:20")
    assert sweep_figure(frame, figure="any_crit").axes[1].get_ylabel() == "chance of at least one critical"
    with pytest.raises(ValueError, match=r"figure must be one of 'hits', .*; got 'dps'"):
        sweep_figure(frame, figure="dps")


def test_figures_leave_no_global_state():
    code = (
        "import sys; from analyzer import compare, statblock; import matplotlib as m; before = m.rcParams.copy();"
        "compare(statblock('+5', '1d6'), '10:12', trials=100, seed=1).figure();"
        "assert 'matplotlib.pyplot' not in sys.modules; assert m.rcParams.copy() == before"
    )
    python(code)


def test_an_answer_without_a_drawing_says_so(sword):
    for without in (curve(sword, 18, by="attack"), compare(sword, 18, by="attack", trials=100, seed=1), sample(sword, 18, trials=2)):
        with pytest.raises(ValueError, match="figure must be asked of an answer per round"):
            without.figure()


# -- samples and traces --------------------------------------------------------------------------------------------------------------------------------


def test_a_sample_has_a_row_per_round_with_every_die(sword):
    rows = sample(sword, 18, trials=500, seed=4, first=10)
    assert rows["trial"].tolist() == list(range(10, 510))
    assert (rows["total"] == rows["damage_1"] + rows["damage_2"]).all()
    for row in rows.to_dict("records"):
        for k, bonus in ((1, 8), (2, 3)):
            dice = dict(part.split(" ", 1) for part in row[f"dice_{k}"].split(", "))
            face = int(dice["attack"].removeprefix("d20="))
            hits = (face + bonus > 18 or face == 20) and face != 1
            assert (row[f"degree_{k}"] >= 2) == hits
            assert ("confirm" in dice) == (hits and face >= 19)
            assert ("damage" in dice) == hits
            damage = [int(die.removeprefix("d8=")) for die in dice.get("damage", "").split()]
            assert row[f"damage_{k}"] == sum(damage) + 3 * len(damage)


def test_a_sample_is_what_a_comparison_plays(sword):
    rows = sample(sword, 18, trials=3000, seed=4)
    (found,) = compare(sword, 18, trials=3000, seed=4).to_dict("records")
    assert rows["total"].mean() == pytest.approx(found["dpr_mc"], rel=1e-12)
    part = sample(sword, 18, trials=10, seed=4, first=100)
    pd.testing.assert_frame_equal(pd.DataFrame(rows[100:110]).reset_index(drop=True), pd.DataFrame(part))


def test_a_trace_is_a_row_of_a_sample(sword):
    rows = sample(sword, 18, trials=50, seed=4).to_dict("records")
    for k, row in enumerate(rows):
        log = trace(sword, 18, trial=k, seed=4)
        assert log.total == row["total"]
        assert log.degrees == (row["degree_1"], row["degree_2"])
        assert log.damage == (row["damage_1"], row["damage_2"])
        faces = [die["face"] for die in trace_records(log)]
        told = [int(die.split("=")[1]) for i in (1, 2) for die in row[f"dice_{i}"].replace(",", "").split() if "=" in die]
        assert faces == told


def test_a_scenario_of_one_build_can_be_traced_and_sampled(sword):
    scenario = loads(DUEL.split('[[build]]\nname = "axe"', maxsplit=1)[0])
    assert trace(scenario, seed=3) == trace(scenario.builds[0], target=scenario.target, seed=3)
    assert sample(scenario, trials=5, seed=3).equals(sample(sword, 18, target={"reduction": {"physical": 2}}, trials=5, seed=3))


def test_a_round_without_attacks():
    idle = sheet("core", proficiency_bonus=2, name="idle")
    frame = compare(idle, "10:12", trials=1000, seed=1)
    assert frame.verdict.agree
    assert (frame[["dpr", "sd", "hits", "dpr_mc"]] == 0).all().all()
    assert (frame["no_damage"] == 1).all()
    assert (frame.pmf == 1).all()
    assert compare(idle, 10, by="attack", trials=1000, seed=1).empty
    assert curve(idle, 10, by="attack").empty
    assert sample(idle, trials=3, seed=1)["total"].tolist() == [0, 0, 0]
    assert trace(idle).total == 0


# -- refusals ------------------------------------------------------------------------------------------------------------------------------------------

REFUSED = [
    (lambda b: curve("duel.toml"), TypeError, "builds must be a Build, a Scenario or Builds, as load, statblock and sheet give; got str"),
    (lambda b: curve(5), TypeError, "builds must be .*; got int"),
    (lambda b: curve([b, "x"]), TypeError, "builds must be .*; got str"),
    (lambda b: curve([]), ValueError, "builds must be 1 to 1000; got 0"),
    (lambda b: curve([b, b]), ValueError, "builds must have different names; got 'sword' twice"),
    (lambda b: curve(b, "20:10"), ValueError, "ac must be a range from low to high; got '20:10'"),
    (lambda b: curve(b, "x"), ValueError, "ac must be a number such as 28 or a range such as 10:40; got 'x'"),
    (lambda b: curve(b, []), ValueError, "ac must be at least one armor class"),
    (lambda b: curve(b, 1.5), TypeError, "ac must be a whole number; got 1.5"),
    (lambda b: curve(b, True), TypeError, "ac must be a whole number; got True"),
    (lambda b: curve(b, [1001]), ValueError, "ac must be -1000 to 1000; got 1001"),
    (lambda b: curve(b, by="turn"), ValueError, "by must be 'round' or 'attack'; got 'turn'"),
    (lambda b: curve(b, target=18), TypeError, "target must be a target of d20"),
    (lambda b: curve(b, target=target("core", ac=18)), TypeError, "target must be a target of d20"),
    (lambda b: curve(b, target={"armour": 18}), ScenarioError, "armour must be a known key"),
    (lambda b: compare(b, trials=0), ValueError, "trials must be 1 to 1099511627776; got 0"),
    (lambda b: compare(b, trials=1e6), TypeError, "trials must be a whole number; got 1000000.0"),
    (lambda b: compare(b, trials="1e6"), TypeError, "trials must be a whole number; got '1e6'"),
    (lambda b: compare(b, seed=-1), ValueError, "seed must be a non-negative integer; got -1"),
    (lambda b: compare(b, seed=1.5), TypeError, "seed must be a whole number; got 1.5"),
    (lambda b: compare(b, seed="1"), TypeError, "seed must be a whole number; got '1'"),
    (lambda b: compare(b, workers=0), ValueError, "workers must be 1 to 1024; got 0"),
    (lambda b: compare(b, by="turn", trials=10), ValueError, "by must be 'round' or 'attack'; got 'turn'"),
    (lambda b: sample(b, trials=0), ValueError, "trials must be 1 to 1000000; got 0"),
    (lambda b: sample(b, trials=2_000_000), ValueError, "trials must be 1 to 1000000; got 2000000"),
    (lambda b: sample([b, b.but(attack=1)]), ValueError, "build must be a single build; got 2"),
    (lambda b: sample(b, ac="18"), TypeError, "ac must be a whole number; got '18'"),
    (lambda b: trace([b, b.but(attack=1)]), ValueError, "build must be a single build; got 2"),
    (lambda b: trace(b, trial=-1), ValueError, "trials must be a range within 0 to 1099511627775; got -1 to -1"),
    (lambda b: trace(b, seed=0.5), TypeError, "seed must be a whole number; got 0.5"),
    (lambda b: sample(b, trials=2, seed=1).pmf, ValueError, "pmf must be asked of an answer with exact rounds"),
    (lambda b: analyzer.solve_everything, AttributeError, "has no attribute 'solve_everything'"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
def test_refused(call, error, message, sword):
    with pytest.raises(error, match=message):
        call(sword)


def test_numpy_numbers_are_numbers(sword):
    wanted = compare(sword, 18, trials=1000, seed=7)
    found = compare(sword, np.int64(18), trials=np.int32(1000), seed=np.uint8(7), workers=np.int64(1))
    assert found.equals(wanted)
    assert found.to_json() == wanted.to_json()


def test_the_public_names_are_there():
    for name in analyzer.__all__:
        assert getattr(analyzer, name).__doc__
    assert dir(analyzer) == sorted({*analyzer.__all__, *analyses.names()})


def test_importing_the_package_is_light():
    code = "import sys, analyzer; print([m for m in ('numba', 'pandas', 'matplotlib', 'scipy', 'numpy', 'pydantic') if m in sys.modules])"
    assert python(code) == "[]\n"
