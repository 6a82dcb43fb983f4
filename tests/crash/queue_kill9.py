"""Workers die and the server is killed; every job is completed exactly once."""

import collections
import json
import os
import random
import sys
import threading
import time
import traceback
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "http"))

from callboard_client import Client, NoAnswer, STORES, Server, chosen_stores, fresh, ms_of, seed, verify  # noqa: E402
from shapes import report  # noqa: E402
from queue_client import Queue, job_path, vanish  # noqa: E402
from queue_story import Story  # noqa: E402

WORKERS = 64
LEASE_S = 2
PATIENCE_S = 240


class Claim:
    """A lease that a worker got an answer about."""

    __slots__ = ("id", "token", "since", "until", "attempts")

    def __init__(self, job):
        self.id, self.token, self.attempts = job["id"], job["lease_token"], job["attempts"]
        self.since, self.until = ms_of(job["claimed_at"]), ms_of(job["lease_expires_at"])


class Crew:
    """Workers of one queue. A dead one is replaced and returns much later with its old tokens."""

    def __init__(self, server, name, chosen, deadly=0.04):
        self.server, self.name, self.chosen, self.deadly = server, name, chosen, deadly
        self.lock = threading.Lock()
        self.claims, self.acked, self.refused = [], [], []
        self.ghosts = collections.deque()
        self.deaths = self.came_back = self.broken = 0
        self.odd = []
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=self._work, args=(n,), daemon=True) for n in range(WORKERS)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def join(self):
        end = time.monotonic() + 60
        for thread in self.threads:
            thread.join(max(0.0, end - time.monotonic()))
        if any(thread.is_alive() for thread in self.threads):
            raise AssertionError("workers did not end")

    def _asked(self, client, path, body):
        """A definite answer, requested with one key through crashes and restarts; None when all jobs are done."""
        key = {"Idempotency-Key": fresh("key")}
        while not self.stop.is_set():
            client.port = self.server.port
            try:
                answer = client.post(path, body, key)
            except NoAnswer:
                with self.lock:
                    self.broken += 1
                client.close()
                self.stop.wait(0.05)
                continue
            if answer.status == 503 or answer.code == "IN_PROGRESS":
                self.stop.wait(0.05)
                continue
            return answer
        return None

    def _work(self, number):
        choose = random.Random(f"{self.chosen}-{number}")
        client = Client(self.server.port)
        try:
            while not self.stop.is_set():
                if choose.random() < 0.2:
                    self._haunt(client)
                body = {"worker_id": f"w{number}", "queue": self.name, "limit": choose.choice((1, 1, 4, 10, 25)), "lease_s": LEASE_S, "wait_s": 1}
                if choose.random() < self.deadly / 2:
                    self._die_unheard(client, body)
                    continue
                answer = self._asked(client, "/api/work/claim", body)
                if answer is None:
                    break
                if answer.status != 200:
                    self._note(f"claim: {answer!r}")
                    continue
                taken = [Claim(job) for job in answer.json["jobs"]]
                with self.lock:
                    self.claims += taken
                if taken and choose.random() < self.deadly:
                    self._die(client, taken, choose)
                    continue
                self._finish(client, taken, choose)
        except Exception:  # noqa: BLE001 - told at the end
            self._note(traceback.format_exc())
        client.close()

    def _note(self, what):
        with self.lock:
            self.odd.append(what)

    def _finish(self, client, taken, choose):
        """Completes in bulk or one by one; a refusal must be STALE_LEASE."""
        if len(taken) > 1 and choose.random() < 0.7:
            answer = self._asked(client, "/api/work/complete", {"jobs": [{"id": c.id, "lease_token": c.token} for c in taken]})
            if answer is not None and answer.status == 200:
                for claim, told in zip(taken, answer.json["jobs"]):
                    self._settle(claim, told.get("status") == "complete", told)
            elif answer is not None:
                self._note(f"batch complete: {answer!r}")
            return
        for claim in taken:
            answer = self._asked(client, job_path(claim.id, "/complete"), {"lease_token": claim.token})
            if answer is not None:
                self._settle(claim, answer.status == 200, {"code": answer.code})

    def _settle(self, claim, accepted, told):
        with self.lock:
            (self.acked if accepted else self.refused).append(claim)
            if not accepted and "STALE_LEASE" not in json.dumps(told):
                self.odd.append(f"complete of {claim.id}: {told}")

    def _die(self, client, taken, choose):
        """Never completes what it has. Sometimes it sent a part of a request."""
        if choose.random() < 0.3:
            try:
                client.connect()._socket.sendall(b"POST /api/work/complete HTTP/1.1\r\nHost: x\r\nContent-Le")
            except (OSError, NoAnswer):
                pass
        if client._socket is not None:
            vanish(client, choose.random() < 0.5)
        with self.lock:
            self.deaths += 1
            self.ghosts.extend(taken)

    def _die_unheard(self, client, body):
        """Claims and disconnects before the answer."""
        try:
            client.port = self.server.port
            client.send("POST", "/api/work/claim", body)
            vanish(client, True)
        except (NoAnswer, OSError, AttributeError):
            client.close()
        with self.lock:
            self.deaths += 1

    def _haunt(self, client):
        """A dead worker returns after its lease has expired and tries to complete: refused."""
        with self.lock:
            if not self.ghosts or self.ghosts[0].until + 100 > time.time() * 1000:
                return
            claim = self.ghosts.popleft()
        self.too_late(client, claim)

    def too_late(self, client, claim):
        answer = self._asked(client, job_path(claim.id, "/complete"), {"lease_token": claim.token, "results": "from the dead"})
        if answer is None:
            with self.lock:
                self.ghosts.append(claim)
            return
        with self.lock:
            self.came_back += 1
            if (answer.status, answer.code) != (409, "STALE_LEASE"):
                self.odd.append(f"a dead worker's token for {claim.id}, lease until {claim.until}: {answer!r}")


