"""Damage types every game knows; a game may be given others, but none that is a known one misspelt."""

from __future__ import annotations

from difflib import get_close_matches

PHYSICAL = frozenset({"physical", "slashing", "piercing", "bludgeoning"})
#: Types a file may name in a reduction although no build deals them.
KNOWN_TYPES = PHYSICAL | {
    "acid", "cold", "electricity", "fire", "sonic", "force", "lightning", "thunder", "poison", "psychic", "necrotic", "radiant",
    "magical", "divine", "positive", "negative", "holy", "unholy", "good", "evil", "lawful", "chaotic", "mental", "bleed", "spirit", "vitality", "void",
}  # fmt: skip


def meant(type: str) -> str | None:
    """The known type an unknown one is so close to that it must be a slip, which would let damage past a reduction; None for a known or a new one."""
    close = [] if type in KNOWN_TYPES else get_close_matches(type, sorted(KNOWN_TYPES), n=1, cutoff=0.85)
    return close[0] if close else None
