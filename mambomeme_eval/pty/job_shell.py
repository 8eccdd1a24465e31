"""A shell with one job, in a terminal of its own: job control as a person has it, and nothing else.

python -m mambomeme_eval.pty.job_shell PROGRAM [ARGUMENT ...]

The job gets the terminal. When it is stopped the shell takes the terminal back, says so, and obeys one line: `fg` lets
the job go on in the foreground, `kill` ends it in the background. It never touches the terminal's settings, so that
what the job left there can be seen. Ends with the job's exit code.
"""

import os
import signal
import subprocess
import sys
from typing import Final

STOPPED: Final = b"[1]+ stopped"


def main(argv: list[str]) -> int:
    """Run the job to its end; returns its exit code as a shell tells it."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = subprocess.Popen(argv, process_group=0)
    os.tcsetpgrp(0, job.pid)
    while True:
        _, status = os.waitpid(job.pid, os.WUNTRACED)
        os.tcsetpgrp(0, os.getpgrp())
        if not os.WIFSTOPPED(status):
            job.returncode = os.waitstatus_to_exitcode(status)
            return job.returncode if job.returncode >= 0 else 128 - job.returncode
        os.write(1, STOPPED + b"\n$ ")
        _obey(os.read(0, 100).strip(), job.pid)


def _obey(line: bytes, job: int) -> None:
    if line == b"kill":
        os.kill(job, signal.SIGTERM)
    else:
        os.tcsetpgrp(0, job)
    os.kill(job, signal.SIGCONT)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
