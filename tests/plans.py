"""Small plans that between them set every field, each with a twin that lacks the field: both engines are held to them."""

from dataclasses import replace

from analyzer.plan import LANDINGS, MAX_TOTAL, Area, Attack, Check, Critical, Die, Packet, Part, Plan, Reduction, Roll, Step, Target, Turn

D2, D3, D4 = Die(sides=2), Die(sides=3), Die(sides=4)
ACS = (2, 11, 12, 20, 22, 40)


def packet(*dice, flat=0, keep=(1, 1), type="fire", **roll):
    return Packet(parts=(Part(type=type, rolls=(Roll(dice=dice, flat=flat, **roll),)),), keep=keep)


HURT = ((packet(flat=1),), (packet(D2, flat=1),), (packet(D3, flat=3),), (packet(D4, flat=6),))
PLAIN = ((), (), (packet(D3, flat=3),), (packet(D4, flat=6),))


def one(attack=None, target=None, on=HURT, **check):
    """A round of one attack."""
    made = Attack(**{"label": "a", "bonus": 1, "check": Check(**check), "on": on} | (attack or {}))
    return Plan(turns=(Turn(steps=(Step(variants=(made,)),)),)), Target(**{"ac": (12,)} | (target or {}))


def line(*steps):
    return Plan(turns=(Turn(steps=steps),))


NATURAL, MEETS, CONFIRM, MARGIN = Critical.NATURAL, Critical.MEETS, Critical.CONFIRM, Critical.MARGIN
#: field: (with it, without it); each is held to the enumeration, and the two must differ.
CHECKS = {
    "dice": (one(dice=2), one()),
    "dice 3": (one(dice=3, on=PLAIN[:2] + ((packet(flat=2),),) * 2), one(dice=2, on=PLAIN)),
    "best": (one(dice=2, best=False, critical=NATURAL, on=PLAIN), one(dice=2, critical=NATURAL, on=PLAIN)),
    "reroll_ones": (one(reroll_ones=True), one()),
    "reroll_ones worst": (one(dice=2, best=False, reroll_ones=True, on=PLAIN), one(dice=2, best=False, on=PLAIN)),
    "reroll_ones best": (one(dice=2, reroll_ones=True, auto_miss_to=3, on=PLAIN), one(dice=2, auto_miss_to=3, on=PLAIN)),
    "extra": (one(extra=(D4, D2)), one()),
    "extra lucky": (one(extra=(Die(sides=4, best_of=2, reroll_to=1),)), one(extra=(D4,))),
    "extra sign": (one(extra=(Die(sides=4, sign=-1),)), one(extra=(D4,))),
    "ties_hit": (one(ties_hit=False), one()),
    "auto_miss_to": (one(auto_miss_to=3), one()),
    "auto_miss_to 0": (one(auto_miss_to=0), one()),
    "auto_hit_from": (one(auto_hit_from=18), one()),
    "auto_hit_from 21": (one(auto_hit_from=21), one()),
    "add_on_1": (one(auto_miss_to=0, add_on_1=-10), one(auto_miss_to=0)),
    "add_on_20": (one(auto_hit_from=21, add_on_20=30), one(auto_hit_from=21)),
    "threat_from": (one(threat_from=15, critical=NATURAL), one(critical=NATURAL)),
    "threat_from 21": (one(threat_from=21, critical=NATURAL), one(critical=NATURAL)),
    "natural": (one(threat_from=19, critical=NATURAL), one(threat_from=19)),
    "meets": (one(threat_from=18, auto_hit_from=17, critical=MEETS), one(threat_from=18, auto_hit_from=17, critical=NATURAL)),
    "meets extra": (one(threat_from=10, extra=(D4,), critical=MEETS), one(threat_from=10, critical=MEETS)),
    "meets within auto_miss": (one(auto_miss_to=12, threat_from=10, critical=MEETS), one(auto_miss_to=1, threat_from=10, critical=MEETS)),
    "confirm": (one(threat_from=17, critical=CONFIRM), one(threat_from=17, critical=NATURAL)),
    "confirm_bonus": (one(threat_from=17, critical=CONFIRM, confirm_bonus=4), one(threat_from=17, critical=CONFIRM)),
    "confirm_bonus low": (one(threat_from=17, critical=CONFIRM, confirm_bonus=-30), one(threat_from=17, critical=CONFIRM)),
    "confirm_naturals": (one(threat_from=17, critical=CONFIRM, confirm_naturals=False), one(threat_from=17, critical=CONFIRM)),
    "confirm whole check": (
        one(threat_from=19, critical=CONFIRM, ties_hit=False, reroll_ones=True, extra=(D2,), add_on_20=5, on=PLAIN),
        one(threat_from=19, critical=CONFIRM, ties_hit=False, reroll_ones=True, add_on_20=5, on=PLAIN),
    ),
    "margin": (one(critical=MARGIN), one()),
    "margin size": (one(critical=MARGIN, margin=5), one(critical=MARGIN)),
    "margin 1": (one(critical=MARGIN, margin=1, extra=(D4,)), one(critical=MARGIN, extra=(D4,))),
    "margin ties": (one(critical=MARGIN, ties_hit=False), one(critical=MARGIN)),
    "margin extra": (one(critical=MARGIN, extra=(D4, D3)), one(critical=MARGIN)),
    "margin free": (one(critical=MARGIN, auto_miss_to=0, auto_hit_from=21), one(critical=MARGIN)),
    "natural_shift": (one(critical=MARGIN, auto_miss_to=0, auto_hit_from=21, natural_shift=True), one(critical=MARGIN, auto_miss_to=0, auto_hit_from=21)),
    "natural_shift auto": (one(critical=MARGIN, natural_shift=True, margin=5), one(critical=MARGIN, margin=5)),
    "take_hit": (one(take_hit=True, critical=NATURAL), one(critical=NATURAL)),
}


