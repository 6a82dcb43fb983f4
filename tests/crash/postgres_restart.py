"""PostgreSQL fails under load: the server keeps running, loses nothing acknowledged, and recovers by itself."""

import atexit
import os
import random
import signal
import subprocess
import threading
import time
from pathlib import Path

from load import Load, examine, writes_work
from callboard_client import (NoAnswer, POSTGRES_BIN, PostgresStore, ROOT, Report, Server, apply_public, binary, eventually, make_job,
                              psql, seed)


PATIENCE_S = 5.0  # within which the server must have recovered


class Cluster:
    """A private PostgreSQL from scripts/private_postgres.sh."""

    def __init__(self):
        self.script = str(ROOT / "scripts" / "private_postgres.sh")
        self.folder = Path(self._say("start"))
        atexit.register(self.stop)
        self.url = self._say("url", str(self.folder))
        self._there = True

    def _say(self, *words):
        done = subprocess.run([self.script, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180)
        if done.returncode:
            raise AssertionError(f"private_postgres.sh {words}: {done.stderr}")
        return done.stdout.strip()

    def stop(self):
        if self._there:
            self._there = False
            subprocess.run([self.script, "stop", str(self.folder)], stdin=subprocess.DEVNULL, capture_output=True, timeout=120)

    def pg_ctl(self, *words):
        command = [str(POSTGRES_BIN / "pg_ctl"), "-s", "-w", "-t", "60", "-D", str(self.folder / "data"), *words]
        if os.getuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        # Not to a pipe, which its children would keep open.
        with open(os.devnull, "r+b") as nowhere:
            return subprocess.run(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, timeout=120, cwd="/").returncode

    def postmaster(self):
        return int((self.folder / "data" / "postmaster.pid").read_text().split()[0])

    def accepts(self):
        try:
            return psql(self.url, "select 1", 5) == [(1,)]
        except (AssertionError, subprocess.TimeoutExpired):
            return False


def restart_immediately(cluster, store):
    if cluster.pg_ctl("-m", "immediate", "-l", str(cluster.folder / "log"), "restart") != 0:
        eventually(lambda: cluster.pg_ctl("-l", str(cluster.folder / "log"), "start") == 0, 60, 0.2, "PostgreSQL starts again")


def kill_postmaster(cluster, store, away=2.5):
    os.kill(cluster.postmaster(), signal.SIGKILL)
    time.sleep(away)
    # While the children of the killed one end, a start fails.
    eventually(lambda: cluster.pg_ctl("-l", str(cluster.folder / "log"), "start") == 0, 60, 0.2, "PostgreSQL starts again")


def writers(cluster, store):
    """The backends that hold the lock of the one writer."""
    rows = psql(cluster.url, f"select pid from pg_stat_activity where datname = '{store.database}' and pid in "
                             "(select pid from pg_locks where locktype = 'advisory' and granted)")
    if not rows:
        raise AssertionError("no connection holds an advisory lock: who is the writer?")
    return [row[0] for row in rows]


def terminate_writer(cluster, store):
    for backend in writers(cluster, store):
        psql(cluster.url, f"select pg_terminate_backend({backend})")


def pause_writer(cluster, store, away=12.0):
    """Stops the writer's backend for longer than a commit may take, then continues it."""
    backends = writers(cluster, store)
    for backend in backends:
        os.kill(backend, signal.SIGSTOP)
    time.sleep(away)
    for backend in backends:
        try:
            os.kill(backend, signal.SIGCONT)
        except ProcessLookupError:
            pass


class Watch:
    """Polls whether the server is ready and what it shows of an opening that no client changes."""

    def __init__(self, server, job):
        self.server, self.job = server, job
        self.seen = []  # (time, status of /readyz, status of the read)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _ask(self, client, path):
        try:
            return client.get(path).status
        except NoAnswer:
            return 0

    def _run(self):
        ready, reads = self.server.client(), self.server.client()
        while not self._stop.is_set():
            at = time.monotonic()
            self.seen.append((at, self._ask(ready, "/readyz"), self._ask(reads, f"/api/pipeline/{self.job}/summary")))
            self._stop.wait(0.02)

    def stop(self):
        self._stop.set()
        self._thread.join(60)
        return self.seen


QUICK = (("restart -m immediate", restart_immediately), ("kill -9 of the postmaster", kill_postmaster),
         ("pg_terminate_backend of the writer", terminate_writer))
ALL = (*QUICK, ("the writer's backend paused", pause_writer))


def run(rounds, faults):
    binary()
    report, chosen = Report(), seed()
    print(f"CALLBOARD_TEST_SEED={chosen}", flush=True)
    choose = random.Random(chosen)
    cluster = Cluster()
    store = PostgresStore(cluster.url)
    server = Server(store)
    process = server.process.pid
    for number in range(1, int(os.environ.get("CALLBOARD_CRASH_ROUNDS") or rounds) + 1):
        for name, fault in faults:
            report.where = f"round {number}, {name}"
            client = server.client()
            quiet = make_job(client, capacity=1)
            apply_public(client, quiet)
            report.equal(client.get(f"/api/pipeline/{quiet}/summary").status, 200, "the quiet opening")
            load = Load(server, store.folder, choose.random(), goes_on=True).start()
            watch = Watch(server, quiet)
            time.sleep(choose.uniform(0.5, 1.5))
            before = load.answered()
            struck = time.monotonic()
            fault(cluster, store)
            eventually(cluster.accepts, 60, 0.05, "PostgreSQL accepts connections")
            accepts = time.monotonic()
            eventually(lambda: server.process.poll() is not None or load.answered(accepts) > 100, 60, 0.05, "writes succeed again")
            eventually(lambda: server.process.poll() is not None or server.readiness() == 200, 60, 0.01, "/readyz is 200 again")
            load.stop()
            if not report.check(server.process.poll() is None and server.process.pid == process,
                                f"the server ended with {server.process.returncode}: {server.log_tail()}"):
                report.finish()
            broken = [a.broke for a in load.asked if a.broke]
            report.check(not broken, f"{len(broken)} requests were not answered: {broken[:3]}")
            findings = examine(load.asked, load.jobs, server, store, report)
            writes_work(server, report, "after the fault")
            seen = watch.stop()
            unready = [at for at, ready, _ in seen if ready == 503]
            late = [at - accepts for at in unready if at > accepts + PATIENCE_S]
            report.check(not late, f"/readyz said 503 {len(late)} times although PostgreSQL was back, from {min(late, default=0):.1f} "
                                   f"to {max(late, default=0):.1f} s after it accepted")
            if fault is kill_postmaster:
                report.check(unready, "/readyz never said 503 while PostgreSQL was away")
            odd = sorted({ready for _, ready, _ in seen} - {200, 503})
            report.check(not odd, f"/readyz said {odd}")
            reads = [status for at, _, status in seen if struck <= at]
            report.check(all(status == 200 for status in reads),
                         f"reads of a resident opening: {len([s for s in reads if s != 200])} of {len(reads)} failed: {sorted(set(reads))}")
            report.check(before > 0, "nothing was acknowledged before the fault: no load")
            odd = sorted({(a.status, a.code) for a in load.asked if a.status is not None and a.status >= 500}
                         - {(503, "NOT_APPLIED"), (503, "OUTCOME_UNKNOWN"), (503, "OVERLOADED")}, key=str)
            report.check(not odd, f"unexpected refusals: {odd}")
            went_on = min((a.answered_at for a in load.asked if a.accepted and a.answered_at >= accepts), default=accepts)
            slowest = max((a.answered_at - a.asked_at for a in load.asked if a.answered_at), default=0.0)
            client.close()
            print(f"{report.where}: {findings}, away {accepts - struck:.2f} s, /readyz 503 {len(unready)} times, "
                  f"writes again {went_on - accepts:.2f} s after PostgreSQL accepted, slowest answer {slowest:.1f} s", flush=True)
    report.where = ""
    report.equal(server.terminate(), 0, "exit code after SIGTERM")
    store.drop()
    cluster.stop()
    report.finish()
