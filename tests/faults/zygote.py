"""The process that every attacked child is forked from: everything is imported in it, and the library is preloaded.

Reads requests, one JSON object a line, and answers each with one line.
"""

import gc
import json
import os
import sys
from pathlib import Path
from typing import Any

from mambomeme_tui.index import vocabulary
from tests.faults import standins
from tests.faults.scenarios import Scenario, all_scenarios, make_sources, publishing
from tests.faults.shim import Kind
from tests.faults.workshop import Workshop, in_child


class Zygote:
    """Workshops by scenario, made when they are first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        sources = make_sources(folder / "sources")
        publishing(sources.old)(folder / "tried")  # what is imported late is imported here, and not in every child
        self._scenarios: dict[str, Scenario] = all_scenarios(sources)
        self._workshops: dict[str, Workshop] = {}

    def workshop(self, name: str) -> Workshop:
        """The workshop of a scenario."""
        if name not in self._workshops:
            self._workshops[name] = Workshop(self._folder / name, self._scenarios[name])
            gc.freeze()
        return self._workshops[name]

    def answer(self, request: dict[str, Any]) -> Any:
        """Do what a request asks for."""
        shop = self.workshop(request["scenario"])
        match request["do"]:
            case "survey":
                return [str(path) for path in (shop.log, shop.run, shop.template, shop.final)]
            case "log":
                return str(shop.log_of(request["mutation"]))
            case "points":
                kind = Kind(request["kind"])
                return [shop.point(number, kind, request["mutation"]) for number in request["numbers"]]
            case "crashes":
                return [shop.crash(tree) for tree in request["trees"]]
            case _:
                return shop.spoiled()


def main() -> None:
    """Answer until the requests end."""
    os.environ.pop("LD_PRELOAD")
    # in a child, so that the large lists they are made from lie in no page that a later child would be given
    standins.install(in_child(lambda: {"words": vocabulary.common_words()})["words"])
    zygote = Zygote(Path(sys.argv[1]))
    for line in sys.stdin:
        print(json.dumps(zygote.answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
