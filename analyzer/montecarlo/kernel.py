"""The Monte Carlo kernel: rounds at dice level, in blocks of trials, one stage a loop.

Self-contained on purpose: Numba's on-disk cache does not see edits in another file, so every jitted function lives here and
nothing jitted is imported. It reads a `Program` (a plan lowered to integer tables by `lower`) and adds to a tally; it knows no game
and no exact chance.

Every die is rolled: word ``slot`` of trial ``trial`` is Philox4x32-10 (Salmon, Moraes, Dror & Shaw, SC 2011) of the counter whose low
64 bits are the trial and whose high 64 bits are ``slot // 4``, under the seed's key. Dice share a 32-bit word while the product of
their faces is at most `WORD_FACES`: a face is the high half of ``word * sides``, the low half stays for the next die. So a trial's
dice depend on nothing but seed, trial and plan, whatever the block or the thread.

What takes part in a stage is listed as keys, 16 at a time (`_keep`), and a stage works through its list. A d20 is never computed where only its
threshold matters: it shows a face or more when its word is at least the lowest word that does, and of several d20s of a word the best is the largest.

Together the dice of a word are one die of N faces, N the product of theirs. Each combination is made of floor(2**32 / N) words or of one
more, so its chance is off by less than 2**-32, and the mean of any figure by at most 1.2e-6 of its SD times the root of the words a round
reads; what is reported is off by far less: the mean of 2d6+15 by 1.4e-9, which is 0.0006 standard errors after 10**12 rounds. The proof, the
exact numbers and TestU01's logs on these words are in ``benchmarks/randomness``.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

#: Faces that may share one 32-bit word; the chance of any combination is off by less than WORD_FACES / 2**32 of itself.
WORD_FACES = 10_000
#: Most totals for which a run keeps four histograms.
SPLIT_TOTALS = 4096
#: Most bins of total, hits and criticals together that a run counts in one table.
BINS = 16_384
#: Most sums of a check's extra dice that are read one after the other for all trials.
DENSE_SUMS = 16
#: Words kept for negation (1) and miss chance (4) of a step, rounded up to whole Philox blocks.
RESOLVE_WORDS = 8

# Columns of Program.attacks.
(
    A_DICE, A_BEST, A_LUCKY, A_EXTRA, A_EXTRA_END, A_EXTRA_LOW, A_TABLE, A_CONFIRM, A_TAKE, A_EFFECT, A_AREA, A_KINDS, A_SCATTERS, A_CHECK_SLOT,
    A_RESOLVE_SLOT, A_DAMAGE_SLOT, A_NEGATABLE, A_MISSES, A_PACKETS,
) = range(19)  # fmt: skip
A_WORDS = A_PACKETS + 8  # after start and end of the packets of each degree: damage words of each degree
A_FLAT = A_WORDS + 4  # whether misses deal damage without dice
A_READ = A_FLAT + 1  # the first attack of the plan whose check reads a die in the same way
A_COLUMNS = A_READ + 1
# Columns of Program.dice, rolls, parts, packets, ops, groups.
D_SIDES, D_COUNT, D_REROLL, D_AT_LEAST, D_BEST_OF, D_SIGN = range(6)
R_DIE, R_DIE_END, R_FLAT, R_HAS_MIN, R_MIN, R_BEST_OF, R_TIMES, R_SCALE, R_PRECISION, R_PLAIN = range(10)
P_ROLL, P_ROLL_END, P_HAS_MIN, P_MIN = range(4)
K_PART, K_PART_END, K_KEEP, K_OF, K_OPS = range(5)
O_REDUCE, O_INTO, O_FROM, O_KEEP, O_OF, O_UP, O_ADD, O_SUBTRACT = range(8)
G_STEP, G_ATTACK, G_STATES, G_EFFECT = range(4)

# Rows of the work space; the first five are those of a damage roll and of the dice of a check.
(
    W_KEYS, W_PICKED, W_MEMBERS, W_DAMAGE, W_LANDING, W_DROPS, W_NONE, W_STATE, W_AFTER, W_INSIDE, W_LANES, W_DEGREE, W_KEPT, W_EXTRA, W_READ, W_ROWS,
) = range(5, 21)  # fmt: skip

# What a traced die was rolled for.
(
    FOR_ATTACK, FOR_ATTACK_REROLL, FOR_EXTRA, FOR_CONFIRM, FOR_CONFIRM_REROLL, FOR_CONFIRM_EXTRA, FOR_NEGATE, FOR_MISS, FOR_DIRECTION, FOR_DISTANCE,
    FOR_DAMAGE, FOR_REROLL,
) = (np.int64(purpose) for purpose in range(12))  # fmt: skip


class Program(NamedTuple):
    """A plan and a target at one AC, as integer tables; all int64, C order."""

    #: (n_groups, 4): step, attack, bit mask of states, whether its effect is the one the step reports
    groups: Any
    #: (n_steps, n_states, 4): state afterwards; a step that changes nothing repeats its state
    next: Any
    #: (n_steps,): 1 where a turn begins
    turn_begins: Any
    #: (n_attacks, A_COLUMNS)
    attacks: Any
    #: (n_rows, 4): lowest face of degree 1, of degree 2, of a threat, lowest confirming face; a row per sum of the extra dice
    thresholds: Any
    dice: Any
    rolls: Any
    parts: Any
    packets: Any
    #: (n_packet x kind of creature + 1,): where each one's operations begin
    op_starts: Any
    #: (n_ops, 8): reduce or merge registers
    ops: Any
    #: flat (landing, kind of creature) tables: how many of the kind are caught
    caught: Any
    #: (8,): miss n, d, rolls; negate n, d; immune to criticals; most parts of a packet; number of states
    target: Any


class Tallies(NamedTuple):
    """What a run adds to; all int64."""

    #: (n_totals,) trials by total damage; empty when the totals are too many to keep apart
    histogram: Any
    #: (n_steps + 1, n_steps + 1) trials by hits and criticals
    table: Any
    #: (n_steps, 4)
    counts: Any
    sums: Any
    squares: Any
    #: (n_steps,)
    threats: Any
    effects: Any
    #: (n_effects,) trials with the effect at least once
    any_effect: Any
    #: (2,) sum and sum of squares of the totals
    totals: Any


class Recorder(NamedTuple):
    """What is written for single trials; arrays of no rows when nothing is to be."""

    #: (n_trials,) total
    total: Any
    #: (n_trials, n_steps) final degree (-1 skipped) and damage
    degree: Any
    damage: Any
    #: (n_trials, most_dice, 5): step, purpose, roll, sides, face; dice beyond most_dice would be a lowering error
    log: Any
    log_length: Any


# Numba compiles a function anew for every literal it is called with, so what functions are called with has a type instead.
_NO, _YES = np.bool_(False), np.bool_(True)
_ZERO, _ONE, _TWO, _ALL, _D4, _D8, _D20, _NO_ROLL = (np.int64(n) for n in (0, 1, 2, 2**40, 4, 8, 20, -1))
_MASK = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_M0 = np.uint64(0xD2511F53)
_M1 = np.uint64(0xCD9E8D57)
_W0 = np.uint64(0x9E3779B9)
_W1 = np.uint64(0xBB67AE85)

#: A key is what a list knows of a trial: its lane in the block, whether its precision damage is dropped, whether it threatened, and its degree.
LANE = np.int32((1 << 20) - 1)
DROPPED = np.int32(1 << 20)
THREAT = np.int32(1 << 21)
DEGREE = 24
_OF_DEGREE = np.int32(1 << DEGREE)
#: Keys listed at a time.
_WIDTH = 16
#: Elements a list needs beyond its last.
ROOM = 2 * _WIDTH

# In a sweep a trial's sums are packed tighter: damage below bit 19, up to 63 hits from there, criticals from bit 25.
_SWEPT_BITS = 19
_SWEPT_MASK = np.int32((1 << 19) - 1)
_SWEPT_HIT = np.int32(1 << 19)
_SWEPT_CRIT = np.int32(1 << 25)
SWEPT_TOTAL = 2**19 - 1
SWEPT_STEPS = 63

# Nothing is allocated in compiled code, so that it counts no references: with Numba's counting, a call that hands a program on costs as much as 1,000 dice.
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "boundscheck": False, "_nrt": False}
_jit = njit(**_OPTIONS)
_inline = njit(**_OPTIONS, inline="always")


@intrinsic
def _apart(_typing):
    """Keep LLVM from copying the function that calls this into its callers: the copies would be compiled again at every level."""

    def codegen(context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.void(), codegen


@_inline
def _philox(key, low, high, block):
    """The four 32-bit words of one Philox4x32-10 block; the trial comes in halves, since its high half is the same for a whole block of trials."""
    c0 = low
    c1 = high
    c2 = block & _MASK
    c3 = block >> _32
    k0 = key & _MASK
    k1 = key >> _32
    for _ in range(10):
        p0 = _M0 * c0
        p1 = _M1 * c2
        c0 = (p1 >> _32) ^ c1 ^ k0
        c1 = p1 & _MASK
        c2 = (p0 >> _32) ^ c3 ^ k1
        c3 = p0 & _MASK
        k0 = (k0 + _W0) & _MASK
        k1 = (k1 + _W1) & _MASK
    return c0, c1, c2, c3


@_inline
def _philox_twice(key, low, other, high, block):
    """The words of two trials with one high half, side by side: ten rounds wait for each other, and the processor has room for more."""
    c0, c1, c2, c3 = low, high, block & _MASK, block >> _32
    d0, d1, d2, d3 = other, high, block & _MASK, block >> _32
    k0 = key & _MASK
    k1 = key >> _32
    for _ in range(10):
        p0, p1 = _M0 * c0, _M1 * c2
        q0, q1 = _M0 * d0, _M1 * d2
        c0, c1, c2, c3 = (p1 >> _32) ^ c1 ^ k0, p1 & _MASK, (p0 >> _32) ^ c3 ^ k1, p0 & _MASK
        d0, d1, d2, d3 = (q1 >> _32) ^ d1 ^ k0, q1 & _MASK, (q0 >> _32) ^ d3 ^ k1, q0 & _MASK
        k0 = (k0 + _W0) & _MASK
        k1 = (k1 + _W1) & _MASK
    return c0, c1, c2, c3, d0, d1, d2, d3


@_inline
def _low_half(low, lane):
    return np.uint64(np.uint32(low + np.uint32(lane)))


def philox_words(key: np.uint64, trial: np.uint64, block: np.uint64) -> NDArray[np.uint32]:
    """The four words of a block as an array, for the reference vectors."""
    out = np.empty(4, np.uint32)
    _write_words(np.uint64(key), np.uint64(trial), np.uint64(block), out)
    return out


@_jit
def _write_words(key, trial, block, out):
    a, b, c, d = _philox(key, trial & _MASK, trial >> _32, block)
    out[0], out[1], out[2], out[3] = np.uint32(a), np.uint32(b), np.uint32(c), np.uint32(d)


@_jit
def _fill(words, key, first, block, n):
    """Fill the words of ``n`` consecutive trials, none of which lies beyond a multiple of 2**32 that ``first`` lies before."""
    _apart()
    slot = np.uint64(block)
    low, high = np.uint32(first & _MASK), first >> _32
    w0, w1, w2, w3 = words[0], words[1], words[2], words[3]
    half = n // 2
    u0, u1, u2, u3 = w0[half:], w1[half:], w2[half:], w3[half:]
    for j in range((n + 1) // 2):
        a, b, c, d, e, f, g, h = _philox_twice(key, _low_half(low, j), _low_half(low, j + half), high, slot)
        w0[j], w1[j], w2[j], w3[j] = np.uint32(a), np.uint32(b), np.uint32(c), np.uint32(d)
        u0[j], u1[j] = np.uint32(e), np.uint32(f)
        u2[j], u3[j] = np.uint32(g), np.uint32(h)


@_jit
def _fill_some(words, key, first, lanes, block, n, needed):
    """Fill the words of the trials in ``lanes``, as `_fill` does; the last two words only when more than two are ``needed``.

    Up to `ROOM` words beyond ``n`` are overwritten, so that no trial is left over when the others are filled many at a time.
    """
    _apart()
    slot = np.uint64(block)
    low, high = np.uint32(first & _MASK), first >> _32
    w0, w1, w2, w3 = words[0], words[1], words[2], words[3]
    half = (n + 2 * _WIDTH - 1) // (2 * _WIDTH) * _WIDTH
    u0, u1, u2, u3, others = w0[half:], w1[half:], w2[half:], w3[half:], lanes[half:]
    if needed > 2:
        for j in range(half):
            a, b, c, d, e, f, g, h = _philox_twice(key, _low_half(low, lanes[j] & LANE), _low_half(low, others[j] & LANE), high, slot)
            w0[j], w1[j], w2[j], w3[j] = np.uint32(a), np.uint32(b), np.uint32(c), np.uint32(d)
            u0[j], u1[j] = np.uint32(e), np.uint32(f)
            u2[j], u3[j] = np.uint32(g), np.uint32(h)
    else:
        for j in range(half):
            a, b, _c, _d, e, f, _g, _h = _philox_twice(key, _low_half(low, lanes[j] & LANE), _low_half(low, others[j] & LANE), high, slot)
            w0[j], w1[j] = np.uint32(a), np.uint32(b)
            u0[j], u1[j] = np.uint32(e), np.uint32(f)


@intrinsic
def _keep(_typing, keys, out, start, at, low, width):
    """Write those of 16 keys that lie in ``low`` to ``low + width - 1`` to ``out`` from ``at`` on, in order, and return how many they are.

    Up to 16 elements of ``out`` from ``at`` on are overwritten. LLVM makes no vectors of a loop that writes a list; where the processor can compress a
    register (AVX-512) that is asked for by name, elsewhere the same list is written one by one.
    """
    signature = types.int64(keys, out, types.int64, types.int64, types.int32, types.uint32)
    lane, vector, bits = ir.IntType(32), ir.VectorType(ir.IntType(32), _WIDTH), ir.VectorType(ir.IntType(1), _WIDTH)

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, target = (
            builder.gep(context.make_array(kind)(context, builder, array).data, [place])
            for kind, array, place in zip(signature.args[:2], arguments[:2], arguments[2:4], strict=True)
        )
        low, width = arguments[4:]
        if "+avx512f" not in context.codegen().magic_tuple()[2]:
            count = ir.Constant(ir.IntType(64), 0)
            for place in range(_WIDTH):
                key = builder.load(builder.gep(source, [ir.Constant(lane, place)]))
                builder.store(key, builder.gep(target, [count]))
                count = builder.add(count, builder.zext(builder.icmp_unsigned("<", builder.sub(key, low), width), ir.IntType(64)))
            return count

        def all_of(value: Any) -> Any:
            one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(lane, 0))
            return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), ir.Constant(vector, [0] * _WIDTH))

        loaded = builder.load(builder.bitcast(source, vector.as_pointer()))
        loaded.align = 4
        chosen = builder.icmp_unsigned("<", builder.sub(loaded, all_of(low)), all_of(width))
        compress = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(vector, [vector, vector, bits]), f"llvm.x86.avx512.mask.compress.v{_WIDTH}i32"
        )
        stored = builder.store(builder.call(compress, [loaded, ir.Constant(vector, [0] * _WIDTH), chosen]), builder.bitcast(target, vector.as_pointer()))
        stored.align = 4
        mask = ir.IntType(_WIDTH)
        return builder.zext(builder.call(builder.module.declare_intrinsic("llvm.ctpop", [mask]), [builder.bitcast(chosen, mask)]), ir.IntType(64))

    return signature, codegen


@_jit
def _select(keys, low, high, out, n):
    """List those of ``n`` keys that are at least ``low`` and less than ``high``, in order; returns how many they are.

    Both arrays have `ROOM` elements beyond ``n``, which are overwritten.
    """
    _apart()
    for j in range(n, (n + _WIDTH - 1) // _WIDTH * _WIDTH):
        keys[j] = -1
    m = 0
    for j in range(0, n, _WIDTH):
        m += _keep(keys, out, j, m, np.int32(low), np.uint32(high - low))
    return m


@_jit
def _take(word, sides, n, face):
    """Roll a die of every lane out of a word: the face goes to ``face``, what is left of the word stays in it."""
    m = np.uint64(sides)
    for j in range(n):
        product = np.uint64(word[j]) * m
        face[j] = np.int32(product >> _32) + np.int32(1)
        word[j] = np.uint32(product & _MASK)


@_jit
def _log(rec, base, lanes, j, step, purpose, roll, sides, face):
    """Write one die of lane ``j`` down."""
    _apart()
    row = base + (lanes[j] & LANE)
    k = rec.log_length[row]
    rec.log[row, k, 0] = step
    rec.log[row, k, 1] = purpose
    rec.log[row, k, 2] = roll
    rec.log[row, k, 3] = sides
    rec.log[row, k, 4] = face
    rec.log_length[row] = k + 1


@_jit
def _open_word(source, sides):
    """Room for a die of ``sides`` faces in the current word, or the next word; returns whether a new Philox block is needed.

    ``source`` is (slot, faces used so far in it, block that is loaded, slot from which no word is needed).
    """
    if source[1] * sides > WORD_FACES:
        source[0] += 1
        source[1] = sides
    else:
        source[1] *= sides
    return source[0] // 4 != source[2]


@_jit
def _draw(words, source, key, first, lanes, n, sides, face):
    """One die for every lane of a list, loading Philox blocks as they are needed."""
    _apart()
    if _open_word(source, sides):
        source[2] = source[0] // 4
        _fill_some(words, key, first, lanes, source[2], n, source[3] - source[0] // 4 * 4)
    _take(words[source[0] % 4], sides, n, face)


@_jit
def _add_dice(words, source, key, first, lanes, n, sides, count, sign, acc):
    """Add ``count`` plain dice to every lane, as many out of one pass over a word as fit into it; the same faces as `_draw` by `_draw`."""
    _apart()
    m = np.uint64(sides)
    left = count
    while left > 0:
        if _open_word(source, sides):
            source[2] = source[0] // 4
            _fill_some(words, key, first, lanes, source[2], n, source[3] - source[0] // 4 * 4)
        k = 1
        while k < left and k < 5 and source[1] * sides <= WORD_FACES:
            source[1] *= sides
            k += 1
        left -= k
        word = words[source[0] % 4]
        rest = sign * np.int32(k)
        if k == 5:
            for j in range(n):
                a = np.uint64(word[j]) * m
                b = (a & _MASK) * m
                c = (b & _MASK) * m
                d = (c & _MASK) * m
                e = (d & _MASK) * m
                acc[j] += rest + sign * np.int32((a >> _32) + (b >> _32) + (c >> _32) + (d >> _32) + (e >> _32))
                word[j] = np.uint32(e & _MASK)
        elif k == 4:
            for j in range(n):
                a = np.uint64(word[j]) * m
                b = (a & _MASK) * m
                c = (b & _MASK) * m
                d = (c & _MASK) * m
                acc[j] += rest + sign * np.int32((a >> _32) + (b >> _32) + (c >> _32) + (d >> _32))
                word[j] = np.uint32(d & _MASK)
        elif k == 3:
            for j in range(n):
                a = np.uint64(word[j]) * m
                b = (a & _MASK) * m
                c = (b & _MASK) * m
                acc[j] += rest + sign * np.int32((a >> _32) + (b >> _32) + (c >> _32))
                word[j] = np.uint32(c & _MASK)
        elif k == 2:
            for j in range(n):
                a = np.uint64(word[j]) * m
                b = (a & _MASK) * m
                acc[j] += rest + sign * np.int32((a >> _32) + (b >> _32))
                word[j] = np.uint32(b & _MASK)
        else:
            for j in range(n):
                a = np.uint64(word[j]) * m
                acc[j] += rest + sign * np.int32(a >> _32)
                word[j] = np.uint32(a & _MASK)


@_jit
def _draw_die(words, source, key, first, lanes, n, dice, d, value, face, other, rec, base, tracing, step, purpose, reroll, roll, dropped):
    """One die of row ``d`` with its reroll, floor and best-of for every lane: its value goes to ``value``."""
    _apart()
    sides, reroll_to, at_least = dice[d, D_SIDES], dice[d, D_REROLL], dice[d, D_AT_LEAST]
    for candidate in range(dice[d, D_BEST_OF]):
        _draw(words, source, key, first, lanes, n, sides, face)
        if tracing and reroll_to == 0:
            for j in range(n):
                if dropped[j] == 0:
                    _log(rec, base, lanes, j, step, purpose, roll, sides, np.int64(face[j]))
        if reroll_to > 0:
            _draw(words, source, key, first, lanes, n, sides, other)
            if tracing:
                for j in range(n):
                    if dropped[j] == 0:
                        _log(rec, base, lanes, j, step, purpose, roll, sides, np.int64(face[j]))
                        if face[j] <= reroll_to:
                            _log(rec, base, lanes, j, step, reroll, roll, sides, np.int64(other[j]))
            for j in range(n):
                face[j] = other[j] if face[j] <= reroll_to else face[j]
        if at_least > 1:
            for j in range(n):
                face[j] = max(face[j], at_least)
        if candidate == 0:
            for j in range(n):
                value[j] = face[j]
        else:
            for j in range(n):
                value[j] = max(value[j], face[j])


@_jit
def _roll_check(words, source, key, first, lanes, n, prog, a, kept, total, buf, none, rec, base, tracing, step, confirming):
    """The d20s and extra dice of a check: kept face in ``kept``, sum of the extra dice in ``total``."""
    _apart()
    attack = prog.attacks[a]
    dice, best, lucky = attack[A_DICE], attack[A_BEST], attack[A_LUCKY]
    purpose = FOR_CONFIRM if confirming else FOR_ATTACK
    for k in range(dice):
        _draw(words, source, key, first, lanes, n, _D20, buf[k])
        if tracing:
            for j in range(n):
                if none[j] == 0:
                    _log(rec, base, lanes, j, step, purpose, _NO_ROLL, _D20, np.int64(buf[k, j]))
    if lucky:
        _draw(words, source, key, first, lanes, n, _D20, buf[4])
        for j in range(n):
            for k in range(dice):
                if buf[k, j] == 1:
                    buf[k, j] = buf[4, j]
                    if tracing and none[j] == 0:
                        _log(rec, base, lanes, j, step, purpose + 1, _NO_ROLL, _D20, np.int64(buf[4, j]))
                    break
    for j in range(n):
        kept[j] = buf[0, j]
    for k in range(1, dice):
        for j in range(n):
            kept[j] = max(kept[j], buf[k, j]) if best else min(kept[j], buf[k, j])
    for j in range(n):
        total[j] = 0
    for d in range(attack[A_EXTRA], attack[A_EXTRA_END]):
        sign = prog.dice[d, D_SIGN]
        for _ in range(prog.dice[d, D_COUNT]):
            _draw_die(
                words, source, key, first, lanes, n, prog.dice, d, buf[0], buf[1], buf[2], rec, base, tracing, step, purpose + 2, purpose + 2, _NO_ROLL, none
            )
            for j in range(n):
                total[j] += sign * buf[0, j]


@_jit
def _lowest(face):
    """The lowest word that shows ``face`` or more on a d20; none shows 21."""
    return np.uint32(min((np.int64(face - 1) * (1 << 32) + 19) // 20, 0xFFFFFFFF))


@_jit
def _plain_extra(prog, a):
    """Whether the extra dice of a check are plain, and have few sums."""
    sums = 1
    for d in range(prog.attacks[a, A_EXTRA], prog.attacks[a, A_EXTRA_END]):
        row = prog.dice[d]
        sums += row[D_COUNT] * (row[D_SIDES] - 1)
        if row[D_REROLL] > 0 or row[D_AT_LEAST] > 1 or row[D_BEST_OF] > 1:
            return False
    return sums <= DENSE_SUMS


@_jit
def _roll_all(words, source, key, first, n, prog, a, raw, extra):
    """Roll a check of at most three dice for every lane of a block, and leave its words as they are: the word of the d20 that is kept in ``raw[0]``.

    What is left of a word after a d20 is ``word * 20`` modulo 2**32, and one d20 shows more than another only when its word is larger. The sum of the extra
    dice goes to ``extra``.
    """
    _apart()
    attack = prog.attacks[a]
    dice, best, lucky = attack[A_DICE], attack[A_BEST] == 1, attack[A_LUCKY] == 1
    kept, rest, word = raw[0], raw[1], words[source[0] % 4]
    for _ in range(dice):
        if _open_word(source, _D20):
            source[2] = source[0] // 4
            _fill(words, key, first, source[2], n)
    other, apart = word, lucky and source[1] * 20 > WORD_FACES
    times = np.uint32(20**dice)
    if lucky:
        if apart and source[0] % 4 == 3:
            word = raw[2]
            for j in range(n):
                word[j] = words[3, j]
        if _open_word(source, _D20):
            source[2] = source[0] // 4
            _fill(words, key, first, source[2], n)
        other = words[source[0] % 4]
    ahead = np.uint32(1) if apart else times
    two, two_dice, three_dice = _lowest(2), dice > 1, dice > 2
    for j in range(n):
        x = word[j]
        y, z, spare = np.uint32(x * np.uint32(20)), np.uint32(x * np.uint32(400)), np.uint32(other[j] * ahead)
        # The first die that shows 1 is rolled again.
        one, second = lucky & (x < two), lucky & (y < two)
        third = lucky & (z < two) & ~(one | second)
        second &= ~one
        x = spare if one else x
        y = spare if second else y
        z = spare if third else z
        y = y if two_dice else x
        z = z if three_dice else x
        y = max(y, z) if best else min(y, z)
        kept[j] = max(x, y) if best else min(x, y)
    if attack[A_EXTRA] == attack[A_EXTRA_END]:
        return
    last = np.uint32(np.uint32(20) * ahead) if lucky else times
    for j in range(n):
        rest[j] = np.uint32(other[j] * last)
        extra[j] = 0
    at = source[0]
    for d in range(attack[A_EXTRA], attack[A_EXTRA_END]):
        sides, sign = np.uint64(prog.dice[d, D_SIDES]), np.int32(prog.dice[d, D_SIGN])
        for _ in range(prog.dice[d, D_COUNT]):
            if _open_word(source, prog.dice[d, D_SIDES]):
                source[2] = source[0] // 4
                _fill(words, key, first, source[2], n)
            if source[0] != at:
                at, word = source[0], words[source[0] % 4]
                for j in range(n):
                    rest[j] = word[j]
            for j in range(n):
                product = np.uint64(rest[j]) * sides
                extra[j] += sign * (np.int32(product >> _32) + np.int32(1))
                rest[j] = np.uint32(product & _MASK)


@_jit
def _read_all(word, n, row, confirm, immune, keys):
    """The keys of a check whose extra dice, if any, all show the sum of ``row``. Returns the number of threats and of misses that are not critical."""
    _apart()
    none = np.int32(0)
    missed, hit, threat = _lowest(row[0]), _lowest(row[1]), _lowest(row[2])
    sure = _lowest(row[3]) if confirm else np.uint32(0)
    one_missed = _OF_DEGREE if row[0] <= 20 else none
    one_hit = _OF_DEGREE if row[1] <= 20 else none
    one_threat = THREAT if row[2] <= 20 else none
    one_critical = none if immune or row[2] > 20 or (confirm and row[3] > 20) else _OF_DEGREE
    threats, misses, one = none, none, np.int32(1)
    for j in range(n):
        threatens = word[j] >= threat
        second = np.uint32(word[j] * np.uint32(20))
        # Numba widens sums to 64 bits, which would halve the vectors.
        x = np.int32(j)
        x = np.int32(x + (one_missed if word[j] >= missed else none))
        x = np.int32(x + (one_hit if word[j] >= hit else none))
        x = np.int32(x + (one_threat if threatens else none))
        x = np.int32(x + (one_critical if threatens & (second >= sure) else none))
        keys[j] = x
        threats = np.int32(threats + (one if threatens else none))
        misses = np.int32(misses + (one if np.int32(x >> DEGREE) == one else none))
    return np.int64(threats) if row[2] <= 20 else _ZERO, np.int64(misses)


@_jit
def _read_sums(word, extra, n, prog, a, immune, row, keys):
    """The keys of a check with extra dice: what the sum does not change is read for all lanes, the rest for one sum after the other; ``row`` is for work."""
    _apart()
    low, first, sums = prog.attacks[a, A_EXTRA_LOW], prog.attacks[a, A_TABLE], 1
    for d in range(prog.attacks[a, A_EXTRA], prog.attacks[a, A_EXTRA_END]):
        sums += prog.dice[d, D_COUNT] * (prog.dice[d, D_SIDES] - 1)
    for column in range(3):
        row[column] = prog.thresholds[first, column]
        for r in range(1, sums):
            if prog.thresholds[first + r, column] != prog.thresholds[first, column]:
                row[column] = 21
    _read_all(word, n, row, _NO, immune, keys)
    none = np.int32(0)
    for column in range(3):
        bit = _OF_DEGREE if column < 2 else (THREAT if immune else THREAT + _OF_DEGREE)
        for r in range(sums):
            face = prog.thresholds[first + r, column]
            if row[column] == 21 and face <= 20:
                least, sum_ = _lowest(face), np.int32(low + r)
                for j in range(n):
                    keys[j] = np.int32(keys[j] + (bit if (extra[j] == sum_) & (word[j] >= least) else none))


@_jit
def _count(read, inside, keys, n):
    """The keys of the lanes that are inside; returns the number of threats and of misses that are not critical."""
    _apart()
    none, one = np.int32(0), np.int32(1)
    threats, misses = none, none
    for j in range(n):
        x = read[j] if inside[j] != 0 else np.int32(-1)
        keys[j] = x
        threats = np.int32(threats + (one if (x >= none) & (np.int32(x & THREAT) != none) else none))
        misses = np.int32(misses + (one if np.int32(x >> DEGREE) == one else none))
    return np.int64(threats), np.int64(misses)


@_jit
def _check_any(words, source, key, first, lanes, n, prog, a, degree, kept, extra, buf, none, rec, base, tracing, step):
    """Degrees of any check, for a list of lanes. Returns the number of threats."""
    _apart()
    attack = prog.attacks[a]
    table, low = attack[A_TABLE], attack[A_EXTRA_LOW]
    for j in range(n):
        none[j] = 0
    _roll_check(words, source, key, first, lanes, n, prog, a, kept, extra, buf, none, rec, base, tracing, step, _NO)
    plain = attack[A_EXTRA] == attack[A_EXTRA_END]
    threats = 0
    if plain:
        miss, hit, threat = np.int32(prog.thresholds[table, 0]), np.int32(prog.thresholds[table, 1]), np.int32(prog.thresholds[table, 2])
        for j in range(n):
            face = kept[j]
            degree[j] = np.int32(face >= miss) + np.int32(face >= hit)
            threatens = np.int32(face >= threat)
            threats += threatens
            none[j] = np.int32(1) - threatens
    else:
        for j in range(n):
            row = table + extra[j] - low
            face = kept[j]
            degree[j] = np.int32(face >= prog.thresholds[row, 0]) + np.int32(face >= prog.thresholds[row, 1])
            threatens = np.int32(face >= prog.thresholds[row, 2])
            threats += threatens
            none[j] = np.int32(1) - threatens
    if attack[A_CONFIRM]:
        _roll_check(words, source, key, first, lanes, n, prog, a, kept, extra, buf, none, rec, base, tracing, step, _YES)
        for j in range(n):
            if none[j] == 0 and kept[j] >= prog.thresholds[table + extra[j] - low, 3]:
                degree[j] += 1
    else:
        for j in range(n):
            degree[j] += 1 - none[j]
    for j in range(n):
        none[j] = 0
    return threats


@_jit
def _die_of(word, sides):
    """One die of a single lane's fresh word."""
    return np.int64((np.uint64(word) * np.uint64(sides)) >> _32) + 1


