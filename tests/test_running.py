"""A run on any number of workers: the same bytes from threads, processes and a cluster, lost workers, small messages, and Ctrl-C."""

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

from analyzer import compare, example, examples, loads
from analyzer.montecarlo import pool, simulate, simulate_sides
from analyzer.montecarlo.ledger import FIRST_CHECK, Ledger, Piece, Result, checkpoints
from analyzer.montecarlo.simulate import perform
from analyzer.montecarlo.tally import Tally
from tests.test_answers import DUEL
from tests.test_montecarlo import HARSH, whole

SIDES = [(whole(), HARSH, (10, 20)), *((made.plan, made.target, range(12, 20)) for made in (b.derive(None) for b in loads(DUEL).builds))]


def all_bytes(found):
    return [[bytes(tally) for tally in tallies] for tallies in found.tallies]


@pytest.fixture(scope="module")
def alone():
    return all_bytes(simulate_sides(SIDES, trials=200_001, seed=99))


class Flaky(Executor):
    """Runs calls at once, except for those it is told to lose: ``lose(n)`` is the error of the n-th, or None."""

    def __init__(self, lose):
        self.lose = lose
        self.calls = 0

    def submit(self, fn, /, *args, **kwargs):
        self.calls += 1
        error = self.lose(self.calls)
        future = Future()
        if error is None:
            future.set_result(fn(*args, **kwargs))
        else:
            future.set_exception(error)
        return future


# -- the same bytes ------------------------------------------------------------------------------------------------------------------------------------


def test_a_run_of_several_sides_is_a_run_of_each(alone):
    for (plan, target, acs), tallies in zip(SIDES, alone, strict=True):
        assert [bytes(tally) for tally in simulate(plan, target, acs, trials=200_001, seed=99, workers=2)] == tallies


@pytest.mark.parametrize("workers", [2, 5])
def test_same_bytes_from_threads(alone, workers):
    assert all_bytes(simulate_sides(SIDES, trials=200_001, seed=99, workers=workers)) == alone
    with ThreadPoolExecutor(workers) as executor:
        assert all_bytes(simulate_sides(SIDES, trials=200_001, seed=99, executor=executor)) == alone


@pytest.mark.slow
def test_same_bytes_from_processes_and_after_one_is_killed(alone, caplog):
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        assert all_bytes(simulate_sides(SIDES, trials=200_001, seed=99, executor=executor)) == alone
        victims = iter(list(executor._processes))
        found = simulate_sides(SIDES, trials=200_001, seed=99, executor=executor, progress=lambda _: [os.kill(pid, signal.SIGKILL) for pid in victims])
        assert all_bytes(found) == alone
    assert "The workers are gone" in caplog.text


def test_every_round_is_reported_once():
    done = []
    simulate_sides(SIDES, trials=100_000, seed=1, workers=3, progress=done.append)
    assert sum(done) == 100_000 * sum(len(acs) for _, _, acs in SIDES)


# -- lost workers --------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [CancelledError(), BrokenExecutor("a worker died")])
@pytest.mark.parametrize("every", [1, 2, 5])
def test_what_was_lost_is_played_again(alone, error, every):
    assert all_bytes(simulate_sides(SIDES, trials=200_001, seed=99, executor=Flaky(lambda n: error if n % every == 0 else None))) == alone


def test_an_executor_that_takes_nothing_is_replaced(alone):
    class Dead(Executor):
        def submit(self, fn, /, *args, **kwargs):
            raise BrokenExecutor

    assert all_bytes(simulate_sides(SIDES, trials=200_001, seed=99, executor=Dead(), workers=2)) == alone


def test_an_executor_that_never_answers_is_not_waited_for(alone, monkeypatch, caplog):
    class Silent(Executor):
        def submit(self, fn, /, *args, **kwargs):
            return Future()

    monkeypatch.setattr(pool, "PATIENCE", 0.01)
    assert all_bytes(simulate_sides(SIDES, trials=200_001, seed=99, executor=Silent())) == alone
    assert "No worker has answered" in caplog.text


def test_other_errors_are_not_tried_again():
    flaky = Flaky(lambda n: MemoryError("no room") if n == 2 else None)
    with pytest.raises(MemoryError, match="no room"):
        simulate_sides(SIDES, trials=2**20, seed=1, executor=flaky)
    assert flaky.calls <= pool.AHEAD * pool.WIDTH


def test_a_piece_that_loses_every_worker_is_given_up(monkeypatch):
    """What Dask raises when the workers that had a piece died, over and over."""
    killed = type("KilledWorker", (Exception,), {"__module__": "distributed.scheduler"})
    monkeypatch.setitem(sys.modules, "distributed", None)
    flaky = Flaky(lambda _: killed("three workers"))
    with pytest.raises(killed):
        simulate_sides(SIDES[:1], trials=1000, seed=1, executor=flaky)
    assert flaky.calls == 1 + pool.TRIES


