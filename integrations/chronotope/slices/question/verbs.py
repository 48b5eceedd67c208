"""English verbs whose past is no ending of theirs, so that "who took part" names what a relation calls `takes part in`."""

from __future__ import annotations

from typing import Final

from chronotope.lexical import words

__all__ = ["verb_stems"]

_FORMS = """
beat beaten; become became; begin began begun; bind bound; bite bit bitten; bleed bled; break broke broken; bring brought;
build built; burn burnt; buy bought; catch caught; choose chose chosen; come came; dig dug; do did done; draw drew drawn;
drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found; flee
fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get
got gotten; give gave given; go went gone; grow grew grown; hang hung; hear heard; hide hid hidden; hold held; keep kept;
know knew known; lead led; learn learnt; leave left; lend lent; lie lay lain; lose lost; make made; mean meant; meet met; pay
paid; ride rode ridden; ring rang rung; rise rose risen; run ran; say said; see saw seen; seek sought; sell sold; send sent;
shake shook shaken; shoot shot; sing sang sung; sit sat; slay slew slain; sleep slept; speak spoke spoken; spend spent; stand
stood; steal stole stolen; strike struck; swear swore sworn; swim swam swum; take took taken; teach taught; tear tore torn;
tell told; think thought; throw threw thrown; understand understood; wake woke woken; wear wore worn; wed wedded; weep wept;
win won; write wrote written; overhear overheard; withdraw withdrew withdrawn
"""


def _bases() -> dict[str, str]:
    """The stem of each form, with that of its verb."""
    found: dict[str, str] = {}
    for verb in _FORMS.split(";"):
        base, *forms = words(verb)
        found |= dict.fromkeys(forms, base)
    return found


_BASES: Final = _bases()


def verb_stems(text: str, *, asked: bool = False) -> list[str]:
    """The words of a text as `chronotope.lexical.words` gives them, irregular forms of verbs as the verb itself.

    >>> verb_stems("Who took part?") == verb_stems("who takes parts")
    True
    """
    return [_BASES.get(word, word) for word in words(text, asked=asked)]
