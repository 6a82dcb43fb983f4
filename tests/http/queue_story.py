"""A model of a queue: folds /api/audit, reports every event that the rules do not allow, and compares with rows."""

import collections

from callboard_client import audit, ms_of, pages, time_of

TERMINAL = ("complete", "failed", "cancelled")


class Lease:
    __slots__ = ("worker", "token", "since", "until", "length_ms", "ended_by", "ended_at")

    def __init__(self, worker, token, since, until, length_ms):
        self.worker, self.token, self.since, self.until, self.length_ms = worker, token, since, until, length_ms
        self.ended_by = self.ended_at = None


class Job:
    __slots__ = ("id", "kind", "status", "attempts", "max_attempts", "redrives", "run_at", "waits_since", "ttl_ms", "unique_key", "flagged",
                 "dead", "leases")

    def __init__(self, told, at):
        self.id, self.kind = told["id"], told["type"]
        self.max_attempts, self.run_at = told["max"], ms_of(told.get("run_at"))
        self.ttl_ms = (told.get("ttl_s") or 0) * 1000
        self.unique_key = told.get("unique_key")
        self.status = "scheduled" if self.run_at is not None and self.run_at > at else "pending"
        self.waits_since = at
        self.attempts = self.redrives = 0
        self.flagged = self.dead = False
        self.leases = []


def ids_of(data):
    """The jobs of an event: ids, or objects with an id."""
    if "id" in data:
        return [data["id"]]
    return [one if isinstance(one, str) else one["id"] for one in data["jobs"]]


