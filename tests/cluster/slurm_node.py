"""A real one-node SLURM on the loopback interface: munged, slurmctld and slurmd of this process.

It needs no systemd, cgroups or accounting. Everything but two links is in a temporary folder, and
the daemons end with the process that started them.
"""

import fcntl
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "setpriv")
# Clients look here when SLURM_CONF is not set, and the plugin unsets it within a job.
LINK = Path("/etc/slurm/slurm.conf")
PREFIX = "slurm-node-"

CONFIGURATION = """\
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
# Memory is looked at every second; a job that holds more than it asked for is killed.
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill,UsePss
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0,sched_min_interval=0
ReturnToService=2
KillWait=2
OverTimeLimit=0
# For so long squeue knows a job that has ended; nothing else does without accounting.
MinJobAge=3600
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory_mb} State=UNKNOWN
# What is urgent pushes other jobs back into the queue.
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP PriorityTier=1
PartitionName=urgent Nodes={host} MaxTime=INFINITE State=UP PriorityTier=10
"""


class CannotStart(Exception):
    """SLURM cannot run here; the message is one sentence that says why."""


def refusal():
    """Return why SLURM cannot be started on this machine, or None if it can."""
    if sys.platform != "linux":
        return "SLURM runs on Linux only."
    if os.geteuid() != 0:
        return "SLURM's daemons have to be started by root here."
    missing = [name for name in PROGRAMS if not shutil.which(name, path=_search_path())]
    if missing:
        return f"{', '.join(missing)} not found: install munge, slurmctld, slurmd and slurm-client."
    if os.path.lexists(LINK) and not _is_ours(LINK):
        return f"{LINK} exists, and is left alone: this machine has a SLURM of its own."
    return None


class SlurmNode:
    """A SLURM node that runs while the context is entered."""

    def __init__(self):
        self.daemons = []

    def __enter__(self):
        reason = refusal()
        if reason:
            raise CannotStart(reason)
        # One node at a time: another test process waits here until this node has ended.
        self._lock = open(Path(tempfile.gettempdir(), f"{PREFIX}lock"), "w", encoding="utf-8")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self.folder.chmod(0o755)
        self._environment = os.environ | {
            "SLURM_CONF": str(self.folder / "slurm.conf"),
            "PATH": _search_path(),
        }
        try:
            self._configure()
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _configure(self):
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        n_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        text = CONFIGURATION.format(
            host=socket.gethostname().split(".")[0],
            controller_port=_free_port(),
            node_port=_free_port(),
            folder=self.folder,
            cpus=os.cpu_count(),
            memory_mb=int(n_bytes / 2**20 * 0.9),
        )
        (self.folder / "slurm.conf").write_text(text)
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")  # not used
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        LINK.parent.mkdir(exist_ok=True)
        for link in (LINK, LINK.with_name("cgroup.conf")):
            if _is_ours(link):
                link.unlink()
            link.symlink_to(self.folder / link.name)

    def _start(self):
        munge = [f"--{name}={self.folder}/munge{ending}" for name, ending in
                 (("socket", ""), ("key-file", ".key"), ("pid-file", ".pid"),
                  ("log-file", ".log"), ("seed-file", ".seed"))]  # fmt: skip
        self._daemon("munged", "--foreground", "--force", *munge)
        self._wait("munged", "munge", "-S", self.folder / "munge", "-n")
        self._daemon("slurmctld", "-D")
        self._wait("slurmctld", "scontrol", "ping", says="UP")
        self._daemon("slurmd", "-D")
        self._wait("slurmd", "sinfo", "-h", "-o", "%T", says="idle")

    def _daemon(self, *command):
        """Start a daemon that the kernel ends if this process ends without ending it."""
        with open(self.folder / f"{command[0]}.out", "wb") as out:
            self.daemons.append(
                subprocess.Popen(
                    ["setpriv", "--pdeathsig", "TERM", *map(str, command)],
                    env=self._environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                )
            )  # fmt: skip

    def _wait(self, daemon, *command, says="", seconds=300):
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.daemons[-1].poll() is None:
            done = subprocess.run(command, env=self._environment, capture_output=True, text=True)
            if done.returncode == 0 and says in done.stdout:
                return
            time.sleep(0.1)
        said = (self.folder / f"{daemon}.out").read_text(errors="replace").strip()
        raise CannotStart(f"{daemon} did not come up: {(said.splitlines() or ['no word'])[-1]}")

    def ask(self, *command):
        """Return what a SLURM command prints."""
        return subprocess.run(
            command, env=self._environment, capture_output=True, text=True, check=True, timeout=300
        ).stdout

    def jobs(self):
        """Return number, state, memory, time limit and comment of each job that SLURM knows."""
        fields = ("number", "state", "memory", "limit", "comment")
        lines = self.ask("squeue", "--all", "--states=all", "-h", "-o", "%i|%T|%m|%l|%k")
        return [dict(zip(fields, line.split("|", 4), strict=True)) for line in lines.splitlines()]

    def __exit__(self, *_):
        try:
            self._cancel()
        finally:
            for daemon in reversed(self.daemons):
                daemon.terminate()
                try:
                    daemon.wait(timeout=20)
                except subprocess.TimeoutExpired:
                    daemon.kill()
                    daemon.wait()
            for link in (LINK, LINK.with_name("cgroup.conf")):
                if link.is_symlink() and link.readlink().parent == self.folder:
                    link.unlink()
            shutil.rmtree(self.folder, ignore_errors=True)
            self._lock.close()

    def _cancel(self):
        """Cancel all jobs, and wait until none of them runs."""
        if len(self.daemons) < 3:
            return
        running = ("squeue", "-h", "-o", "%i", "--states=pending,running,completing")
        end = time.monotonic() + 30
        while time.monotonic() < end and (jobs := self.ask(*running).split()):
            subprocess.run(["scancel", *jobs], env=self._environment, capture_output=True)
            time.sleep(0.5)


def _search_path():
    return os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])


def _is_ours(link):
    """Return whether this is a link that an earlier node left, which nobody can use any more."""
    return link.is_symlink() and link.readlink().parent.name.startswith(PREFIX)


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