def rolled(**roll):
    return one(on=((), (), (packet(**roll) if "dice" not in roll else packet(*roll.pop("dice"), **roll),), ()))


def died(**die):
    return rolled(dice=(Die(**die),))


SNEAK = Packet(parts=(Part(type="fire", rolls=(Roll(dice=(D2,), flat=1), Roll(dice=(D3,), flat=2, precision=True))),))
SNEAKY = ((), (), (SNEAK,), (SNEAK, packet(flat=2)))
BAD = Packet(parts=(Part(type="fire", rolls=(Roll(dice=(D3,), flat=-2), Roll(flat=2, precision=True)), minimum=2), Part(type="cold", rolls=(Roll(flat=2),))))
DAMAGES = {
    "sides": (died(sides=6), died(sides=4)),
    "count": (died(sides=4, count=3), died(sides=4)),
    "reroll_to": (died(sides=6, reroll_to=2), died(sides=6)),
    "at_least": (died(sides=6, at_least=3), died(sides=6)),
    "die best_of": (died(sides=4, best_of=3), died(sides=4)),
    "sign": (rolled(dice=(Die(sides=4, sign=-1),), flat=6), rolled(dice=(D4,), flat=6)),
    "negative is 0": (rolled(dice=(D4,), flat=-2), rolled(dice=(D4,), flat=-1)),
    "dice": (rolled(dice=(D4, D3)), rolled(dice=(D4,))),
    "flat": (rolled(dice=(D4,), flat=2), rolled(dice=(D4,))),
    "minimum": (rolled(dice=(D4,), flat=-2, minimum=1), rolled(dice=(D4,), flat=-2)),
    "roll best_of": (rolled(dice=(D4,), best_of=2), rolled(dice=(D4,))),
    "times": (rolled(dice=(D4,), flat=-2, minimum=1, times=3), rolled(dice=(D4,), flat=-2, minimum=1)),
    "times 0": (rolled(dice=(D4,), times=0), rolled(dice=(D4,))),
    "scale": (rolled(dice=(D4,), scale=3), rolled(dice=(D4,), times=3)),
    "precision": (one(on=SNEAKY, target={"immune_precision": True}), one(on=SNEAKY)),
    "part minimum": (
        one(on=((), (), (BAD,), ())),
        one(on=((), (), (replace(BAD, parts=(replace(BAD.parts[0], minimum=-9), BAD.parts[1])),), ())),
    ),
    "part minimum after precision": (one(on=((), (), (BAD,), ()), target={"immune_precision": True}), one(on=((), (), (BAD,), ()))),
    "packet keep": (one(on=((), (), (packet(D4, flat=3, keep=(1, 2)),), ())), one(on=((), (), (packet(D4, flat=3),), ()))),
    "two packets": (
        one(on=((), (), (packet(D4, keep=(2, 3)), packet(D4, keep=(2, 3))), ())),
        one(on=((), (), (packet(D4, times=2, keep=(2, 3)),), ())),
    ),
    "no parts": (one(on=((), (), (Packet(parts=()),), HURT[3])), one()),
}