def one_round(server, store, jobs, kills, choose):
    """Enqueues, runs the workers, kills the server meanwhile, and audits."""
    setup = Queue(server.client(), fresh("crew"))
    ids = []
    while len(ids) < jobs:
        size = min(1000, jobs - len(ids))
        ids += setup.add_all([{"id": fresh("j"), "job_type": "abc"[n % 3], "priority": n % 10, "max_attempts": 100} for n in range(size)])
    crew = Crew(server, setup.name, choose.random())
    began = time.monotonic()
    crew.start()
    left_at_kill = []

    def done():
        with crew.lock:
            return len({claim.id for claim in crew.acked})

    def wait_for(count, what):
        end = time.monotonic() + PATIENCE_S
        while done() < count:
            if server.process.poll() is not None:
                raise AssertionError(f"the server ended by itself with {server.process.returncode}: {server.log_tail()}")
            if crew.odd:
                raise AssertionError(f"an answer that nothing explains, when {done()} of {jobs} jobs were done")
            if time.monotonic() > end:
                raise AssertionError(f"only {done()} of {count} jobs done within {PATIENCE_S} s: {what}")
            time.sleep(0.01)

    try:
        for kill in range(kills):
            wait_for(int(jobs * (kill + choose.uniform(0.2, 0.8)) / kills), f"before kill {kill + 1}")
            server.kill()
            left_at_kill.append(jobs - done())
            time.sleep(choose.uniform(0, LEASE_S))
            server.start(60)
        wait_for(jobs, "after the last kill")
    except AssertionError as error:
        report.fail(str(error))
    took = time.monotonic() - began
    crew.stop.set()
    crew.join()
    report.check(all(left_at_kill) or not kills, f"the server was killed when nothing was left to do: {left_at_kill}")

    # Dead workers that have not returned so far return now.
    crew.stop.clear()
    client = server.client()
    for claim in list(crew.ghosts):
        time.sleep(max(0.0, (claim.until + 100) / 1000 - time.time()))
        crew.too_late(client, claim)
    examine(crew, Queue(server.client(), setup.name), ids, store, lost_answers=kills > 0)
    print(f"{report.where}: {jobs} jobs in {took:.1f} s, {len(crew.claims)} leases answered, {crew.deaths} deaths, {crew.came_back} came back, "
          f"{len(crew.refused)} completes too late, kills with {left_at_kill} left, {crew.broken} broken calls", flush=True)


