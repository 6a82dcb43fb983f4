"""kill -9 of the server under load, restart on the same store, audit."""

import os
import random
import time
import traceback

from load import Load, examine, writes_work
from callboard_client import Report, STORES, Server, binary, postgres_url, seed


def one_round(server, store, choose, report):
    load = Load(server, store.folder, choose.random()).start()
    wait = choose.uniform(0.5, 3.0)
    time.sleep(wait)
    alive = server.process.poll() is None
    report.check(alive, f"the server ended by itself with {server.process.returncode}: {server.log_tail()}")
    server.kill()
    load.stop()
    server.start(60)
    findings = examine(load.asked, load.jobs, server, store, report)
    writes_work(server, report, "after the restart")
    report.check(findings.acked > 0, "nothing was acknowledged: no load")
    print(f"{report.where}: killed after {wait:.1f} s, {findings}, ready after {server.ready_ms} ms", flush=True)
    return findings


def run(rounds):
    """rounds: how many per store name; CALLBOARD_CRASH_ROUNDS overrides it for every store."""
    binary()
    postgres_url()
    report, chosen = Report(), seed()
    print(f"CALLBOARD_TEST_SEED={chosen}", flush=True)
    totals = {"rounds": 0, "acked": 0, "lost": 0, "doubled": 0, "dishonest": 0}
    slowest = 0
    for name, count in rounds.items():
        count = int(os.environ.get("CALLBOARD_CRASH_ROUNDS") or count)
        choose = random.Random(f"{chosen}-{name}")
        store = STORES[name]()
        server = Server(store)
        for number in range(1, count + 1):
            report.where = f"{name} round {number}"
            try:
                findings = one_round(server, store, choose, report)
            except Exception:  # noqa: BLE001 - report what was found so far
                report.fail(f"ended early:\n{traceback.format_exc()}")
                break
            slowest = max(slowest, server.ready_ms)
            totals["rounds"] += 1
            for figure in list(totals)[1:]:
                totals[figure] += getattr(findings, figure)
        report.where = name
        if server.process.poll() is None:
            report.equal(server.terminate(), 0, "exit code after SIGTERM")
        store.drop()
    report.finish(", ".join(f"{what} {number}" for what, number in totals.items()) + f", slowest start {slowest} ms")
