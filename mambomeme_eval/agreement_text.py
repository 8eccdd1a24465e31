"""Agreement as people read it: rounded to three places only here, each proportion with its two integers beside it."""

from dataclasses import asdict
from typing import Any, Final

from mambomeme_eval.agreement import Agreement, Likeness, Rate
from mambomeme_eval.counting import counted
from mambomeme_tui.text import printable

MEASURES: Final = {
    "exact": "the same grade",
    "within_one": "within one grade",
    "useful": "2 or better",
    "safety": "the same safety",
}


def lines(found: Agreement) -> list[str]:
    """An agreement for a person, plain printable text."""
    told = [
        f"{counted(found.candidates, 'candidate')} with two annotators",
        f"  {'Krippendorff alpha, ordinal':<30} {_number(found.alpha)}",
        f"  {'quadratic kappa':<30} {_number(found.kappa)}",
        *_of(found.between),
        f"  {'went to a third':<30} {_rate(found.third)}",
    ]
    for pair in found.pairs if len(found.pairs) > 1 else ():
        names = " and ".join(map(printable, pair.people))
        told.append(f"{names}: quadratic kappa {_number(pair.kappa)} on {counted(pair.candidates, 'candidate')}")
    for name, own in found.own.items():
        told += [f"{printable(name)} against the same person, {counted(own.exact.total, 'repetition')}", *_of(own)]
    return told


def _of(found: Likeness) -> list[str]:
    return [f"  {label:<30} {_rate(getattr(found, name))}" for name, label in MEASURES.items()]


def _rate(rate: Rate) -> str:
    value = rate.value
    return "undefined" if value is None else f"{float(value):.3f}  ({rate.count} of {rate.total})"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def to_dict(found: Agreement) -> dict[str, Any]:
    """An agreement as plain JSON values, unrounded; None is undefined."""
    return asdict(found)