def examine(crew, queue, ids, store, lost_answers):
    """Answers, rows and journal have one completion of each job, and leases that never overlap."""
    for what in crew.odd[:20]:
        report.fail(what)
    report.check(crew.deaths > 0 and crew.came_back > 0, f"nobody died ({crew.deaths}) or came back ({crew.came_back}): no test")
    acked = collections.Counter(claim.id for claim in crew.acked)
    report.equal({id for id, n in acked.items() if n > 1}, set(), "completed twice by what workers were told")
    report.equal(set(acked), set(ids), "completed by what workers were told")
    story = Story(queue, report)
    story.agrees_with_rows()
    report.equal(story.completed(), collections.Counter(ids), "completed by the journal")
    report.equal({job.status for job in story.jobs.values()}, {"complete"}, "statuses at the end")

    # Every lease that was answered is in the journal; a worker with an accepted complete ended its lease.
    leases = {(job.id, lease.since): lease for job in story.jobs.values() for lease in job.leases}
    for claim in crew.claims:
        lease = leases.get((claim.id, claim.since))
        if report.check(lease is not None, f"job {claim.id}: answered with a lease at {claim.since} that is not in the journal"):
            report.equal(lease.until, claim.until, f"job {claim.id}: the lease's end")
    for claim in crew.acked:
        lease = leases.get((claim.id, claim.since))
        report.check(lease is not None and lease.ended_by == "COMPLETED", f"job {claim.id}: acknowledged, and the lease ended by "
                     f"{lease and lease.ended_by}")
    tokens = collections.Counter((claim.id, claim.token) for claim in crew.claims)
    report.check(max(tokens.values(), default=0) <= 1, "one token was handed out twice")

    # Answered leases of one job never overlap: each begins after the previous one has expired or was completed.
    told = collections.defaultdict(list)
    for claim in crew.claims:
        told[claim.id].append(claim)
    for id, claims in told.items():
        claims.sort(key=lambda c: c.since)
        for one, two in zip(claims, claims[1:]):
            lease = leases.get((id, one.since))
            released = lease is not None and lease.ended_by == "RELEASED" and lease.ended_at <= two.since
            report.check(two.since >= one.until or released, f"job {id}: leases from {one.since} until {one.until} and from {two.since} overlap")
        attempts = story.jobs[id].attempts if id in story.jobs else None
        report.check(attempts is not None and len(claims) <= len(story.jobs[id].leases), f"job {id}: told of {len(claims)} leases")
    lapsed = sum(lease.ended_by == "LAPSED" for lease in leases.values())
    report.equal(sum(job.attempts for job in story.jobs.values()), lapsed, "attempts are lost leases")
    report.check(lapsed > 0, "no lease was lost: no test")
    if not lost_answers:
        report.check(len(crew.refused) <= lapsed, "more completes came too late than leases were lost")
    code, words = verify(store)
    report.equal(code, 0, f"verify: {words[-1500:]}")


def run(jobs, kills):
    """Arguments choose stores; CALLBOARD_CRASH_JOBS says how many jobs."""
    stores, names = chosen_stores(sys.argv[1:])
    if names:
        sys.exit(f"FAIL: no such store: {', '.join(names)}")
    chosen = seed()
    print(f"CALLBOARD_TEST_SEED={chosen}", flush=True)
    count = int(os.environ.get("CALLBOARD_CRASH_JOBS") or jobs)
    for name in stores:
        report.where = name
        choose = random.Random(f"{chosen}-{name}")
        store = STORES[name]()
        server = Server(store)
        try:
            one_round(server, store, count, kills, choose)
        except Exception:  # noqa: BLE001 - test the other store as well
            report.fail(f"ended early:\n{traceback.format_exc()}")
        if server.process.poll() is None:
            report.equal(server.terminate(), 0, "exit code after SIGTERM")
        store.drop()
    report.finish(f"{count} jobs, {WORKERS} workers, {kills} kills on each of {', '.join(stores)}")