def reduced(*reductions, parts=None):
    owed = Packet(parts=(Part(type="c", rolls=(Roll(dice=(D2,), flat=-2),), minimum=-9),))
    a, b, c = parts or (packet(D4, type="a"), packet(D3, flat=1, type="b"), owed)
    mixed = Packet(parts=a.parts + b.parts + c.parts)
    return one(on=((), (), (mixed, a), ()), target={"reductions": (reductions,)})


def cut(*types, **changes):
    return Reduction(types=frozenset(types) if types else None, **changes)


HIDE = cut("a", "b", subtract=3)
MISSING = (packet(D4, type="a"), packet(D3, type="b"), packet(D2, type="b"))
REDUCTIONS = {
    "types": (reduced(cut("a", subtract=2)), reduced(cut(subtract=2))),
    "type of a part": (reduced(cut("a", subtract=2)), reduced(cut("b", subtract=2))),
    "subtract": (reduced(cut(subtract=2)), reduced()),
    "beyond all": (reduced(cut(subtract=MAX_TOTAL)), reduced()),
    "keep": (reduced(cut(keep=(1, 2))), reduced()),
    "keep more": (reduced(cut("a", keep=(3, 2))), reduced()),
    "up": (reduced(cut(keep=(1, 2), up=True)), reduced(cut(keep=(1, 2)))),
    "add": (reduced(cut("c", add=3), cut("b", add=2)), reduced()),
    "add and subtract": (reduced(cut(add=5, subtract=6)), reduced(cut(subtract=6))),
    "zero gets no add": (reduced(cut("a", subtract=2), cut("a", add=5)), reduced(cut("a", add=3))),
    "nested": (reduced(cut("a", subtract=2), HIDE), reduced(HIDE)),
    "nested all": (reduced(cut("a", keep=(1, 2)), HIDE, cut(keep=(1, 2), add=1)), reduced(HIDE, cut(keep=(1, 2), add=1))),
    "disjoint": (reduced(cut("a", subtract=2), cut("b", subtract=2)), reduced(HIDE)),
    "order": (reduced(cut(subtract=2), cut(keep=(1, 2))), reduced(cut(keep=(1, 2)), cut(subtract=2))),
    "absent type": (reduced(cut("x", add=4), HIDE), reduced(cut("a", add=4), HIDE)),
    "negative counts as 0": (reduced(cut("c", subtract=0)), reduced()),
    "one type twice": (reduced(cut("b", subtract=3), parts=MISSING), reduced(parts=MISSING)),
}

