"""Evolve on SLURM: workers in jobs of their own, as many as the queue gives.

    pip install '.[cluster]' dask-jobqueue
    python deploy/slurm.py --jobs 4 --cores 32 -- run --population 512 --opponents 63

What stands after `--` are words of the command line of evolve. Workers that the queue takes away
are done without; those that come late are used. `--show` prints the job's script and ends.
"""

from __future__ import annotations

import argparse
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import dask.config
from dask_jobqueue import SLURMCluster

SETTINGS = Path(__file__).resolve().with_name("dask.yaml")

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--jobs", type=int, default=1, help="of SLURM")
parser.add_argument("--cores", type=int, default=32, help="of each; a worker each")
parser.add_argument("--memory", default="16GB", help="of each job")
parser.add_argument("--walltime", default="04:00:00")
parser.add_argument("--queue", help="partition")
parser.add_argument("--interface", help="network device of the nodes, such as ib0")
parser.add_argument("--show", action="store_true", help="print the script of a job")
parser.add_argument("words", nargs="*", help="of the command line of evolve, after --")
given = parser.parse_args()
running: list[subprocess.Popen[bytes]] = []


def told(number: int, _: object) -> None:
    """Leave the end to evolve, where it runs: it ends what is in hand. Jobs are given back in any
    case. (At Ctrl-C dask-jobqueue would exit at once, and evolve be killed.)"""
    if not running:
        sys.exit(128 + number)
    if number != signal.SIGINT:  # which a terminal sends to evolve as well
        running[0].send_signal(number)


for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    if signal.getsignal(one) != signal.SIG_IGN:
        signal.signal(one, told)

for settings in dask.config.collect_yaml([str(SETTINGS)]):  # of the scheduler, which is in here
    dask.config.update(dask.config.config, settings)
with SLURMCluster(
    cores=given.cores,
    processes=given.cores,  # a worker each: Python shares no core's time among threads
    memory=given.memory,
    walltime=given.walltime,
    queue=given.queue,
    interface=given.interface,
    job_script_prologue=[
        "export EVOLVE_CACHE_DIR=${TMPDIR:-/tmp}/evolve-$USER",  # the node's own disk
        f"export DASK_CONFIG={shlex.quote(str(SETTINGS))}",
    ],
) as cluster:
    if given.show:
        print(cluster.job_script())
        sys.exit()
    cluster.scale(jobs=given.jobs)
    cluster.wait_for_workers(1)  # however long the queue is: evolve itself waits a minute for one
    words = [*given.words, "--scheduler", cluster.scheduler_address]
    with subprocess.Popen(["evolve", *words]) as run:
        running.append(run)
        code = run.wait()
    sys.exit(code if code >= 0 else 128 - code)