# -- messages and memory -------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", examples.names())
def test_messages_are_small(name):
    scenario = example(name)
    sides = [(made.plan, made.target, range(10, 41)) for made in (build.derive(scenario.target) for build in scenario.builds)]
    sent = []

    class Post(Flaky):
        def submit(self, fn, /, *args, **kwargs):
            sent.append(len(pickle.dumps((fn, args))))
            return super().submit(fn, *args, **kwargs)

    simulate_sides(sides, trials=1, seed=1, executor=Post(lambda _: None))
    assert len(sent) == len(sides)
    assert max(sent) < 1500


class Numbers:
    """A source of the numbers below a limit, and what came of them."""

    def __init__(self, limit):
        self.numbers = iter(range(limit))
        self.found = []

    def take(self):
        return next(self.numbers, None)

    def put(self, piece, result):
        self.found.append((piece, result))


def test_few_pieces_are_under_way():
    """As many as keep the workers busy, however many there are; nothing more is asked of the source."""
    most = []

    class Slow(Executor):
        _max_workers = 3
        calls: list = []

        def submit(self, fn, /, *args, **kwargs):
            self.calls.append((future := Future(), fn, args))
            most.append(len(self.calls))
            if len(self.calls) == 3 * pool.AHEAD:
                self.finish()
            return future

        def finish(self):
            first, fn, args = self.calls.pop(0)
            first.set_result(fn(*args))

    executor, source = Slow(), Numbers(500)
    ends = threading.Timer(1.0, lambda: [executor.finish() for _ in range(len(executor.calls))])
    ends.start()
    pool.run(float, source, workers=1, executor=executor)
    ends.join()
    assert sorted(source.found) == [(n, float(n)) for n in range(500)]
    assert max(most) == 3 * pool.AHEAD


def results_of(ledger, sizes):
    """Let a ledger run without a kernel; which pieces it gave out."""
    pieces = []
    empty = simulate(*SIDES[1][:2], (12,), trials=1, seed=1)[0]
    while (piece := ledger.take()) is not None:
        pieces.append(piece)
        ledger.put(piece, Result(tuple(played(empty, piece.trials) for _ in piece.acs), sizes))
    return pieces


def played(tally, trials):
    return Tally(**{name: getattr(tally, name) for name in Tally.__slots__} | {"trials": trials})


def test_sides_advance_together():
    ledger = Ledger([(b"a", (1, 2)), (b"b", (3,)), (b"c", (4,))], trials=2**24, seed=1, block=64)
    pieces = results_of(ledger, 0.1)
    given = [0, 0, 0]
    for piece in pieces:
        assert piece.first == given[piece.side] == min(given)
        given[piece.side] += piece.trials
    assert given == [2**24] * 3


def test_pieces_take_their_time():
    ledger = Ledger([(b"a", (1,))], trials=2**24, seed=1, block=64, seconds=0.2)
    sizes = [piece.trials for piece in results_of(ledger, 0.05)]
    assert sizes[:4] == [2**16, 2**18, 2**20, 2**22]


def test_checkpoints_are_fixed():
    wanted = [65536, 98304, 131072, 196608, 262144, 393216]
    assert [number for number, _ in zip(checkpoints(), wanted, strict=False)] == wanted


def test_every_ac_ends_at_a_checkpoint_of_its_own():
    asked = []

    def enough(side, ac, tally):
        asked.append((side, ac, tally.trials))
        return tally.trials >= FIRST_CHECK * (1 if side == 0 else ac)

    ledger = Ledger([(b"a", (1, 2)), (b"b", (1, 3, 9))], trials=2**18 + 5, seed=1, block=64, enough=enough, width=4)
    results_of(ledger, 0.01)
    ends = {(side, ac): tally.trials for side in (0, 1) for ac, tally in ledger.tallies(side).items()}
    assert ends == {(0, 1): 65536, (0, 2): 65536, (1, 1): 65536, (1, 3): 196608, (1, 9): 2**18 + 5}
    assert ledger.missed == [(1, 9)]
    assert len(asked) == len(set(asked))


# -- Ctrl-C --------------------------------------------------------------------------------------------------------------------------------------------


def interrupting(after):
    done = []

    def progress(trials):
        done.append(trials)
        if len(done) == after:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_answer_is_partial(workers, caplog):
    found = compare(loads(DUEL), "15:17", trials=2**30, seed=1, workers=workers, progress=interrupting(12))
    assert found.partial
    assert found.verdict.agree
    assert "Interrupted" in caplog.text
    assert "Interrupted" in found._repr_html_()
    assert set(found["build"]) == {"sword", "axe"}
    assert (found["trials"] < 2**30).all()
    assert found.trials == found["trials"].max()
    assert found.figure()
    assert not compare(loads(DUEL), 15, trials=10, seed=1).partial