class Story:
    """The whole life of one queue, folded when it is made."""

    def __init__(self, queue, report):
        self.queue, self.report = queue, report
        self.seq = self.at = self.token = self.in_flight = self.in_flight_most = 0
        self.jobs = {}
        self.paused, self.max_in_flight = False, None
        self.ends = collections.defaultdict(collections.Counter)
        self.uniques = {}
        self.events = audit(queue.client, kind="queue", key=queue.name)
        for event in self.events:
            self._fold(event)

    def claimed(self):
        """How often each job was claimed."""
        return collections.Counter({job.id: len(job.leases) for job in self.jobs.values() if job.leases})

    def completed(self):
        """How often each job was completed."""
        return +self.ends["COMPLETED"]

    # Folding

    def _expect(self, holds, event, what):
        self.report.checks += 1
        if not holds:
            self.report.fail(f"queue {self.queue.name} seq {event['seq']} {event['type']} at {event['at']}: {what}")

    def _fold(self, event):
        data, at = event["data"] or {}, ms_of(event["at"])
        self._expect(event["seq"] == self.seq + 1, event, f"follows seq {self.seq}")
        self._expect(at >= self.at, event, f"time went back from {time_of(self.at)}")
        try:
            getattr(self, "_" + event["type"].lower(), self._unknown)(event, data, at)
        except (KeyError, ValueError, TypeError) as error:
            self._expect(False, event, f"does not fit what came before: {error!r}")
        self.seq, self.at = event["seq"], at
        self.in_flight_most = max(self.in_flight_most, self.in_flight)

    def _unknown(self, event, data, at):
        self._expect(False, event, "unknown type")

    def _each(self, event, *statuses):
        """Every job of an event, once, in a status that allows it."""
        ids = ids_of(event["data"])
        self._expect(len(ids) == len(set(ids)), event, f"tells of a job twice: {ids}")
        for id in ids:
            job = self.jobs[id]
            self._expect(job.status in statuses, event, f"job {id} was {job.status}")
            yield job

    def _leave(self, job, event, at, in_time=True):
        """Ends the lease of a processing job; a worker may end it only before its end, a tick only after."""
        if job.status != "processing":
            return
        lease = job.leases[-1]
        self._expect(at < lease.until if in_time else at >= lease.until, event,
                     f"job {job.id}: lease until {time_of(lease.until)}")
        lease.ended_by, lease.ended_at = event["type"], at
        self.in_flight -= 1

    def _wait_again(self, job, at, run_at=None):
        job.status = "scheduled" if run_at is not None and run_at > at else "pending"
        job.run_at, job.waits_since = run_at, at

    def _end(self, job, event, status):
        job.status, job.flagged = status, False
        self.ends[event["type"]][job.id] += 1
        if job.unique_key is not None and self.uniques.get(job.unique_key) == job.id:
            del self.uniques[job.unique_key]

    def _enqueued(self, event, data, at):
        for told in data["jobs"]:
            self._expect(told["id"] not in self.jobs, event, f"job {told['id']} was there")
            job = self.jobs[told["id"]] = Job(told, at)
            if job.unique_key is not None:
                self._expect(job.unique_key not in self.uniques, event, f"unique_key {job.unique_key} lives already")
                self.uniques[job.unique_key] = job.id

    def _claimed(self, event, data, at):
        until = ms_of(data["until"])
        self._expect(until == at + data["length_ms"], event, f"a lease of {data['length_ms']} ms until {data['until']}")
        self._expect(data["token"] > self.token, event, f"token {data['token']} after {self.token}")
        self._expect(not self.paused, event, "the queue is paused")
        self.token = data["token"]
        for job in self._each(event, "pending", "scheduled"):
            self._expect(job.run_at is None or job.run_at <= at, event, f"job {job.id} before its time {job.run_at}")
            self._expect(not job.leases or job.leases[-1].ended_at is not None, event, f"job {job.id} has a lease that lives")
            job.status = "processing"
            job.leases.append(Lease(data["worker"], data["token"], at, until, data["length_ms"]))
            self.in_flight += 1
        self._expect(self.max_in_flight is None or self.in_flight <= self.max_in_flight, event,
                     f"{self.in_flight} in flight of {self.max_in_flight}")

    def _renewed(self, event, data, at):
        for job in self._each(event, "processing"):
            lease = job.leases[-1]
            self._expect(at < lease.until, event, f"job {job.id}: the lease ended at {time_of(lease.until)}")
            self._expect(ms_of(data["until"]) == at + lease.length_ms, event, f"job {job.id}: until {data['until']}")
            lease.until = ms_of(data["until"])

    def _completed(self, event, data, at):
        for job in self._each(event, "processing"):
            self._expect(not job.flagged, event, f"job {job.id} was cancelled")
            self._leave(job, event, at)
            self._end(job, event, "complete")

    def _retried(self, event, data, at):
        for job in self._each(event, "processing"):
            self._expect(not job.flagged, event, f"job {job.id} was cancelled")
            self._leave(job, event, at)
            job.attempts += 1
            self._expect(data["attempts"] == job.attempts < job.max_attempts, event, f"attempts {data['attempts']}, not {job.attempts}")
            self._wait_again(job, at, ms_of(data["run_at"]))
            job.status = "scheduled"  # even when chance made the pause 0 ms: the next tick lets it go on

    def _died(self, event, data, at):
        told = {one["id"]: one for one in data["jobs"]}
        for job in self._each(event, "processing"):
            self._expect(not job.flagged, event, f"job {job.id} was cancelled")
            self._leave(job, event, at, in_time=at < job.leases[-1].until)
            job.attempts += 1
            self._expect(told[job.id]["attempts"] == job.attempts, event, f"attempts {told[job.id]['attempts']}, not {job.attempts}")
            job.dead = True
            self._end(job, event, "failed")

    def _released(self, event, data, at):
        for job in self._each(event, "processing"):
            self._leave(job, event, at)
            self._wait_again(job, at)

    def _lapsed(self, event, data, at):
        for job in self._each(event, "processing"):
            self._expect(not job.flagged, event, f"job {job.id} was cancelled")
            self._leave(job, event, at, in_time=False)
            job.attempts += 1
            self._expect(job.attempts < job.max_attempts, event, f"job {job.id} has no attempt left")
            self._wait_again(job, at)

    def _matured(self, event, data, at):
        for job in self._each(event, "scheduled"):
            self._expect(job.run_at <= at, event, f"job {job.id} is early: {time_of(job.run_at)}")
            job.status, job.waits_since = "pending", at

    def _expired(self, event, data, at):
        for job in self._each(event, "pending"):
            self._expect(job.ttl_ms and at >= job.waits_since + job.ttl_ms, event, f"job {job.id}: ttl {job.ttl_ms} ms")
            self._end(job, event, "failed")

    def _cancel_requested(self, event, data, at):
        for job in self._each(event, "processing"):
            job.flagged = True

    def _cancelled(self, event, data, at):
        for job in self._each(event, "pending", "scheduled", "processing"):
            self._expect(job.status != "processing" or job.flagged, event, f"job {job.id} is held and was not flagged")
            self._leave(job, event, at, in_time=job.status == "processing" and at < job.leases[-1].until)
            self._end(job, event, "cancelled")

    def _redriven(self, event, data, at):
        when = {one["id"]: ms_of(one.get("run_at")) for one in data["jobs"]}
        for job in self._each(event, "failed"):
            self._expect(job.dead, event, f"job {job.id} is no dead letter")
            job.dead, job.attempts, job.redrives = False, 0, job.redrives + 1
            self._wait_again(job, at, when[job.id])
            if job.unique_key is not None:
                self.uniques[job.unique_key] = job.id

    def _configured(self, event, data, at):
        self.paused, self.max_in_flight = data["paused"], data.get("max_in_flight")

    def _purged(self, event, data, at):
        for job in self._each(event, *TERMINAL):
            del self.jobs[job.id]

    # Comparing

    def agrees_with_rows(self, in_flight_max=None):
        """GET /jobs shows the final state of the model's fold; read again while the queue changes."""
        name, report = self.queue.name, self.report
        if not report.check(self.events, f"queue {name}: the journal is empty"):
            return
        for _ in range(20):
            listed = pages(self.queue.client, f"/api/work/jobs?queue={name}&limit=1000", items=lambda body: body["jobs"])
            now = Story(self.queue, report)
            if now.seq == self.seq:
                break
            self.__dict__ = now.__dict__
        else:
            report.fail(f"queue {name}: kept changing while its rows were read")
            return
        shown = {j["id"]: (j["status"], j["attempts"], j["redrives"], ms_of(j["lease_expires_at"])) for j in listed}
        report.equal(len(listed), len(shown), f"queue {name}: jobs listed and their ids")
        folded = {job.id: (job.status, job.attempts, job.redrives, job.leases[-1].until if job.status == "processing" else None)
                  for job in self.jobs.values()}
        differing = [(id, shown.get(id), folded.get(id)) for id in sorted(shown.keys() | folded.keys()) if shown.get(id) != folded.get(id)]
        report.check(not differing, f"queue {name}: GET and our fold differ in {len(differing)} jobs: {differing[:5]}")
        if in_flight_max is not None:
            report.check(0 < self.in_flight_most <= in_flight_max, f"queue {name}: {self.in_flight_most} in flight of {in_flight_max}")
