"""Which arguments of a command are words of a query, and which are its options.

Words may begin with a minus, since that leaves something out of what is found; argparse would take them for options.
"""

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence

from mambomeme_tui.errors import UsageError

Takes = Mapping[str, bool]
"""Name of each option, with its minuses -> whether a value follows it."""


def options_of(parser: ArgumentParser) -> Takes:
    """The options of a parser."""
    return {name: action.nargs != 0 for action in parser._actions for name in action.option_strings}


def command_at(arguments: Sequence[str], known: Takes) -> int:
    """Where the first argument stands that is neither one of these options nor the value of one."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        at += 2 if known.get(_meant(arguments[at], known)) else 1
    return at


def separate(arguments: Sequence[str], known: Takes) -> tuple[list[str], list[str]]:
    """Take the arguments after a command apart; returns options, each with its value in one piece, and words.

    What begins with a single minus and is no option is a word, and so is everything after `--`.

    Raises:
        UsageError: something begins with two minuses and is no option.
    """
    options: list[str] = []
    words: list[str] = []
    left = list(arguments)
    while left:
        one = left.pop(0)
        if one == "--":
            return options, words + left
        if one in known or one.startswith("--"):
            name = _meant(one, known)
            _check(name, known)
            options.append(f"{name}={left.pop(0)}" if known.get(name) and left else name)
        else:
            words.append(one)
    return options, words


def _meant(argument: str, known: Takes) -> str:
    """The option with its name in full, where it is only begun and there is no other like it."""
    name, equals, value = argument.partition("=")
    if name in known or not name.startswith("--"):
        return argument
    begun = [one for one in known if one.startswith(name)]
    return f"{begun[0]}{equals}{value}" if len(begun) == 1 else argument  # argparse names the ones there are


def _check(argument: str, known: Takes) -> None:
    """Refuse what no option begins like."""
    name = argument.partition("=")[0]
    if any(one.startswith(name) for one in known):
        return
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    advice = f"Did you mean {near[0]}?" if near else "What stands after -- is all words of the query."
    raise UsageError(f"There is no option {name!r}.", advice)
