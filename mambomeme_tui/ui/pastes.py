"""The filter between the keyboard's bytes and Textual's parser, which takes an ESC in a paste for a key.

What always holds:

- What stands between the markers of a paste comes out as one paste, without any control character, or not at all;
  it never comes out as keys, whatever it holds and however the reads cut it.
- Whatever stands outside passes as it came, an end marker without a beginning too: the parser takes it for nothing,
  and taking it out could join what stands around it to a marker.
- The beginning of a paste within a paste is dropped, for else a pasted one would ask for two ends.
- The parser only ever sees a beginning together with its end, so that it cannot stay in a paste.
- Nothing waits for ever and nothing grows without bound: `pause` says when silence ends what is open.

A pasted end marker ends the paste: no program can tell it from the terminal's own.
"""

import re
from codecs import getincrementaldecoder

BEGIN, END = "\x1b[200~", "\x1b[201~"
ROOM = 65_536
"""Characters kept of one paste, several times what the query box takes; what is beyond is dropped up to its end."""
SILENT_POLLS = 20
"""Silent polls in a row that end a paste: two seconds. Bytes of a real paste follow at once, save where a network
stalls, and what comes after a stall that ends it would be keys; a person whose paste lost its end waits that long."""

_MARKER = re.compile(r"\x1b\[20([01])~")
_PART_OF_MARKER = re.compile(r"\x1b(?:\[(?:2(?:0[01]?)?)?)?\Z")
_CONTROLS = {**dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)]), ord("\t"): " "}


class PasteFilter:
    """Turns reads into text for the parser; one object follows one terminal."""

    def __init__(self) -> None:
        self._decode = getincrementaldecoder("utf-8")(errors="replace").decode
        self._pasted: list[str] | None = None  # None outside of a paste
        self._room = ROOM
        self._held = ""  # what may be the beginning of a marker
        self._passed = 0  # how much of it is out already
        self._silence = 0

    def feed(self, data: bytes) -> str:
        """What the parser shall see of this read and of what was held back; often nothing.

        Bytes that are no UTF-8 become replacement characters. A paste comes out whole, after its end marker.
        """
        self._silence = 0
        text = self._held + self._decode(data)
        part = _PART_OF_MARKER.search(text)
        whole, self._held = (text[: part.start()], part[0]) if part else (text, "")
        contents = _MARKER.split(whole)  # text, kind of marker, text, ...
        contents[0] = contents[0][self._passed :]
        if whole:
            self._passed = 0
        return "".join(self._mark(piece) if at % 2 else self._take(piece) for at, piece in enumerate(contents))

    def pause(self) -> str:
        """Tell that a poll passed without a byte; gives what need not wait any longer.

        Outside of a paste this is a held ESC, which was a key then. Should the rest of a marker come later all the
        same, it is still known.
        """
        self._silence += 1
        if self._pasted is None:
            out = self._held[self._passed :]
        elif self._silence >= SILENT_POLLS:
            out = self._close(self._pasted)
        else:
            return ""
        self._passed = len(self._held)
        return out

    def _take(self, text: str) -> str:
        if self._pasted is None:
            return text
        if kept := text[: self._room]:
            self._pasted.append(kept)
            self._room -= len(kept)
        return ""

    def _mark(self, kind: str) -> str:
        if kind == "1":
            return END if self._pasted is None else self._close(self._pasted)
        if self._pasted is None:
            self._pasted, self._room = [], ROOM
        return ""

    def _close(self, pasted: list[str]) -> str:
        self._pasted = None
        text = " ".join("".join(pasted).splitlines()).translate(_CONTROLS)
        return f"{BEGIN}{text}{END}" if text else END  # an empty paste would delete what is selected
