"""A shell with one job, for the tests: it starts a program, and kills it when job control has stopped it.

    python tests/pty/tiny_shell.py PROGRAM [ARGUMENT ...]

Like any shell it takes the terminal back as soon as its job is stopped, so that the job ends in the background.
"""

import os
import signal
import subprocess
import sys

job = subprocess.Popen([sys.executable, *sys.argv[1:]], process_group=0, pass_fds=[int(os.environ["PROBE_MESSAGES"])])
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
os.tcsetpgrp(0, job.pid)
os.waitid(os.P_PID, job.pid, os.WSTOPPED)
os.tcsetpgrp(0, os.getpgrp())
job.send_signal(signal.SIGTERM)
job.send_signal(signal.SIGCONT)
sys.exit(job.wait())
