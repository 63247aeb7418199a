"""What a fresh process can tell at once; the times are the report's (`benchmarks.fresh`)."""

import pytest

from benchmarks import fresh


def test_nothing_heavy_is_imported():
    assert fresh.heavy_imports() == []


@pytest.mark.parametrize("name", fresh.STARTS)
def test_every_start_works(name):
    code, *arguments = fresh.STARTS[name]
    cost, _ = fresh.python(code, *arguments)
    assert cost.cpu > 0


def test_a_failure_is_told():
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        fresh.python("1 / 0")


def test_memory_does_not_grow_with_the_rounds():
    few, many = fresh.peak_memory(10**5), fresh.peak_memory(10**7)
    assert many < few + 20 * 2**20
    assert many < 300e6
