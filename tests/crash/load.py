"""Clients that record requests and answers, and an audit that compares both with what is stored."""

import collections
import json
import random
import sys
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "http"))

from callboard_client import Client, NoAnswer, apply_public, audit, fresh, make_job, ms_of, verify  # noqa: E402
from journal_model import Opening, agrees  # noqa: E402

# The event that each call makes when it succeeds.
EFFECT = {"apply": "APPLIED", "withdraw": "WITHDRAWN", "acknowledge": "ACKNOWLEDGED", "decline": "DECLINED", "change": "JOB_UPDATED"}


class Asked:
    """One request and its outcome."""

    __slots__ = ("what", "job", "method", "path", "body", "key", "request_id", "status", "code", "answer", "replayed", "broke",
                 "asked_at", "answered_at")

    def __init__(self, what, job, method, path, body, key):
        self.what, self.job, self.method, self.path, self.body, self.key = what, job, method, path, body, key
        self.request_id = fresh("r")
        self.status = self.code = self.answer = self.broke = self.answered_at = None
        self.replayed = False

    @property
    def accepted(self):
        return self.status is not None and 200 <= self.status < 300

    @property
    def may_have_happened(self):
        """No answer, or OUTCOME_UNKNOWN."""
        return self.status is None or self.code == "OUTCOME_UNKNOWN"

    def headers(self):
        return {"X-Request-Id": self.request_id, **({"Idempotency-Key": self.key} if self.key else {})}

    def send(self, client):
        """Fills in the answer; raises NoAnswer when there is none."""
        self.asked_at = time.monotonic()
        try:
            answer = client.call(self.method, self.path, self.body, self.headers())
        except NoAnswer as error:
            self.broke = str(error)
            raise
        self.answered_at = time.monotonic()
        self.code, self.answer, self.replayed = answer.code, answer.body, answer.replayed
        self.status = answer.status  # assigned last, because other threads read it

    def again(self):
        """The same request again, with a trace that identifies it in the journal."""
        return Asked(self.what, self.job, self.method, self.path, self.body, self.key)


class Log:
    """A client's own file: a line before a request leaves, a line after its answer."""

    def __init__(self, path):
        self._file = open(path, "a", buffering=1)

    def before(self, asked):
        self._file.write(json.dumps(["ask", asked.request_id, asked.key, asked.method, asked.path, asked.body, time.time()]) + "\n")

    def after(self, asked):
        said = asked.answer.decode(errors="replace") if asked.answer is not None else None
        self._file.write(json.dumps(["told", asked.request_id, asked.status, said, asked.broke, time.time()]) + "\n")