def test_builds_that_were_not_come_to_are_left_out():
    found = compare(loads(DUEL), "15:17", trials=2**30, seed=1, progress=interrupting(1))
    assert set(found["build"]) == {"sword"}
    assert len(found.pmf) == 3


def test_interrupted_before_anything_was_played(monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Ledger, "take", stop)
    with pytest.raises(KeyboardInterrupt):
        compare(loads(DUEL), 15, seed=1)
    with pytest.raises(KeyboardInterrupt):
        simulate(*SIDES[1], trials=10, seed=1)


@pytest.mark.parametrize("options", [("--trials", "1e12"), ("--precision", "1e-9")])
def test_ctrl_c(options, tmp_path):
    """A real process and a real signal, sent ever later until it meets the simulation."""
    file = tmp_path / "duel.toml"
    file.write_text(DUEL)
    command = [sys.executable, "-c", "from analyzer.cli import main; main()", "compare", str(file), "--ac", "18", "--format", "json", "--seed", "5", *options]
    for seconds in (3, 6, 12, 24, 48):
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(seconds)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
        if out:
            break
    assert run.returncode == 130, err
    assert "Traceback" not in err
    rows = json.loads(out)
    assert [row["build"] for row in rows] == ["sword", "axe"]
    assert all(row["trials"] >= 1 for row in rows)
    assert "Interrupted" in err
    assert any(line.startswith("partial answer, ") for line in err.splitlines())
    assert "seed 5" in err
    assert "The two engines agree" in err


# -- a cluster -----------------------------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as running:
        yield running


@pytest.mark.slow
def test_same_bytes_from_a_cluster(cluster, alone):
    distributed = pytest.importorskip("distributed")
    with distributed.Client(cluster, set_as_default=False) as client:
        assert all_bytes(simulate_sides(SIDES, trials=200_001, seed=99, executor=client.get_executor())) == alone
        found = compare(loads(DUEL), "15:17", precision="1%", of=("dpr", "any_crit"), seed=7, executor=client.get_executor())
    assert found.equals(compare(loads(DUEL), "15:17", precision="1%", of=("dpr", "any_crit"), seed=7))


@pytest.mark.slow
def test_a_killed_worker_costs_time_only(cluster):
    distributed = pytest.importorskip("distributed")
    trials = 2**24 + 1
    wanted = all_bytes(simulate_sides(SIDES, trials=trials, seed=4, workers=2))
    killed, done = [], []

    def progress(rounds):
        done.append(rounds)
        if len(done) >= 6 and not killed:
            killed.append(next(worker.pid for worker in cluster.workers.values() if worker.pid))
            os.kill(killed[0], signal.SIGKILL)

    with distributed.Client(cluster, set_as_default=False) as client:
        found = simulate_sides(SIDES, trials=trials, seed=4, executor=client.get_executor(), progress=progress)
    assert killed
    assert all_bytes(found) == wanted
    assert sum(done) == trials * sum(len(acs) for _, _, acs in SIDES)


@pytest.mark.slow
def test_a_cluster_from_the_command_line(cluster, tmp_path):
    file = tmp_path / "duel.toml"
    file.write_text(DUEL)
    command = [sys.executable, "-c", "from analyzer.cli import main; main()", "compare", str(file), "--ac", "15:17", "--seed", "5", "--format", "json"]
    here = subprocess.run(command, capture_output=True, text=True, check=True)
    there = subprocess.run([*command, "--scheduler", cluster.scheduler_address], capture_output=True, text=True, check=True)
    assert there.stdout == here.stdout
    assert "The two engines agree" in there.stderr


def test_perform_is_picklable():
    assert pickle.loads(pickle.dumps(perform)) is perform


def test_a_worker_of_another_version_is_refused():
    """What two versions count must not be added up: a piece says what it is to be played by."""
    piece = Piece(program=bytes(16) + b"packed elsewhere", acs=(20,), seed=1, first=0, trials=10, block=64, side=0)
    with pytest.raises(ValueError, match=r"^executor must have workers with the same version of analyzer as this process; got one with another$"):
        perform(piece)

    class Older(Executor):
        """A worker that takes every piece for one of another version."""

        def submit(self, function, work, piece, tries):
            future = Future()
            try:
                future.set_result(function(work, piece._replace(program=bytes(16) + piece.program[16:]), tries))
            except ValueError as error:
                future.set_exception(error)
            return future

    with pytest.raises(ValueError, match=r"^executor must have workers with the same version"):
        simulate_sides(SIDES[:1], trials=1000, seed=1, executor=Older())
