"""What the bytes that a terminal received have switched on, and what of it is still on.

Two readers that share no code: `Modes` follows every sequence as an emulator does, a sequence that was cut off and
one that never ended included; `unreset` only looks for the last word on each mode in the raw bytes.
"""

import re
from dataclasses import dataclass, field
from typing import Final

WATCHED: Final = (7, 25, 1000, 1002, 1003, 1004, 1006, 1015, 1016, 1049, 2004, 2026, 2048)
"""The private modes that the interface is known to use; any other that it switches on is followed too."""
ON_AT_START: Final = frozenset({7, 25})
"""Those that are on in a fresh terminal: autowrap and the cursor."""
SCREEN: Final = 1049

_SEQUENCE = re.compile(
    rb"\x1b(?:"
    rb"\[(?P<prefix>[?><=]?)(?P<numbers>[0-9;:]*)(?P<between>[ -/]*)(?P<final>[@-~])"
    rb"|\](?P<command>[^\x07\x1b\x18\x1a]*)(?:\x07|\x1b\\)"
    rb"|[PX^_][^\x1b\x18\x1a]*\x1b\\"
    rb"|(?P<charset>[()*+][0-~])"
    rb"|[ #-'\-./][ -/]*[0-~]"
    rb"|(?P<single>[0-OQ-WYZ\\`-~])"
    rb")"
)
_BEGUN = rb"(?:\[[?><=]?[0-9;:]*[ -/]*|\][^\x07\x1b\x18\x1a]*|[PX^_][^\x1b\x18\x1a]*|[ -/]*)"
_CANCELLED = re.compile(rb"\x1b" + _BEGUN + rb"(?=[\x1b\x18\x1a])")
"""A sequence in whose middle another one begins, as when the terminal threw away what it had not read: it is void."""
_OPEN = re.compile(rb"\x1b" + _BEGUN + rb"\x1b?\Z")
_SWITCH = re.compile(rb"\x1b\[\?([0-9;]+)([hl])")


@dataclass
class Modes:
    """The state of a terminal that only remembers what a program may not leave behind.

    Attributes:
        private: private mode -> whether it is on, for every one that was ever mentioned.
        seen: the private modes that differed from a fresh terminal's at some time.
        questions: what was asked of the terminal and not answered yet.
    """

    private: dict[int, bool] = field(default_factory=lambda: dict.fromkeys(ON_AT_START, True))
    seen: set[int] = field(default_factory=set)
    questions: list[bytes] = field(default_factory=list)
    _keyboard: dict[bool, list[int]] = field(default_factory=lambda: {False: [], True: []})
    _others: dict[str, bool] = field(default_factory=dict)
    _rest: bytes = b""

    def feed(self, data: bytes) -> None:
        """Take in what was received; a sequence may be cut anywhere."""
        data, at = self._rest + data, 0
        self._rest = b""
        while (at := data.find(b"\x1b", at)) >= 0:
            if _OPEN.match(data, at):
                self._rest = data[at:]
                return
            if (found := _SEQUENCE.match(data, at)) is not None:
                self._apply(found)
                at = found.end()
            elif (void := _CANCELLED.match(data, at)) is not None:
                at = void.end()
            else:
                self._others[f"unknown sequence {data[at : at + 12]!r}"] = True
                at += 1

    def is_on(self, *modes: int) -> bool:
        """Whether all these private modes are on."""
        return all(self.private.get(mode, mode in ON_AT_START) for mode in modes)

    @property
    def keyboard(self) -> int:
        """The flags of the kitty keyboard on the screen that is shown."""
        return (self._keyboard[self.is_on(SCREEN)] or [0])[-1]

    def leftovers(self) -> list[str]:
        """Everything that differs from a fresh terminal, in words."""
        found = [f"mode {mode}" for mode, on in sorted(self.private.items()) if on != (mode in ON_AT_START)]
        found += [f"keyboard of screen {int(screen)}" for screen, stack in self._keyboard.items() if stack]
        found += [name for name, on in self._others.items() if on]
        return found + ([f"unfinished {self._rest[:12]!r}"] if self._rest else [])

    def _apply(self, found: re.Match[bytes]) -> None:
        if found["final"] is not None:
            self._control(found)
        elif found["command"] is not None:
            self._command(found["command"])
        elif found["charset"] is not None:
            self._others[f"character set {found['charset'][:1].decode()}"] = found["charset"][1:] != b"B"
        elif found["single"] in (b"=", b">"):
            self._others["keypad"] = found["single"] == b"="

    def _control(self, found: re.Match[bytes]) -> None:
        prefix, numbers = found["prefix"].decode(), found["numbers"].decode()
        match prefix, (found["between"] + found["final"]).decode():
            case "?", "h" | "l" as final:
                self._switch(numbers, final == "h")
            case "", "h" | "l" as final:
                self._others[f"ANSI mode {numbers}"] = final == "h"
            case ">" | "<" | "=", "u":
                self._change_keyboard(prefix, numbers)
            case ">", "m":
                kind, _, value = numbers.partition(";")
                self._others[f"keys modified by {kind}"] = value not in ("", "0")
            case "", "m":
                self._others["colours"] = styled_after(numbers, self._others.get("colours", False))
            case "", "r":
                self._others["scrolling region"] = bool(numbers)
            case "", " q":
                self._others["cursor shape"] = numbers not in ("", "0")
            case ("?", "$p") | ("?", "u") | ("", "n") | ("" | ">", "c") | (">", "q"):
                self.questions.append(found[0])

    def _switch(self, numbers: str, on: bool) -> None:
        for mode in map(int, filter(None, numbers.split(";"))):
            self.private[mode] = on
            if on != (mode in ON_AT_START):
                self.seen.add(mode)
            if mode == 2048 and on:
                self.questions.append(b"size")

    def _change_keyboard(self, prefix: str, numbers: str) -> None:
        stack = self._keyboard[self.is_on(SCREEN)]
        number = int(numbers.partition(";")[0] or (prefix == "<"))
        if prefix == ">":
            stack.append(number)
        elif prefix == "<":
            del stack[max(0, len(stack) - number) :]
        else:
            stack[-1:] = [number]

    def _command(self, command: bytes) -> None:
        number, _, value = command.decode("utf-8", "replace").partition(";")
        if number == "22":
            self._others["pointer"] = value not in ("", "default")
        elif number == "8":
            self._others["link"] = value != ";"
        elif number in ("10", "11", "12") and value != "?":
            self._others[f"colour {number}"] = True
        elif number in ("110", "111", "112"):
            self._others[f"colour {number[1:]}"] = False


def styled_after(numbers: str, styled: bool) -> bool:
    """Whether text is styled after a colour sequence with these numbers; the zeros inside a colour are no reset."""
    left = numbers.split(";")
    while left:
        first, *inside = left.pop(0).split(":")
        styled = first not in ("", "0")
        if first in ("38", "48", "58") and left and not inside:
            del left[: 4 if left[0] == "2" else 2]
    return styled


def unreset(raw: bytes) -> list[int]:
    """The private modes whose last switch in the raw bytes is not the one of a fresh terminal."""
    last = {int(mode): found[2] == b"h" for found in _SWITCH.finditer(raw) for mode in found[1].split(b";") if mode}
    return sorted(mode for mode, on in last.items() if on != (mode in ON_AT_START))