@_jit
def _resolve(words, key, first, keys, n, prog, a, slot, rec, base, tracing, step):
    """Negation and miss chance, in that order, for a list of keys. Returns how many hits were missed."""
    _apart()
    miss, miss_of, miss_rolls, negate, negate_of = prog.target[0], prog.target[1], prog.target[2], prog.target[3], prog.target[4]
    rolled = np.int32(prog.attacks[a, A_NEGATABLE]) if negate > 0 else np.int32(0)
    _fill_some(words, key, first, keys, slot // 4, n, miss_rolls + 1 if miss > 0 else 1)
    if rolled:
        last = _last_word(negate, negate_of)
        if tracing:
            for i in range(n):
                if (rolled >> (keys[i] >> DEGREE)) & 1:
                    _log(rec, base, keys, i, step, FOR_NEGATE, _NO_ROLL, negate_of, _die_of(words[0, i], negate_of))
        for i in range(n):
            degree = keys[i] >> DEGREE
            negated = (((rolled >> degree) & 1) != 0) & (words[0, i] <= last)
            less = (_OF_DEGREE if degree == 3 else np.int32(0)) - DROPPED
            keys[i] = np.int32(keys[i] - less) if negated else keys[i]
    moved = np.int32(0)
    if miss > 0:
        last = _last_word(miss, miss_of)
        if miss_rolls > 3:
            # The fourth roll is the first word of the next block.
            for i in range(n):
                words[0, i] = _philox(key, (first + np.uint64(keys[i] & LANE)) & _MASK, first >> _32, np.uint64(slot // 4 + 1))[0]
        if tracing:
            for i in range(n):
                r = 0
                while keys[i] >= 2 * _OF_DEGREE and r < miss_rolls and (r == 0 or words[r, i] <= last):
                    r += 1
                    _log(rec, base, keys, i, step, FOR_MISS, _NO_ROLL, miss_of, _die_of(words[r % 4, i], miss_of))
        two, three, four = miss_rolls < 2, miss_rolls < 3, miss_rolls < 4
        for i in range(n):
            missed = (words[1, i] <= last) & (two | (words[2, i] <= last)) & (three | (words[3, i] <= last)) & (four | (words[0, i] <= last))
            missed &= keys[i] >= 2 * _OF_DEGREE
            keys[i] = np.int32((keys[i] & (_OF_DEGREE - 1)) + _OF_DEGREE) if missed else keys[i]
            moved = np.int32(moved + missed)
    return np.int64(moved)


@_jit
def _last_word(face, sides):
    """The highest word that shows ``face`` or less."""
    return np.uint32((np.int64(face) * (1 << 32) + sides - 1) // sides - 1)


@_jit
def _keep_share(x, n, keep, of, up, change):
    """Keep ``keep`` of every ``of`` points of what is positive, rounded down, or up when ``up`` is ``of - 1``, then add ``change``; at least 0."""
    _apart()
    none, more = np.int32(0), np.int32(change)
    if keep == of:
        for j in range(n):
            x[j] = max(x[j] + more, none) if x[j] > 0 else none
        return
    most = none
    for j in range(n):
        most = max(most, x[j])
    # For v below 2**30, v // of is v * ceil(2**shift / of) >> shift when 2**shift is at least 2**30 * of.
    shift = np.uint64(30)
    while (1 << np.int64(shift - np.uint64(30))) < of:
        shift += np.uint64(1)
    if np.int64(most) * keep + up < 1 << 30 and of < 1 << 30:
        part, plus = np.uint32(keep), np.uint32(up)
        scale = np.uint64(np.uint32(((np.uint64(1) << shift) + np.uint64(of - 1)) // np.uint64(of)))
        for j in range(n):
            share = np.uint64(np.uint32(np.uint32(x[j]) * part + plus))
            x[j] = max(np.int32((share * scale) >> shift) + more, none) if x[j] > 0 else none
    else:
        for j in range(n):
            x[j] = max(np.int32((np.int64(x[j]) * keep + up) // of) + more, none) if x[j] > 0 else none


@_jit
def _apply_ops(prog, first_op, end_op, reg, n):
    """Merge and reduce the registers of a packet; the packet's sum ends in register 0."""
    _apart()
    for o in range(first_op, end_op):
        op = prog.ops[o]
        into = reg[op[O_INTO]]
        if op[O_REDUCE] == 0:
            source = reg[op[O_FROM]]
            for j in range(n):
                into[j] += source[j]
        else:
            _keep_share(into, n, op[O_KEEP], op[O_OF], op[O_OF] - 1 if op[O_UP] else 0, op[O_ADD] - op[O_SUBTRACT])


@_inline
def _roll_part(words, source, key, first, lanes, n, prog, p, value, work, dropped, none, rec, base, tracing, step):
    """The rolls of one part, summed into ``value``."""
    acc, best, die, face, other = work[0], work[1], work[2], work[3], work[4]
    fresh = True
    for r in range(prog.parts[p, P_ROLL], prog.parts[p, P_ROLL_END]):
        roll = prog.rolls[r]
        if roll[R_PLAIN] and not tracing:
            flat = np.int32(roll[R_FLAT] * roll[R_TIMES])
            for j in range(n):
                value[j] = flat if fresh else value[j] + flat
            fresh = False
            for _ in range(roll[R_TIMES]):
                for d in range(roll[R_DIE], roll[R_DIE_END]):
                    row = prog.dice[d]
                    _add_dice(words, source, key, first, lanes, n, row[D_SIDES], row[D_COUNT], np.int32(row[D_SIGN]), value)
            continue
        if fresh:
            for j in range(n):
                value[j] = 0
            fresh = False
        precision = roll[R_PRECISION]
        skip = dropped if precision else none
        scale = np.int32(roll[R_SCALE])
        for _ in range(roll[R_TIMES]):
            for candidate in range(roll[R_BEST_OF]):
                flat = np.int32(roll[R_FLAT])
                for j in range(n):
                    acc[j] = flat
                for d in range(roll[R_DIE], roll[R_DIE_END]):
                    row = prog.dice[d]
                    sign = np.int32(row[D_SIGN])
                    if row[D_REROLL] == 0 and row[D_AT_LEAST] == 1 and row[D_BEST_OF] == 1 and not tracing:
                        _add_dice(words, source, key, first, lanes, n, row[D_SIDES], row[D_COUNT], sign, acc)
                    elif row[D_REROLL] == 0 and row[D_BEST_OF] == 1 and not tracing:
                        least = np.int32(row[D_AT_LEAST])
                        for _ in range(row[D_COUNT]):
                            _draw(words, source, key, first, lanes, n, row[D_SIDES], face)
                            for j in range(n):
                                acc[j] += sign * max(face[j], least)
                    else:
                        for _ in range(row[D_COUNT]):
                            _draw_die(
                                words, source, key, first, lanes, n, prog.dice, d, die, face, other, rec, base, tracing, step, FOR_DAMAGE, FOR_REROLL, r, skip
                            )
                            for j in range(n):
                                acc[j] += sign * die[j]
                if roll[R_HAS_MIN]:
                    low = np.int32(roll[R_MIN])
                    for j in range(n):
                        acc[j] = max(acc[j], low)
                if roll[R_BEST_OF] > 1:
                    for j in range(n):
                        best[j] = acc[j] if candidate == 0 else max(best[j], acc[j])
            result = best if roll[R_BEST_OF] > 1 else acc
            if precision:
                for j in range(n):
                    value[j] += scale * result[j] * (np.int32(1) - np.int32(dropped[j]))
            else:
                for j in range(n):
                    value[j] += scale * result[j]
    if fresh:
        for j in range(n):
            value[j] = 0
    if prog.parts[p, P_HAS_MIN]:
        low = np.int32(prog.parts[p, P_MIN])
        for j in range(n):
            value[j] = max(value[j], low)


@_inline
def _damage(words, source, key, first, lanes, n, prog, a, deals, scattered, damage, landing, values, reg, work, dropped, none, rec, base, tracing, step):
    """Damage of the packets of degree ``deals`` for a list of lanes, summed over packets and over the creatures that are caught."""
    attack = prog.attacks[a]
    # A miss that does not scatter strikes the first creature alone, as an attack without an area does.
    spread = attack[A_AREA] >= 0 and (scattered or deals >= 2)
    kinds = attack[A_KINDS] if spread else 1
    for j in range(n):
        damage[j] = 0
    for k in range(attack[A_PACKETS + 2 * deals], attack[A_PACKETS + 2 * deals + 1]):
        packet = prog.packets[k]
        first_part, end_part = packet[K_PART], packet[K_PART_END]
        for p in range(first_part, end_part):
            _roll_part(words, source, key, first, lanes, n, prog, p, values[p - first_part], work, dropped, none, rec, base, tracing, step)
        keep, of = packet[K_KEEP], packet[K_OF]
        for c in range(kinds):
            registers = values
            if c + 1 < kinds:
                registers = reg
                for p in range(end_part - first_part):
                    for j in range(n):
                        reg[p, j] = values[p, j]
            _apply_ops(prog, prog.op_starts[packet[K_OPS] + c], prog.op_starts[packet[K_OPS] + c + 1], registers, n)
            out = registers[0]
            _keep_share(out, n, keep, of, _ZERO, _ZERO)
            if scattered:
                table = attack[A_AREA] + c
                for j in range(n):
                    damage[j] += out[j] * np.int32(prog.caught[table + landing[j] * kinds])
            else:
                caught = np.int32(prog.caught[attack[A_AREA] + c]) if spread else np.int32(1)
                for j in range(n):
                    damage[j] += out[j] * caught


@_jit
def _deal(words, source, key, first, members, m, prog, a, d, work, values, reg, rec, base, tracing, step, slot):
    """Damage of an attack of final degree ``d`` for a list of keys, which are left as lanes; returns whether there is any to deal."""
    _apart()
    attack = prog.attacks[a]
    scattered = d < 2 and attack[A_AREA] >= 0 and attack[A_SCATTERS] == 1
    deals = 2 if scattered else d
    damage, landing, drops = work[W_DAMAGE], work[W_LANDING], work[W_DROPS]
    if prog.target[3] > 0:
        for i in range(m):
            drops[i] = (members[i] & DROPPED) >> 20
    for i in range(m):
        members[i] &= LANE
    if attack[A_PACKETS + 2 * deals] == attack[A_PACKETS + 2 * deals + 1] and not scattered:
        return False
    source[0], source[1], source[2], source[3] = slot, 1, -1, slot + attack[A_WORDS + deals]
    if scattered:
        _draw(words, source, key, first, members, m, _D8, work[0])
        _draw(words, source, key, first, members, m, _D4, work[1])
        for i in range(m):
            landing[i] = 1 + 4 * (work[0, i] - 1) + work[1, i] - 1
            if tracing:
                _log(rec, base, members, i, step, FOR_DIRECTION, _NO_ROLL, _D8, np.int64(work[0, i]))
                _log(rec, base, members, i, step, FOR_DISTANCE, _NO_ROLL, _D4, np.int64(work[1, i]))
    _damage(
        words, source, key, first, members, m, prog, a, deals, scattered, damage, landing, values, reg, work, drops, work[W_NONE], rec, base, tracing, step,
    )  # fmt: skip
    return True


class Space(NamedTuple):
    """Where the kernel works on a block."""

    #: (4, room) uint32: words of a Philox block for the trials of a list, and for all trials of a block
    words: Any
    check_words: Any
    #: (3, room) uint32: the word of the d20 that is kept, what is left of a word, a copy of one
    raw: Any
    #: (W_ROWS, room) int32
    work: Any
    #: (most parts of a packet, room) int32
    values: Any
    reg: Any
    #: (4, 4) int64. Rows 0 and 1: slot, faces used so far in it, block that is loaded, slot from which no word is needed, for damage dice and for checks.
    #: Rows 2 and 3: lowest and highest face of each degree.
    sources: Any


class Counts(NamedTuple):
    """What `run` counts in before it adds to the tally; all int64."""

    #: (4, n_bins) bins of hits and criticals, and of the total where `together`; four copies, so that neighbouring trials need not wait for each other
    bins: Any
    #: (4, n_totals) of one column when it is not used
    histograms: Any
    #: (block,) a trial's sums so far: its damage, and its hits and criticals as the cell of the table they belong to, in one number
    so_far: Any
    effect_bits: Any


_kept = threading.local()


def _array(name: str, shape: tuple[int, ...], kind: type[np.generic]) -> NDArray[Any]:
    """An array of this thread, made anew only when its shape changes: to give memory back and forth stops all threads of the process again and again."""
    array: NDArray[Any] | None = getattr(_kept, name, None)
    if array is None or array.shape != shape:
        array = np.zeros(shape, kind)
        setattr(_kept, name, array)
    return array


def _space(prog: Program, block: int) -> Space:
    room = block + ROOM
    parts = max(int(prog.target[6]), 1)
    work = _array("work", (W_ROWS, room), np.int32)
    work[W_INSIDE] = 1
    work[W_LANES] = np.arange(room)
    check_words, words, raw = (_array(name, (n, room), np.uint32) for name, n in (("check_words", 4), ("words", 4), ("raw", 3)))
    values, reg = (_array(name, (parts, room), np.int32) for name in ("values", "reg"))
    return Space(words, check_words, raw, work, values, reg, np.zeros((4, 4), np.int64))


def _zeros(name: str, shape: tuple[int, ...]) -> NDArray[np.int64]:
    array = _array(name, shape, np.int64)
    array.fill(0)
    return array


def run(prog: Program, key: np.uint64, first_trial: int, n_trials: int, block: int, first_slot: int, tally: Tallies, rec: Recorder) -> None:
    """Play trials ``first_trial`` to ``first_trial + n_trials - 1`` of a program and add them to a tally."""
    size, cells = len(tally.histogram), tally.table.size
    together = 0 < size * cells <= BINS
    counts = Counts(
        bins=_zeros("bins", (4, size * cells if together else cells)),
        histograms=_zeros("histograms", (4, size if size <= SPLIT_TOTALS and not together else 1)),
        so_far=_zeros("so_far", (block,)),
        effect_bits=_zeros("effect_bits", (block,)),
    )
    run_blocks(prog, key, first_trial, n_trials, block, first_slot, tally, rec, _space(prog, block), counts, together)


@_jit
def run_blocks(prog, key, first_trial, n_trials, block, first_slot, tally, rec, space, counts, together):
    """`run`, block by block."""
    n_groups, n_steps = prog.groups.shape[0], tally.counts.shape[0]
    states = prog.target[7]
    miss, negate, immune = prog.target[0], prog.target[3], prog.target[5] != 0
    n_effects = tally.any_effect.shape[0]
    recording = rec.total.shape[0] > 0
    detailed = rec.degree.shape[0] > 0
    tracing = rec.log.shape[0] > 0
    words, check_words, raw, work, values, reg = space.words, space.check_words, space.raw, space.work, space.values, space.reg
    keys, picked, members, damage = work[W_KEYS], work[W_PICKED], work[W_MEMBERS], work[W_DAMAGE]
    read, state, after, inside, lanes, degree = work[W_READ], work[W_STATE], work[W_AFTER], work[W_INSIDE], work[W_LANES], work[W_DEGREE]
    size, cells = tally.histogram.shape[0], (n_steps + 1) * (n_steps + 1)
    unit = np.int64(size) if together else np.int64(1) << 32
    bins, histograms, so_far, effect_bits = counts.bins, counts.histograms, counts.so_far, counts.effect_bits
    source, check_source = space.sources[0], space.sources[1]

    start = np.int64(0)
    while start < n_trials:
        first = np.uint64(first_trial + start)
        # No block lies on both sides of a multiple of 2**32, so that the high half of its trials is one number.
        n = min(block, n_trials - start, (1 << 32) - np.int64(first & _MASK))
        if n_effects > 0:
            for j in range(n):
                effect_bits[j] = 0
        check_source[2] = -1
        previous_step, read_step, read_as = np.int64(-1), np.int64(-1), np.int64(-1)
        threats, misses = _ZERO, _ZERO
        for g in range(n_groups):
            step, a, mask = prog.groups[g, G_STEP], prog.groups[g, G_ATTACK], prog.groups[g, G_STATES]
            attack = prog.attacks[a]
            count = n
            if states > 1:
                # The trials in one of the group's states as they were when the step began.
                if step != previous_step:
                    for j in range(n):
                        state[j] = after[j]
                    for between in range(previous_step + 1, step + 1):
                        if prog.turn_begins[between]:
                            for j in range(n):
                                state[j] = 0
                    for j in range(n):
                        after[j] = state[j]
                    previous_step = step
                count = _inside(state, states, mask, inside, n)
                if count == 0:
                    continue

            check_slot = first_slot + attack[A_CHECK_SLOT]
            alone = attack[A_DICE] == 1 and not attack[A_LUCKY] and attack[A_EXTRA] == attack[A_EXTRA_END]
            if not tracing and (alone or (attack[A_CONFIRM] == 0 and attack[A_DICE] <= 3 and _plain_extra(prog, a))):
                # Attacks of one step that differ in what a hit does alone read the same dice in the same way.
                if step != read_step or attack[A_READ] != read_as:
                    read_step, read_as = step, attack[A_READ]
                    row = prog.thresholds[attack[A_TABLE]]
                    into = keys if states == 1 else read
                    if check_slot // 4 != check_source[2]:
                        check_source[2] = check_slot // 4
                        _fill(check_words, key, first, check_source[2], n)
                    if alone:
                        threats, misses = _read_all(check_words[check_slot % 4], n, row, attack[A_CONFIRM] == 1, immune, into)
                    else:
                        check_source[0], check_source[1] = check_slot, 1
                        _roll_all(check_words, check_source, key, first, n, prog, a, raw, work[W_EXTRA])
                        if attack[A_EXTRA] == attack[A_EXTRA_END]:
                            threats, misses = _read_all(raw[0], n, row, _NO, immune, into)
                        else:
                            _read_sums(raw[0], work[W_EXTRA], n, prog, a, immune, space.sources[2], into)
                            if states == 1:
                                threats, misses = _count(keys, inside, keys, n)
                if states > 1:
                    threats, misses = _count(read, inside, keys, n)
            else:
                for j in range(n):
                    lanes[j] = np.int32(j) if inside[j] else np.int32(-1)
                    keys[j] = -1
                count = _select(lanes, 0, LANE + 1, members, n)
                check_source[0], check_source[1], check_source[2], check_source[3] = check_slot, 1, -1, _ALL
                threats = _check_any(
                    check_words, check_source, key, first, members, count, prog, a, degree, work[W_KEPT], work[W_EXTRA], work, work[W_NONE], rec, start,
                    tracing, step,
                )  # fmt: skip
                check_source[2] = -1
                read_step = -1
                for i in range(count):
                    keys[members[i]] = np.int32((min(degree[i], 2 if immune else 3) << DEGREE) + members[i])
                _, misses = _count(keys, inside, keys, n)
            tally.threats[step] += threats

            resolving = miss > 0 or (negate > 0 and attack[A_NEGATABLE] > 0)
            taken = attack[A_TAKE] == 1
            listed = detailed or attack[A_MISSES] == 1
            hits = 0
            if resolving:
                low = 0 if negate > 0 and (attack[A_NEGATABLE] & 3) > 0 else 2 * _OF_DEGREE
                hits = _select(keys, low, 4 * _OF_DEGREE, picked, n)
                misses += _resolve(words, key, first, picked, hits, prog, a, first_slot + attack[A_RESOLVE_SLOT], rec, start, tracing, step)
                if listed or taken or states > 1:
                    for i in range(hits):
                        keys[picked[i] & LANE] = picked[i]
            if taken:
                misses = 0
                for j in range(n):
                    keys[j] = np.int32((keys[j] & (_OF_DEGREE - 1)) + 2 * _OF_DEGREE) if (keys[j] >= 0) & (keys[j] < 2 * _OF_DEGREE) else keys[j]
            if not resolving or taken:
                hits = _select(keys, 2 * _OF_DEGREE, 4 * _OF_DEGREE, picked, n)
            slot = first_slot + attack[A_DAMAGE_SLOT]
            if listed and not detailed and negate == 0 and attack[A_FLAT] == 1:
                # Every miss deals the same: it is dealt once, to the first lane.
                listed = False
                dealt, other = _ZERO, _ZERO
                for d in range(2):
                    members[0] = 0
                    dealt, other = other, _ZERO
                    if _deal(words, source, key, first, members, _ONE, prog, a, d, work, values, reg, rec, start, tracing, step, slot):
                        other = np.int64(damage[0])
                if dealt == other and other > 0:
                    m = _add_to(so_far, keys, _ZERO, _TWO, other, n) - misses
                else:
                    m = _add_to(so_far, keys, _ZERO, _ONE, dealt, n)
                    _add_to(so_far, keys, _ONE, _TWO, other, n)
                tally.sums[step, 0] += m * dealt
                tally.squares[step, 0] += m * dealt * dealt
                tally.sums[step, 1] += misses * other
                tally.squares[step, 1] += misses * other * other
            if not listed:
                tally.counts[step, 1] += misses
                tally.counts[step, 0] += count - misses
            for d in range(0 if listed else 2, 3 if immune else 4):
                if d < 2:
                    m = _select(keys, d * _OF_DEGREE, (d + 1) * _OF_DEGREE, members, n)
                else:
                    m = _select(picked, d * _OF_DEGREE, (d + 1) * _OF_DEGREE, members, hits)
                if m == 0:
                    continue
                tally.counts[step, d] += m
                if not listed:
                    tally.counts[step, 0] -= m
                gain = unit * (0 if d < 2 else (1 if d == 2 else n_steps + 2))
                if _deal(words, source, key, first, members, m, prog, a, d, work, values, reg, rec, start, tracing, step, slot):
                    points = np.int64(0)
                    squares = np.int64(0)
                    for i in range(m):
                        x = np.int64(damage[i])
                        points += x
                        squares += x * x
                    tally.sums[step, d] += points
                    tally.squares[step, d] += squares
                    for i in range(m):
                        so_far[np.uint32(members[i])] += gain + np.int64(damage[i])
                    if detailed:
                        for i in range(m):
                            rec.damage[start + members[i], step] = damage[i]
                elif d >= 2:
                    for i in range(m):
                        so_far[np.uint32(members[i])] += gain
                effect = attack[A_EFFECT]
                if d == 3 and effect >= 0:
                    tally.effects[step] += m * prog.groups[g, G_EFFECT]
                    for i in range(m):
                        effect_bits[members[i]] |= np.int64(1) << effect
                if detailed:
                    for i in range(m):
                        rec.degree[start + members[i], step] = d
            if states > 1:
                _move(prog.next[step], states, mask, state, after, keys, n)

        if recording:
            for j in range(n):
                rec.total[start + j] = so_far[j] % unit
        if together:
            for j in range(n):
                bins[j & 3, np.uint64(so_far[j])] += 1
                so_far[j] = 0
        else:
            points = np.int64(0)
            squares = np.int64(0)
            for j in range(n):
                x = so_far[j] & np.int64(_MASK)
                points += x
                squares += x * x
            tally.totals[0] += points
            tally.totals[1] += squares
            if histograms.shape[1] > 1:
                for j in range(n):
                    histograms[j & 3, np.uint64(so_far[j]) & _MASK] += 1
            elif size > 0:
                for j in range(n):
                    tally.histogram[so_far[j] & np.int64(_MASK)] += 1
            for j in range(n):
                bins[j & 3, np.uint64(so_far[j]) >> _32] += 1
                so_far[j] = 0
        for e in range(n_effects):
            total = np.int64(0)
            for j in range(n):
                total += (effect_bits[j] >> e) & 1
            tally.any_effect[e] += total
        start += n

    for cell in range(cells):
        hits, criticals = cell % (n_steps + 1), cell // (n_steps + 1)
        if together:
            for t in range(size):
                b = cell * size + t
                trials = bins[0, b] + bins[1, b] + bins[2, b] + bins[3, b]
                tally.table[hits, criticals] += trials
                tally.histogram[t] += trials
                tally.totals[0] += trials * t
                tally.totals[1] += trials * t * t
        else:
            tally.table[hits, criticals] += bins[0, cell] + bins[1, cell] + bins[2, cell] + bins[3, cell]
    if histograms.shape[1] > 1:
        for t in range(size):
            tally.histogram[t] += histograms[0, t] + histograms[1, t] + histograms[2, t] + histograms[3, t]


@_jit
def _add_to(so_far, keys, d, end, points, n):
    """Add to every lane of degree ``d`` to ``end - 1``; returns how many they are."""
    _apart()
    low, high, none, one, count = np.int32(d * _OF_DEGREE), np.int32(end * _OF_DEGREE), np.int32(0), np.int32(1), np.int32(0)
    for j in range(n):
        among = (keys[j] >= low) & (keys[j] < high)
        so_far[j] += points if among else 0
        count = np.int32(count + (one if among else none))
    return np.int64(count)


@_jit
def _inside(state, states, mask, inside, n):
    """Mark the lanes that are in one of the states of a mask; returns how many they are."""
    _apart()
    for j in range(n):
        inside[j] = 0
    for s in range(states):
        if (mask >> s) & 1:
            for j in range(n):
                inside[j] = np.int32(1) if state[j] == np.int32(s) else inside[j]
    count = np.int32(0)
    for j in range(n):
        count = np.int32(count + inside[j])
    return np.int64(count)


@_jit
def _move(after_degree, states, mask, state, after, keys, n):
    """The states afterwards of the lanes that had an attack, by state and degree; neighbouring degrees that lead to one state in one pass."""
    _apart()
    for s in range(states):
        d = 0
        while (mask >> s) & 1 and d < 4:
            end = d + 1
            while end < 4 and after_degree[s, end] == after_degree[s, d]:
                end += 1
            to, low, high, here = np.int32(after_degree[s, d]), np.int32(d * _OF_DEGREE), np.int32(end * _OF_DEGREE), np.int32(s)
            if to != here:
                for j in range(n):
                    after[j] = to if (state[j] == here) & (keys[j] >= low) & (keys[j] < high) else after[j]
            d = end


@_jit
def _settle(words, source, key, first, keys, n, prog, a, before, settled, packed, work, values, reg, rec, first_slot, cells, bins, step):
    """What comes of an attack that has degree ``before`` after its check, for a list of lanes, whatever the AC.

    The damage with its hit and critical, packed as `run_sweep` adds it up, goes to ``packed``; counts, sums and squares by final degree and by the faces of
    the check go to ``cells``.
    """
    _apart()
    attack = prog.attacks[a]
    members, damage = work[W_MEMBERS], work[W_DAMAGE]
    degree = np.int32(min(before, 2 if prog.target[5] else 3) * _OF_DEGREE)
    for i in range(n):
        keys[i] += degree
    if prog.target[0] > 0 or prog.target[3] > 0:
        _resolve(words, key, first, keys, n, prog, a, first_slot + attack[A_RESOLVE_SLOT], rec, _ZERO, _NO, step)
    if attack[A_TAKE]:
        for i in range(n):
            keys[i] = np.int32((keys[i] & (_OF_DEGREE - 1)) + 2 * _OF_DEGREE) if keys[i] < 2 * _OF_DEGREE else keys[i]
    for d in range(4):
        m = _select(keys, d * _OF_DEGREE, (d + 1) * _OF_DEGREE, members, n)
        if m == 0:
            continue
        settled[before, d] = 1
        if not _deal(words, source, key, first, members, m, prog, a, d, work, values, reg, rec, _ZERO, _NO, step, first_slot + attack[A_DAMAGE_SLOT]):
            for i in range(m):
                damage[i] = 0
        gain = np.int32(0) if d < 2 else (_SWEPT_HIT if d == 2 else _SWEPT_HIT + _SWEPT_CRIT)
        for i in range(m):
            packed[members[i]] = damage[i] + gain
        for i in range(m):
            b = bins[members[i]]
            x = np.int64(damage[i])
            cells[before, d, b, 0] += 1
            cells[before, d, b, 1] += x
            cells[before, d, b, 2] += x * x


class Swept(NamedTuple):
    """What `run_sweep` keeps of a block for all ACs, and counts in."""

    #: (n_groups, block) int32: faces of the check and of its confirmation
    face: Any
    second: Any
    #: (n_groups, 4, block) int32: what comes of an attack of each degree, packed
    packed: Any
    #: (n_groups, 4, 4): whether a degree before resolution became this one after it
    settled: Any
    #: (n_groups, 4, 4, 400, 3) count, sum and sum of squares by degree before and after, and by the faces of the check
    cells: Any
    #: (n_groups, 4, 400) trials by the faces of the check, in four copies
    seen: Any
    #: (2, block) int32 sums of this AC and of the one before
    so_far: Any
    #: of one AC: trials by total, and by hits and criticals
    histogram: Any
    table: Any


def run_sweep(
    prog: Program, thresholds: NDArray[np.int64], key: np.uint64, first_trial: int, n_trials: int, block: int, first_slot: int, tallies: Tallies
) -> None:
    """Play trials as `run` does, for every AC at once: each die is rolled once, and an AC only reads it differently.

    ``thresholds`` is (n_ac, n_rows, 4) and ``tallies`` has a leading AC; the counts are those of a `run` per AC, to the byte. For programs
    without states, effects and dice added to checks, of at most `SWEPT_STEPS` steps and `SWEPT_TOTAL` damage.
    """
    n = len(prog.groups)
    swept = Swept(
        face=np.empty((n, block), np.int32), second=np.empty((n, block), np.int32), packed=np.zeros((n, 4, block), np.int32), settled=np.zeros((n, 4, 4),
        np.int64), cells=np.zeros((n, 4, 4, 400, 3), np.int64), seen=np.zeros((n, 4, 400), np.int64), so_far=np.empty((2, block), np.int32),
        histogram=np.zeros(tallies.histogram.shape[1], np.int64), table=np.zeros(1 << (31 - _SWEPT_BITS), np.int64),
    )  # fmt: skip
    sweep_blocks(prog, thresholds, key, first_trial, n_trials, block, first_slot, tallies, nothing_recorded(), _space(prog, block), swept)


@_jit
def sweep_blocks(prog, thresholds, key, first_trial, n_trials, block, first_slot, tallies, rec, space, swept):
    """`run_sweep`, block by block."""
    n_ac, n_groups = thresholds.shape[0], prog.groups.shape[0]
    words, check_words, work, values, reg = space.words, space.check_words, space.work, space.values, space.reg
    source, check_source = space.sources[0], space.sources[1]
    keys, picked, bins, identity = work[W_KEYS], work[W_PICKED], work[W_DEGREE], work[W_LANES]
    kept, extra = work[W_KEPT], work[W_EXTRA]
    face, second, packed, settled, cells, seen = swept.face, swept.second, swept.packed, swept.settled, swept.cells, swept.seen
    size, histogram, table_now = swept.histogram.shape[0], swept.histogram, swept.table
    points, squares = np.int64(0), np.int64(0)
    low, high = space.sources[2], space.sources[3]
    now = 0

    start = np.int64(0)
    while start < n_trials:
        first = np.uint64(first_trial + start)
        n = min(block, n_trials - start, (1 << 32) - np.int64(first & _MASK))
        check_source[2] = -1
        for g in range(n_groups):
            step, a = prog.groups[g, G_STEP], prog.groups[g, G_ATTACK]
            attack = prog.attacks[a]
            table = attack[A_TABLE]
            check_slot = first_slot + attack[A_CHECK_SLOT]
            faces, seconds = face[g], second[g]
            if attack[A_DICE] == 1 and not attack[A_LUCKY]:
                if check_slot // 4 != check_source[2]:
                    check_source[2] = check_slot // 4
                    _fill(check_words, key, first, check_source[2], n)
                word = check_words[check_slot % 4]
                for j in range(n):
                    product = np.uint64(word[j]) * np.uint64(20)
                    faces[j] = np.int32(product >> _32) + np.int32(1)
                    seconds[j] = np.int32(((product & _MASK) * np.uint64(20)) >> _32) + np.int32(1)
            else:
                check_source[0], check_source[1], check_source[2], check_source[3] = check_slot, 1, -1, _ALL
                _roll_check(check_words, check_source, key, first, identity, n, prog, a, kept, extra, work, work[W_NONE], rec, _ZERO, _NO, step, _NO)
                for j in range(n):
                    faces[j] = kept[j]
                if attack[A_CONFIRM]:
                    _roll_check(check_words, check_source, key, first, identity, n, prog, a, kept, extra, work, work[W_NONE], rec, _ZERO, _NO, step, _YES)
                    for j in range(n):
                        seconds[j] = kept[j]
                check_source[2] = -1
            if not attack[A_CONFIRM]:
                for j in range(n):
                    seconds[j] = 20
            for j in range(n):
                bins[j] = (faces[j] - 1) * 20 + seconds[j] - 1
            for j in range(n):
                seen[g, j & 3, bins[j]] += 1

            # The faces that have each degree at some AC.
            for d in range(4):
                low[d], high[d] = 21, 0
            confirm = 21
            for c in range(n_ac):
                for d in range(4):
                    low[d] = min(low[d], np.int64(1) if d == 0 else thresholds[c, table, d - 1])
                    high[d] = max(high[d], thresholds[c, table, d] - 1 if d < 2 else 20)
                confirm = min(confirm, thresholds[c, table, 3])
            for before in range(4):
                if before < 2 and attack[A_MISSES] == 0 and attack[A_TAKE] == 0 and ((attack[A_NEGATABLE] >> before) & 1) == 0:
                    continue
                least, most, needed = np.int32(low[before]), np.int32(high[before]), np.int32(confirm if before == 3 and attack[A_CONFIRM] else 0)
                for j in range(n):
                    keys[j] = np.int32(j) if (faces[j] >= least) & (faces[j] <= most) & (seconds[j] >= needed) else np.int32(-1)
                m = _select(keys, 0, LANE + 1, picked, n)
                if m > 0:
                    _settle(
                        words, source, key, first, picked, m, prog, a, before, settled[g], packed[g, before], work, values, reg, rec, first_slot, cells[g],
                        bins, step,
                    )  # fmt: skip

        for c in range(n_ac):
            so_far, before_that = swept.so_far[now], swept.so_far[1 - now]
            for j in range(n):
                so_far[j] = 0
            for g in range(n_groups):
                a = prog.groups[g, G_ATTACK]
                table = prog.attacks[a, A_TABLE]
                miss, hit = np.int32(thresholds[c, table, 0]), np.int32(thresholds[c, table, 1])
                threat, sure = np.int32(thresholds[c, table, 2]), np.int32(thresholds[c, table, 3])
                if prog.attacks[a, A_CONFIRM] == 0:
                    sure = np.int32(0)
                faces, seconds, on_hit, on_critical = face[g], second[g], packed[g, 2], packed[g, 3]
                # Masks instead of branches, of 32 bits throughout: LLVM makes vectors of them.
                for j in range(n):
                    critical = -np.int32((faces[j] >= threat) & (seconds[j] >= sure))
                    landed = -np.int32(faces[j] >= hit)
                    so_far[j] += (on_hit[j] & landed & ~critical) | (on_critical[j] & critical)
                if prog.attacks[a, A_MISSES] or prog.attacks[a, A_TAKE]:
                    on_fumble, on_miss = packed[g, 0], packed[g, 1]
                    for j in range(n):
                        landed = -np.int32(faces[j] >= hit)
                        missed = -np.int32(faces[j] >= miss)
                        so_far[j] += ((on_miss[j] & missed) | (on_fumble[j] & ~missed)) & ~landed
            # From one AC to the next few trials change: only those are moved from one count to another.
            if c == 0:
                points, squares = np.int64(0), np.int64(0)
                for t in range(size):
                    histogram[t] = 0
                for t in range(table_now.shape[0]):
                    table_now[t] = 0
                for j in range(n):
                    x = np.int64(so_far[j] & _SWEPT_MASK)
                    points += x
                    squares += x * x
                    table_now[so_far[j] >> _SWEPT_BITS] += 1
                if size > 0:
                    for j in range(n):
                        histogram[so_far[j] & _SWEPT_MASK] += 1
            else:
                for j in range(n):
                    keys[j] = np.int32(j) if so_far[j] != before_that[j] else np.int32(-1)
                m = _select(keys, 0, LANE + 1, picked, n)
                for i in range(m):
                    old, new = before_that[picked[i]], so_far[picked[i]]
                    x, y = np.int64(old & _SWEPT_MASK), np.int64(new & _SWEPT_MASK)
                    points += y - x
                    squares += y * y - x * x
                    table_now[old >> _SWEPT_BITS] -= 1
                    table_now[new >> _SWEPT_BITS] += 1
                    if size > 0:
                        histogram[x] -= 1
                        histogram[y] += 1
            tallies.totals[c, 0] += points
            tallies.totals[c, 1] += squares
            for t in range(size):
                tallies.histogram[c, t] += histogram[t]
            for h in range(n_groups + 1):
                for k in range(n_groups + 1):
                    tallies.table[c, h, k] += table_now[h + (k << 6)]
            now = 1 - now
        start += n

    for g in range(n_groups):
        step, a = prog.groups[g, G_STEP], prog.groups[g, G_ATTACK]
        table = prog.attacks[a, A_TABLE]
        for c in range(n_ac):
            for b in range(400):
                count = seen[g, 0, b] + seen[g, 1, b] + seen[g, 2, b] + seen[g, 3, b]
                if count == 0:
                    continue
                f, s = b // 20 + 1, b % 20 + 1
                threatens = f >= thresholds[c, table, 2]
                critical = threatens and (prog.attacks[a, A_CONFIRM] == 0 or s >= thresholds[c, table, 3])
                before = 3 if critical else (2 if f >= thresholds[c, table, 1] else (1 if f >= thresholds[c, table, 0] else 0))
                if threatens:
                    tallies.threats[c, step] += count
                unsettled = True
                for d in range(4):
                    if settled[g, before, d]:
                        unsettled = False
                        tallies.counts[c, step, d] += cells[g, before, d, b, 0]
                        tallies.sums[c, step, d] += cells[g, before, d, b, 1]
                        tallies.squares[c, step, d] += cells[g, before, d, b, 2]
                if unsettled:
                    tallies.counts[c, step, before] += count


def nothing_recorded() -> Recorder:
    """A recorder that writes nothing down."""
    return Recorder(np.zeros(0, np.int64), np.zeros((0, 0), np.int64), np.zeros((0, 0), np.int64), np.zeros((0, 0, 5), np.int32), np.zeros(0, np.int64))
