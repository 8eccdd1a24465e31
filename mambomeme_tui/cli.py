"""The command line: reads arguments, calls one command, turns errors into a sentence and an exit code.

Nothing heavy is imported before the command that needs it is known: `--version` and the first paint of the interface
load neither numpy nor an index.
"""

import argparse
import contextlib
import os
import re
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from mambomeme_tui import __version__, config
from mambomeme_tui.arguments import command_at, options_of, separate
from mambomeme_tui.errors import CorpusError, MamboError, OutputError, ReaderGone, UsageError
from mambomeme_tui.paths import bundled, expand

WITH_QUERY = ("find", "search")
"""Commands whose arguments are words of a query, but for options."""
EXIT_CODES = """\
exit codes:
  0  done
  1  nothing was found
  2  the command line or a setting is wrong
  3  the corpus has faults
  4  no index can be served
  5  this terminal can't show the interface
  6  the answer could not be written
  70 something went wrong that should not have
"""


QUERY = "what you remember; -word leaves something out, and what stands after -- is all words"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]  # the base never returns either
        raise UsageError(f"{message[:1].upper()}{message[1:]}.", f"See `{self.prog} --help`.")


def build_parser() -> argparse.ArgumentParser:
    """The parser with every command and option; the documentation test reads it too."""
    shared = _Parser(add_help=False, argument_default=argparse.SUPPRESS)  # or a command would undo what stood before it
    shared.add_argument("--data-dir", metavar="DIR", help="where versions are kept (MAMBOMEME_DATA_DIR)")
    shared.add_argument("--debug", action="store_true", help="show the traceback of an error")
    looks = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    looks.add_argument("--route", choices=config.ROUTES, help="how to find (MAMBOMEME_ROUTE)")
    looks.add_argument("--theme", metavar="NAME", help="colour theme (MAMBOMEME_THEME)")
    parser = _Parser(
        prog="mambomeme",
        description="Find memes by whatever you remember of them: a name, a quote, a topic, a meaning, a picture.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[shared, looks],
    )
    parser.add_argument("--version", action="version", version=f"mambomeme {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    _add_search(commands.add_parser("search", parents=[shared, looks], help="open the interface; so does no command"))
    _add_find(commands.add_parser("find", parents=[shared], help="print what is found, for scripts"))
    _add_publish(commands.add_parser("publish", parents=[shared], help="build the index and make it current"))
    _add_versions(commands, shared)
    _add_corpus(commands.add_parser("corpus", parents=[shared], help="check, count and show a corpus"), shared)
    return parser


def _add_corpus(parser: argparse.ArgumentParser, shared: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, told in (
        ("check", "apply every rule to every file, and name all faults"),
        ("stats", "count it by kind, topic, class, language and more"),
        ("show", "print an item or a family"),
        ("freeze", "write its manifest anew, after a change that was meant"),
    ):
        action = actions.add_parser(name, parents=[shared], help=told)
        action.add_argument("--corpus", metavar="DIR", help="a corpus folder; the bundled one where none is named")
        if name == "show":
            action.add_argument("id", metavar="ID", help="an item's or a family's id")


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="*", help="search for this at once; -word leaves something out")


def _add_find(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="+", help=QUERY)
    parser.add_argument(
        "--route", choices=config.ROUTES, default=argparse.SUPPRESS, help="how to find (MAMBOMEME_ROUTE)"
    )
    parser.add_argument("--limit", type=_limit, default=10, metavar="N", help="the most hits to print, 1 to 10")
    parser.add_argument("--as-typed", action="store_true", help="don't mend misspelt words")
    parser.add_argument("--nearest", action="store_true", help="where nothing fits, print what comes nearest")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON object")
    shape.add_argument("--print0", action="store_true", help="print each hit's file or id, ended by a NUL")


def _add_publish(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--corpus", metavar="DIR", help="a corpus folder; the bundled one where none is named")
    parser.add_argument("--porcelain", action="store_true", help="print progress for a program to read")
    parser.add_argument("--wait", action="store_true", help="wait while another process writes there")
    parser.add_argument("--tied", action="store_true", help="end as soon as standard input does")


def _add_versions(commands: "argparse._SubParsersAction[_Parser]", shared: _Parser) -> None:
    listed = commands.add_parser("versions", parents=[shared], help="list the versions of the index")
    listed.add_argument("--json", action="store_true", help="print one JSON list")
    proved = commands.add_parser("verify", parents=[shared], help="prove that a version is what its manifest says")
    proved.add_argument("version", nargs="?", metavar="VERSION", help="the served one where none is named")
    proved.add_argument("--all", action="store_true", help="every version")
    back = commands.add_parser("rollback", parents=[shared], help="serve an older version again")
    back.add_argument("version", nargs="?", metavar="VERSION", help="the one served before where none is named")
    pruned = commands.add_parser("prune", parents=[shared], help="remove old versions and what only they needed")
    pruned.add_argument("--keep", type=_count, default=2, metavar="N", help="versions kept beside the served one")
    pruned.add_argument("--dry-run", action="store_true", help="only say what would be removed")
    told = commands.add_parser("status", parents=[shared], help="say what is served, and whether it is whole")
    told.add_argument("--json", action="store_true", help="print one JSON object")
    commands.add_parser("doctor", parents=[shared], help="look for whatever could keep the program from working")


def _count(text: str) -> int:
    if re.fullmatch(r"[0-9]{1,4}", text):
        return int(text)
    raise argparse.ArgumentTypeError(f"a number from 0 to 9999, not {text[:20]!r}")


def _limit(text: str) -> int:
    if re.fullmatch(r"[1-9]|10", text):
        return int(text)
    raise argparse.ArgumentTypeError(f"a number from 1 to 10, not {text[:20]!r}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in arguments
    try:
        return _run(parse(arguments))
    except KeyboardInterrupt:
        return 130
    except ReaderGone as error:
        return _leave_quietly(error.exit_code)
    except OutputError as error:
        return _leave_quietly(_complain(error, debug))
    except MamboError as error:
        return _complain(error, debug)
    except Exception as error:
        return _complain(MamboError(f"Something went wrong ({type(error).__name__})."), debug)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read a command line; the words of a query may stand anywhere after its command, and may begin with a minus.

    Raises:
        UsageError: it is wrong.
    """
    parser = build_parser()
    at = command_at(arguments, options_of(parser))
    command = arguments[at] if at < len(arguments) else ""
    if command not in WITH_QUERY:
        return parser.parse_args(arguments)
    options, words = separate(arguments[at + 1 :], options_of(_commands_of(parser)[command]))
    found = parser.parse_args([*arguments[:at], command, *(["query"] if words else []), *options])
    found.query = words
    return found


def _commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    actions = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return {name: command for action in actions for name, command in action.choices.items()}


def _run(options: argparse.Namespace) -> int:
    flags = {name: getattr(options, name, None) for name in ("route", "theme", "data_dir")}
    settings = config.load(flags)
    match options.command:
        case "find":
            from mambomeme_tui.commands import find

            how = find.Manner(options.json, options.print0, options.as_typed, options.nearest)
            return find.run(" ".join(options.query), settings, options.limit, how)
        case "publish":
            from mambomeme_tui.commands import publish

            return publish.run(settings, options.corpus, options.porcelain, options.tied, options.wait)
        case "corpus":
            return _corpus(options)
        case "versions" | "verify" | "rollback" | "prune" | "status" | "doctor":
            return _versions(options, settings)
        case _:
            return _search(settings, " ".join(getattr(options, "query", [])), getattr(options, "debug", False))


def _versions(options: argparse.Namespace, settings: config.Settings) -> int:
    from mambomeme_tui.commands import doctor, status, versions

    match options.command:
        case "status":
            return status.run(settings, options.json)
        case "doctor":
            return doctor.run(settings)
        case "versions":
            return versions.list_all(settings, options.json)
        case "verify":
            return versions.verify(settings, options.version, options.all)
        case "rollback":
            return versions.roll_back(settings, options.version)
        case _:
            return versions.prune(settings, options.keep, options.dry_run)


def _corpus(options: argparse.Namespace) -> int:
    from mambomeme_tui.commands.output import answering

    root = bundled("corpus") if options.corpus is None else expand(options.corpus)
    with answering():
        return _corpus_action(options, root)


def _corpus_action(options: argparse.Namespace, root: Path) -> int:
    from mambomeme_tui.commands import corpus

    match options.action:
        case "show":
            return corpus.show(root, options.id)
        case "stats":
            return corpus.stats(root)
        case "freeze":
            return corpus.freeze(root)
        case _:
            return corpus.check(root)


def _search(settings: config.Settings, query: str, debug: bool) -> int:
    from mambomeme_tui.terminal import require_terminal

    require_terminal()
    os.environ.setdefault("TEXTUAL_FPS", "120")  # read when Textual is imported; halves the wait for the next paint
    sys.setswitchinterval(0.001)  # or every painting waits up to 5 ms for a search or a loader to let it run
    from mambomeme_tui.commands.output import answering
    from mambomeme_tui.ui.app import MamboApp
    from mambomeme_tui.ui.runner import run_guarded

    app = MamboApp(settings, query)
    code = run_guarded(app, debug=debug)
    if code == 0 and app.chosen:
        with answering():
            print(app.chosen)
    # A thread may be inside a library that aborts the process if the interpreter unwinds it; nothing is left to do
    os._exit(code)


def _complain(error: MamboError, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    from mambomeme_tui.commands.output import tell
    from mambomeme_tui.text import printable

    for fault in error.faults if isinstance(error, CorpusError) else ():
        tell(printable(str(fault)))
    tell(f"mambomeme: {printable(str(error))}")  # it may quote what was typed
    if error.exit_code == MamboError.exit_code and not debug:
        tell("Run it again with --debug to see where.")
    return error.exit_code


def _leave_quietly(code: int) -> int:
    """The interpreter flushes standard output once more at its end, and would complain."""
    with contextlib.suppress(OSError, AttributeError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code
