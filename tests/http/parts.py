"""Runs the parts of a test on each store and continues when one raises."""

import random
import sys
import time
import traceback

from callboard_client import STORES, Server, Volley, chosen_stores, seed, verify


class Setting:
    """A fresh store with a server on it."""

    def __init__(self, name):
        self.store = STORES[name]()
        self.server = Server(self.store)
        self.remembered = []  # keyed requests with their answers
        self.seed = seed()
        self.random = random.Random(self.seed)
        self.connect()

    def connect(self):
        self.client = self.server.client()
        self.volley = Volley(self.server.port, 64)


def run(report, parts, after=lambda t, result: None, summary=lambda: ""):
    """Arguments choose stores and parts; `after` checks what a part returned."""
    stores, names = chosen_stores(sys.argv[1:])
    unknown = set(names) - {part.__name__ for part in parts}
    if unknown:
        sys.exit(f"FAIL: no such part: {', '.join(sorted(unknown))}")
    for store in stores:
        t = Setting(store)
        print(f"{store}: CALLBOARD_TEST_SEED={t.seed}", flush=True)
        for part in parts:
            if names and part.__name__ not in names:
                continue
            report.where = f"{store} {part.__name__}"
            began, bad = time.monotonic(), len(report.violations)
            try:
                after(t, part(t))
            except Exception:  # noqa: BLE001 - a failing part must not hide the others
                report.fail(f"ended early:\n{traceback.format_exc()}")
                t.client = t.server.client()
            if t.server.process.poll() is not None:
                report.fail(f"the server ended with {t.server.process.returncode}: {t.server.log_tail()}")
                t.server.start()
                t.connect()
            code, words = verify(t.store)
            report.equal(code, 0, f"verify: {words[-1000:]}")
            print(f"{report.where}: {len(report.violations) - bad} violations, {time.monotonic() - began:.1f} s", flush=True)
        report.where = store
        t.volley.close()
        report.equal(t.server.terminate(), 0, "exit code after SIGTERM")
        report.equal(verify(t.store)[0], 0, "verify without a server")
        t.store.drop()
    report.finish(", ".join(filter(None, [f"stores: {', '.join(stores)}", summary()])))
