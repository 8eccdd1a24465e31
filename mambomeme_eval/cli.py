"""The command line of the evaluation: one command a benchmark; errors are one sentence and an exit code."""

import argparse
import contextlib
import os
import sys
import traceback
from collections.abc import Sequence

from mambomeme_eval.counting import counted
from mambomeme_tui import __version__
from mambomeme_tui.commands.output import answering, tell
from mambomeme_tui.errors import MamboError, OutputError, ReaderGone, UsageError
from mambomeme_tui.text import printable

MOST_FAULTS = 20

EXIT_CODES = """\
exit codes:
  0  done
  1  the program showed something else than it should have, a gate failed, the dense route goes, or partitions leak
  2  the command line is wrong, files can't be scored together, or a package that measuring needs is not installed
  3  the corpus, a partition or a run has faults; each is named
  4  no index can be served
  5  judging needs a terminal that can show it
  6  a file of judging, or what is printed, could not be written
  70 something went wrong that should not have
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]  # the base never returns either
        raise UsageError(f"{message[:1].upper()}{message[1:]}.", f"See `{self.prog} --help`.")


def build_parser() -> argparse.ArgumentParser:
    """The parser with every command and option."""
    from mambomeme_eval import audit, commands_judging, commands_scoring, leaks, pipeline, quick
    from mambomeme_eval.bench import command as bench
    from mambomeme_eval.retrieval import calibration_command as threshold
    from mambomeme_eval.retrieval import command as retrieval

    parser = _Parser(
        prog="mambomeme-eval",
        description="Measure MamboMeme, as the real program in a real terminal.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"mambomeme-eval {__version__}")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    command = commands.add_parser("quick", help="starts, keys and searches, in a few minutes")
    quick.add_options(command)
    command.set_defaults(run=quick.run)
    command = commands.add_parser("pipeline", help="publishing, going back and opening, also at scale")
    pipeline.add_options(command)
    command.set_defaults(run=pipeline.run)
    commands_judging.add_commands(commands)
    commands_scoring.add_commands(commands)
    for name, module, told in (
        ("bench", bench, "measure a release in a terminal, run its gates, and score it"),
        ("audit", audit, "check no-match queries against every field of the corpus"),
        ("leaks", leaks, "find what two partitions share"),
        ("retrieval", retrieval, "compare the routes with each other and with other libraries"),
        ("threshold", threshold, "fit anew the model of whether anything fits"),
    ):
        command = commands.add_parser(name, help=told)
        module.add_options(command)
        command.set_defaults(run=module.run)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in arguments
    try:
        with answering():
            options = build_parser().parse_args(arguments)
            return int(options.run(options))
    except OutputError as error:
        return _leave_quietly(error.exit_code if isinstance(error, ReaderGone) else _complain(error, debug))
    except MamboError as error:
        return _complain(error, debug)
    except ModuleNotFoundError as error:
        hint = "Install it: pip install 'mambomeme[eval]'"
        return _complain(UsageError(f"The evaluation needs the package {error.name}.", hint), debug)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        return _complain(MamboError(f"Something went wrong ({type(error).__name__})."), debug)


def _complain(error: MamboError, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    faults = list(getattr(error, "faults", ()))
    for fault in faults[:MOST_FAULTS]:
        tell(printable(str(fault)))
    if len(faults) > MOST_FAULTS:
        tell(f"and {counted(len(faults) - MOST_FAULTS, 'more fault')}")
    tell(f"mambomeme-eval: {printable(str(error))}")
    if error.exit_code == MamboError.exit_code and not debug:
        tell("Run `mambomeme-eval --debug` with the same command to see where.")
    return error.exit_code


def _leave_quietly(code: int) -> int:
    """The interpreter flushes standard output once more at its end, and would complain."""
    with contextlib.suppress(OSError, AttributeError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


if __name__ == "__main__":
    raise SystemExit(main())