FENCED = {"critical": CONFIRM, "threat_from": 15, "on": SNEAKY}
THREAT = {"critical": NATURAL, "threat_from": 15}
TAKEN = ((), (SNEAK,), (SNEAK,), (packet(D4),))
TARGETS = {
    "defence": (
        one(target={"ac": (15, 18), "follows_sweep": (True, False)}, attack={"defence": 1}),
        one(target={"ac": (15, 18), "follows_sweep": (True, False)}),
    ),
    "ac": (
        one(target={"ac": (15, 18), "follows_sweep": (True, False)}, attack={"defence": 1}),
        one(target={"ac": (15, 17), "follows_sweep": (True, False)}, attack={"defence": 1}),
    ),
    "miss": (one(target={"miss": (1, 5)}, **THREAT), one(**THREAT)),
    "miss all": (one(target={"miss": (5, 5)}, **THREAT), one(**THREAT)),
    "miss_rolls": (one(target={"miss": (2, 5), "miss_rolls": 3}, **THREAT), one(target={"miss": (2, 5)}, **THREAT)),
    "miss then take_hit": (one(target={"miss": (1, 2)}, take_hit=True, **THREAT), one(take_hit=True, **THREAT)),
    "negate": (one(target={"negate": (1, 4)}, **FENCED), one(**FENCED)),
    "negate all": (one(target={"negate": (4, 4)}, **FENCED), one(**FENCED)),
    "negate critical only": (one(target={"negate": (1, 4)}, **THREAT), one(**THREAT)),
    "negate precision only": (one(target={"negate": (1, 4)}, on=SNEAKY), one(on=SNEAKY)),
    "negated then missed": (one(target={"negate": (1, 4), "miss": (1, 2)}, on=TAKEN), one(target={"miss": (1, 2)}, on=TAKEN)),
    "negated then taken": (one(target={"negate": (1, 4), "miss": (1, 2)}, on=TAKEN, take_hit=True), one(target={"miss": (1, 2)}, on=TAKEN, take_hit=True)),
    "negate not twice": (one(target={"negate": (1, 4)}, on=TAKEN, **THREAT), one(on=TAKEN, **THREAT)),
    "immune_critical": (one(target={"immune_critical": True}, **FENCED), one(**FENCED)),
    "immune, negate": (one(target={"immune_critical": True, "negate": (1, 4)}, **THREAT), one(target={"negate": (1, 4)}, **THREAT)),
    "immune_precision": (one(target={"immune_precision": True, "negate": (1, 4)}, **FENCED), one(target={"negate": (1, 4)}, **FENCED)),
}


def area(*rows, scatters=True):
    return Area(caught=(rows + ((0,) * len(rows[0]),) * LANDINGS)[:LANDINGS], scatters=scatters)


BLAST = Packet(parts=(*packet(D4, type="a").parts, *packet(D3, type="b").parts, *packet(D2, type="c").parts), keep=(2, 3))
BOMB = ((packet(flat=1),), (packet(flat=2),), (BLAST,), (BLAST, packet(D2)))
GANG = {"reductions": ((cut("a", subtract=1),), (), (cut("a", keep=(1, 2)), HIDE))}
TWO = area((1, 1, 1), (0, 0, 1), (1, 0, 0), (1, 1, 0), (1, 0, 0))
SAME = {"reductions": ((HIDE,), (), (HIDE,))}


def bomb(where, target=GANG, on=BOMB, acs=(12,), **check):
    return one(attack={"area": where}, target=dict(target, ac=acs), on=on, **check)


CATCHES = {
    "area": (bomb(TWO), bomb(None)),
    "caught on the mark": (bomb(TWO), bomb(area((1, 0, 1), *TWO.caught[1:]))),
    "caught elsewhere": (bomb(TWO), bomb(area((1, 1, 1), (1, 1, 1), *TWO.caught[2:]))),
    "landing order": (bomb(area((1, 1, 1), *[(0, 0, 0)] * 4, (1, 1, 1))), bomb(area((1, 1, 1), *[(0, 0, 0)] * 31, (1, 1, 1)), take_hit=True)),
    "scatters": (bomb(replace(TWO, scatters=False)), bomb(TWO)),
    "critical": (bomb(TWO, critical=NATURAL, threat_from=15), bomb(TWO)),
    "creature reductions": (bomb(TWO, SAME), bomb(TWO)),
    "nobody": (bomb(area((0, 0, 0))), bomb(TWO)),
    "scattered precision": (bomb(TWO, GANG | {"negate": (1, 2)}, SNEAKY), bomb(TWO, GANG, SNEAKY)),
    "empty packet": (bomb(TWO, on=((), (), (Packet(parts=()),), ())), bomb(TWO)),
}