class Load:
    """Clients that apply, leave, accept, decline and change capacities until they are stopped."""

    def __init__(self, server, folder, seed, clients=32, openings=6, goes_on=False):
        """goes_on: a broken connection is opened again instead of ending its client."""
        self.server, self.goes_on = server, goes_on
        setup = server.client()
        self.jobs = [make_job(setup, capacity=3 + i, ackWindowSeconds=1, offerOnApply=i % 3 == 2, ackWindowOnApplySeconds=1)
                     for i in range(openings)]
        setup.close()
        self.asked = []
        self._offers = collections.deque(maxlen=200)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._client, args=(random.Random(f"{seed}-{i}"), Log(folder / f"client-{fresh('c')}.log")),
                                          daemon=True) for i in range(clients)]

    def start(self):
        for thread in self._threads:
            thread.start()
        return self

    def stop(self, limit=40.0):
        self._stop.set()
        end = time.monotonic() + limit
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        if any(thread.is_alive() for thread in self._threads):
            raise AssertionError("clients did not end")
        return self

    def answered(self, since=0.0):
        """How many requests were accepted, from a moment on."""
        return sum(1 for a in list(self.asked) if a.accepted and a.answered_at >= since)

    def _choose(self, choose, mine):
        job = choose.choice(self.jobs)
        key = fresh("k") if choose.random() < 0.6 else None
        what = choose.choices(("apply", "withdraw", "acknowledge", "decline", "change", "look"), (40, 14, 18, 7, 6, 10))[0]
        if what == "look":
            return Asked("look", job, "GET", f"/api/jobs/{job}?limit=20", None, None)
        if what == "change":
            # A title of its own makes every change a change.
            return Asked("change", job, "PATCH", f"/api/jobs/{job}", {"title": fresh("Title"), "capacity": choose.randrange(2, 12)}, key)
        if what in ("acknowledge", "decline"):
            known = list(self._offers)
            if known:
                application = choose.choice(known)
                return Asked(what, application // 10_000_000, "POST", f"/api/{what}", {"applicationId": application}, key)
        if what == "withdraw" and mine:
            application = choose.choice(mine)
            return Asked(what, application // 10_000_000, "POST", "/api/withdraw", {"applicationId": application}, key)
        body = {"name": "Ada", "email": f"{fresh('p')}@example.org", "jobId": job}
        return Asked("apply", job, "POST", "/api/apply-public", body, key)

    def _client(self, choose, log):
        client, mine = Client(self.server.port), []
        while not self._stop.is_set():
            asked = self._choose(choose, mine)
            if asked.what != "look":
                with self._lock:
                    self.asked.append(asked)
                log.before(asked)
            try:
                asked.send(client)
            except NoAnswer:
                log.after(asked)
                if not self.goes_on:
                    break
                self._stop.wait(0.05)
                continue
            if asked.what == "look":
                if asked.status == 200:
                    self._offers.extend(e["applicationId"] for e in json.loads(asked.answer)["activeApplicants"]
                                        if e["status"] == "PENDING_ACKNOWLEDGMENT")
                continue
            log.after(asked)
            if asked.what == "apply" and asked.accepted:
                told = json.loads(asked.answer)
                mine.append(told["applicationId"])
                if told["status"] == "PENDING_ACKNOWLEDGMENT":
                    self._offers.append(told["applicationId"])
            if asked.status == 503:
                self._stop.wait(0.02)
        client.close()


class Findings:
    """Counts of one round."""

    def __init__(self):
        self.asked = self.acked = self.lost = self.doubled = self.dishonest = self.unanswered = self.unknown = 0
        self.replayed = self.retried = self.events = 0

    def __str__(self):
        return (f"asked {self.asked}, acked {self.acked}, unanswered {self.unanswered}, unknown {self.unknown}, lost {self.lost}, "
                f"doubled {self.doubled}, dishonest {self.dishonest}, replayed {self.replayed}, retried {self.retried}, "
                f"events {self.events}")


def retry_keyed(asked, client, report, findings):
    """Repeats the keyed requests: one that was answered must get the same answer; another may be decided now, once."""
    more = []
    for first in [a for a in asked if a.key]:
        if first.accepted:
            again = first.again()
            again.send(client)
            more.append(again)
            findings.replayed += 1
            report.check((again.status, again.answer) == (first.status, first.answer),
                         f"{first.method} {first.path} key {first.key}: first {first.status} {first.answer!r}, "
                         f"replayed {again.status} {again.answer!r}")
            report.check(again.replayed, f"{first.method} {first.path} key {first.key}: no Idempotency-Replayed")
        elif first.may_have_happened:
            findings.retried += 1
            one, two = first.again(), first.again()
            one.send(client)
            two.send(client)
            more += [one, two]
            if one.accepted:
                report.check((two.status, two.answer) == (one.status, one.answer) and two.replayed,
                             f"{first.method} {first.path} key {first.key}: retried {one.status} {one.answer!r}, "
                             f"then {two.status} {two.answer!r}")
    return asked + more


def examine(asked, jobs, server, store, report, findings=None, retry=True):
    """Compares everything that was answered with everything that is stored. Returns counts."""
    findings = findings or Findings()
    client = server.client()
    findings.asked = len(asked)
    findings.acked = sum(a.accepted for a in asked)
    findings.unanswered = sum(a.status is None for a in asked)
    findings.unknown = sum(a.code == "OUTCOME_UNKNOWN" for a in asked)
    everything = retry_keyed(asked, client, report, findings) if retry else asked

    # The journal, by the request that caused each event.
    caused, by_application = collections.defaultdict(list), {}
    for job in jobs:
        model = Opening(job, report)
        for event in audit(client, kind="opening", key=job):
            model.fold(event)
            findings.events += 1
            caused[event["requestId"]].append(event)
            if event["type"] == "APPLIED":
                by_application[event["data"]["applicationId"]] = event
        agrees(client, job, report, store)

    def effects(request):
        return [e for e in caused.get(request.request_id, []) if e["type"] == EFFECT[request.what]]

    groups = collections.defaultdict(list)
    for one in everything:
        groups[(one.job, one.key) if one.key else one.request_id].append(one)
    for requests in groups.values():
        first = requests[0]
        name = f"{first.method} {first.path} {first.body} key {first.key} request {first.request_id}"
        happened = [e for r in requests for e in effects(r)]
        if len(happened) > 1:
            findings.doubled += 1
            report.fail(f"doubled: {name}: {[(e['key'], e['seq']) for e in happened]}")
        accepted = [r for r in requests if r.accepted]
        if accepted and not happened:
            findings.lost += 1
            report.fail(f"lost: {name} was answered {accepted[0].status} {accepted[0].answer!r}")
        for refusal in requests:
            if not refusal.accepted and not refusal.may_have_happened and effects(refusal):
                findings.dishonest += 1
                report.fail(f"wrong: {name} was answered {refusal.status} {refusal.answer!r} and happened: {effects(refusal)}")
        for told in accepted[:1]:
            if happened:
                _same_story(told, happened[0], report, name)
    _rows_hold(everything, jobs, store, report, findings)
    _statuses_hold(everything, client, report)
    code, words = verify(store)
    report.equal(code, 0, f"verify: {words[-1500:]}")
    client.close()
    return findings


def _same_story(told, event, report, name):
    """An answer agrees with its event."""
    said, data = json.loads(told.answer), event["data"]
    if told.what == "change":
        report.equal((said["id"], said["capacity"]), (told.job, told.body["capacity"]), f"{name}: the answer")
        report.check(said["version"] >= event["seq"], f"{name}: version {said['version']}, event {event['seq']}")
        return
    report.equal(said["applicationId"], data["applicationId"], f"{name}: the application in answer and journal")
    if told.what == "apply":
        report.equal((said["applicantId"], said["status"], said["queuePosition"], ms_of(said["acknowledgeDeadline"])),
                     (data["applicantId"], data["status"], data["position"], ms_of(data.get("acknowledgeDeadline"))),
                     f"{name}: answer and journal")
    else:
        report.equal(said["status"], "ACTIVE" if told.what == "acknowledge" else "INACTIVE", f"{name}: status in the answer")


def _rows_hold(everything, jobs, store, report, findings):
    """By SQL alone: an applicant with an accepted application has one, a refused one has none."""
    people = {email: id for id, email in store.rows("select id, email from applicants")}
    ranges = " or ".join(f"id between {job * 10_000_000} and {job * 10_000_000 + 9_999_999}" for job in jobs)
    rows = collections.defaultdict(list)
    for application, applicant in store.rows(f"select id, applicant from applications where {ranges}"):
        rows[(applicant, application // 10_000_000)].append(application)
    by_email = collections.defaultdict(list)
    for one in everything:
        if one.what == "apply":
            by_email[(one.body["email"], one.body["jobId"])].append(one)
    for (email, job), requests in by_email.items():
        stored = rows.get((people.get(email), job), [])
        told = {json.loads(r.answer)["applicationId"] for r in requests if r.accepted}
        if told - set(stored):
            findings.lost += 1
            report.fail(f"lost: {email} was answered {sorted(told)}, stored are {stored}")
        if len(stored) > 1:
            findings.doubled += 1
            report.fail(f"doubled: {email} has {stored}")
        if not told and not any(r.may_have_happened for r in requests):
            report.check(email not in people and not stored, f"{email} was refused ({requests[0].status} {requests[0].code}) and is stored")


def _statuses_hold(everything, client, report):
    """GET /status shows the application; a sample is enough, because rows and journal were compared completely."""
    accepted = [r for r in everything if r.what == "apply" and r.accepted]
    for one in accepted[:: max(1, len(accepted) // 25)]:
        said = json.loads(one.answer)
        answer = client.get(f"/api/status/{said['applicantId']}")
        if report.check(answer.status == 200, f"status of applicant {said['applicantId']}: {answer!r}"):
            found = [a["applicationId"] for a in answer.json["applications"]]
            report.check(found.count(said["applicationId"]) == 1, f"applicant {said['applicantId']}: {said['applicationId']} in {found}")


def writes_work(server, report, what):
    """A new opening accepts an application."""
    client = server.client()
    job = make_job(client, capacity=1)
    answer = apply_public(client, job)
    report.equal(answer.status, 201, f"{what}: a write")
    client.close()