A = Attack(label="first", bonus=2, check=Check(critical=NATURAL, threat_from=18), on=((), (), (packet(D2),), (packet(D3, flat=2),)), effect="bleed")
B = replace(A, label="other", bonus=-3, on=((), (packet(flat=1),), (packet(flat=4),), (packet(flat=9),)), effect="stun")
PLUS = replace(A, label="rider", on=((), (), (packet(D2), packet(D3)), (packet(D3, flat=2), packet(D3, flat=1))))
STAY = ((0, 0, 0, 0), (1, 1, 1, 1))
FLIP = ((0, 0, 1, 1), (1, 0, 1, 1))
CHAIN = ((0, 0, 1, 2), (0, 1, 2, 2), (2, 2, 2, 0))
ONCE = Step(variants=(PLUS, A), next=((0, 0, 1, 1), (1, 1, 1, 1)))
TURNS = {
    "steps": (line(*[Step(variants=(A,))] * 2), line(Step(variants=(A,)))),
    "no next": (line(*[Step(variants=(PLUS, A))] * 2), line(ONCE, ONCE)),
    "next": (line(ONCE, ONCE), line(ONCE, replace(ONCE, variants=(A, PLUS)))),
    "next by degree": (line(Step(variants=(A, A), next=FLIP), Step(variants=(B, A))), line(Step(variants=(A, A), next=STAY), Step(variants=(B, A)))),
    "degree 3 its own": (
        line(Step(variants=(A,) * 3, next=CHAIN), Step(variants=(B, A, PLUS), next=CHAIN)),
        line(Step(variants=(A,) * 3, next=(CHAIN[0], (1,) * 4, (2,) * 4)), Step(variants=(B, B, PLUS))),
    ),
    "skipped": (line(Step(variants=(A, A), next=FLIP), Step(variants=(None, B))), line(Step(variants=(A, A), next=FLIP), Step(variants=(B, B)))),
    "skipped keeps the state": (
        line(Step(variants=(A, A), next=FLIP), Step(variants=(B, None), next=((0,) * 4, (0,) * 4)), Step(variants=(None, A))),
        line(Step(variants=(A, A), next=FLIP), Step(variants=(B, B), next=((0,) * 4, (0,) * 4)), Step(variants=(None, A))),
    ),
    "never made": (line(Step(variants=(None, A)), Step(variants=(A, None))), line(Step(variants=(None, A)))),
    "no attack at all": (line(Step(variants=(None, None)), Step(variants=(A, None))), line(Step(variants=(A, None)))),
    "a turn begins in state 0": (Plan(turns=(Turn(steps=(ONCE,)), Turn(steps=(ONCE,)))), line(ONCE, ONCE)),
    "turns of other sizes": (
        Plan(turns=(Turn(steps=(ONCE,)), Turn(steps=()), Turn(steps=(Step(variants=(B,)),)))),
        Plan(turns=(Turn(steps=(ONCE,)), Turn(steps=()), Turn(steps=(Step(variants=(A,)),)))),
    ),
    "effect": (line(Step(variants=(A,)), Step(variants=(B,))), line(Step(variants=(A,)), Step(variants=(replace(B, effect="bleed"),)))),
    "bonus": (line(Step(variants=(A,))), line(Step(variants=(replace(A, bonus=7),)))),
    "empty round": (Plan(turns=()), line(Step(variants=(A,)))),
    "empty turn": (Plan(turns=(Turn(steps=()),)), line(Step(variants=(A,)))),
}
CASES = {**CHECKS, **DAMAGES, **REDUCTIONS, **TARGETS, **CATCHES, **{k: tuple((p, Target(ac=(12,))) for p in pair) for k, pair in TURNS.items()}}
