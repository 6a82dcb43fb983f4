"""Calls of the work queue and the form of its answers. Violations go to the report of shapes."""

import socket
import time
import urllib.parse

from callboard_client import fresh, is_time, ms_of, time_of
from shapes import check, equal, integer, keys, ok

JOB = {"id", "queue", "job_type", "data", "metadata", "priority", "weight", "status", "progress", "message", "results", "error",
       "error_code", "attempts", "max_attempts", "run_at", "created_at", "updated_at", "claimed_at", "completed_at", "worker_id",
       "lease_expires_at", "ttl_s", "unique_key", "checkpoint", "redrives"}
JOB_ALSO = {"lease_token", "cancel_requested", "deduplicated", "cancel_reason"}
STATUSES = ("pending", "scheduled", "processing", "complete", "failed", "cancelled")
TERMINAL = ("complete", "failed", "cancelled")
SETTINGS = {"queue", "paused", "max_in_flight", "rate_per_s", "aging_s", "per_key"}
STATS_QUEUE = {"queue", "paused", "depth", "scheduled", "in_flight", "dead", "oldest_age_s", "types"}
STATS_TYPE = {"job_type", "depth", "scheduled", "in_flight", "oldest_age_s", "enqueued_per_s", "claimed_per_s", "completed_per_s",
              "failed_per_s"}
DEAD_GROUP = {"fingerprint", "queue", "job_type", "error_code", "error", "count", "first_at", "last_at", "last_id"}
LEASE_LONG = 600
FAR = "2100-01-01T00:00:00.000Z"


def is_work_job(job, what, /, **wanted):
    """Checks that a job has every member, and the given values."""
    keys(job, JOB, what, JOB_ALSO)
    if not isinstance(job, dict):
        return
    for name in ("weight", "attempts", "max_attempts", "redrives"):
        check(integer(job.get(name)), f"{what}: {name} {job.get(name)!r}")
    status = job.get("status")
    check(status in STATUSES, f"{what}: status {status!r}")
    for name in ("created_at", "updated_at"):
        check(is_time(job.get(name)), f"{what}: {name} {job.get(name)!r}")
    for name in ("run_at", "claimed_at", "completed_at", "lease_expires_at"):
        check(job.get(name) is None or is_time(job[name]), f"{what}: {name} {job.get(name)!r}")
    for name in ("data", "metadata"):
        check(isinstance(job.get(name), dict), f"{what}: {name} {job.get(name)!r}")
    progress = job.get("progress")
    check(progress is None or isinstance(progress, (int, float)) and 0 <= progress <= 1, f"{what}: progress {progress!r}")
    processing = status == "processing"
    check(is_time(job.get("lease_expires_at")) == processing, f"{what}: {status} with lease_expires_at {job.get('lease_expires_at')!r}")
    check(not processing or isinstance(job.get("worker_id"), str), f"{what}: processing by {job.get('worker_id')!r}")
    check(is_time(job.get("completed_at")) == (status in TERMINAL), f"{what}: {status} with completed_at {job.get('completed_at')!r}")
    for name, value in wanted.items():
        equal(job.get(name), value, f"{what}: {name}")


def job_path(id, rest="", queue=None):
    """The path of a job; its id may hold slashes."""
    return f"/api/work/jobs/{urllib.parse.quote(id, safe='')}{rest}" + (f"?queue={queue}" if queue else "")


def moment(seconds):
    """The time this many seconds from now."""
    return time_of(int(time.time() * 1000 + seconds * 1000))


def hand_out_order(jobs, aging_s):
    """Ids in the order in which jobs must be handed out, from the server's view of each job."""
    def key(job):
        eligible = ms_of(job["run_at"]) or ms_of(job["created_at"])
        return (-(job["weight"] * aging_s * 1000 - eligible) if aging_s else -job["weight"], ms_of(job["created_at"]), job["id"])
    return [job["id"] for job in sorted(jobs, key=key)]


class Queue:
    """One queue that no other test uses, over one connection."""

    def __init__(self, client, name=None, **settings):
        self.client, self.name, self._added = client, name or fresh("q"), 0
        if settings:
            self.set(**settings)

    def set(self, **settings):
        body = ok(self.client.call("PUT", f"/api/work/queues/{self.name}", settings), 200, f"PUT {settings}")
        keys(body, SETTINGS, f"PUT {settings}")
        return body

    def steer(self, verb):
        body = ok(self.client.post(f"/api/work/queues/{self.name}/{verb}"), 200, verb)
        keys(body, SETTINGS, verb)
        return body

    def ask(self, headers=None, **fields):
        """The bare answer to enqueueing one job."""
        return self.client.post("/api/work/jobs", {"queue": self.name, "job_type": "t", **fields}, headers)

    def add(self, **fields):
        """Enqueues one job; returns it. Ids grow, so that jobs of the same millisecond keep their order."""
        self._added += 1
        answer = self.ask(**{"id": f"{self.name}.{self._added:06d}", **fields})
        if answer.status != 201:
            raise AssertionError(f"enqueue {str(fields)[:200]}: {answer!r}")
        job = answer.json
        is_work_job(job, "an enqueued job", queue=self.name, deduplicated=False, attempts=0, redrives=0)
        return job

    def ask_all(self, jobs, headers=None):
        return self.client.post("/api/work/jobs", {"queue": self.name, "jobs": [{"job_type": "t", **j} for j in jobs]}, headers)

    def add_all(self, jobs):
        """Enqueues many in one commit; their ids."""
        answer = self.ask_all(jobs)
        if answer.status != 201:
            raise AssertionError(f"enqueue {len(jobs)} jobs: {answer!r}")
        made = answer.json["jobs"]
        equal(len(made), len(jobs), "answers of a batch")
        for job in made:
            keys(job, {"id", "status", "deduplicated"}, "an answer of a batch")
        return [job["id"] for job in made]

    def claim_body(self, **fields):
        return {"worker_id": "w", "queue": self.name, "lease_s": LEASE_LONG, **fields}

    def claim(self, client=None, **fields):
        """The claimed jobs, each checked."""
        body = self.claim_body(**fields)
        answer = ok((client or self.client).post("/api/work/claim", body), 200, f"claim {fields}")
        keys(answer, {"jobs"}, "claim")
        return [self.is_claimed(job, body) for job in answer["jobs"]] if answer else []

    def is_claimed(self, job, body):
        is_work_job(job, "a claimed job", queue=self.name, status="processing", worker_id=body["worker_id"])
        check(isinstance(job.get("lease_token"), str) and job["lease_token"], f"a claimed job: lease_token {job.get('lease_token')!r}")
        check(is_time(job["claimed_at"]), f"a claimed job: claimed_at {job['claimed_at']!r}")
        return job

    def take(self, **fields):
        """Claims exactly one job."""
        jobs = self.claim(**fields)
        if len(jobs) != 1:
            raise AssertionError(f"claim {fields}: {len(jobs)} jobs, wanted one")
        return jobs[0]

    def order(self, **fields):
        """Ids in the order of single claims, until none is left."""
        ids = []
        while jobs := self.claim(**fields):
            ids += [job["id"] for job in jobs]
        return ids

    def end(self, job, verb, headers=None, **fields):
        """complete, fail, release or heartbeat with the job's lease; the bare answer."""
        return self.client.post(job_path(job["id"], f"/{verb}"), {"lease_token": job["lease_token"], **fields}, headers)

    def cancel(self, id, reason="no longer needed"):
        return self.client.post(job_path(id, "/cancel"), {"reason": reason, "queue": self.name})

    def show(self, id):
        job = ok(self.client.get(job_path(id, queue=self.name)), 200, f"GET job {id}")
        is_work_job(job, f"job {id}", id=id, queue=self.name)
        return job or {}

    def status(self, id):
        return self.show(id).get("status")

    def explain(self, id):
        body = ok(self.client.get(job_path(id, "/explain", self.name)), 200, f"explain {id}") or {}
        check({"id", "queue", "status", "reason", "message"} <= set(body), f"explain {id}: {body}")
        equal((body.get("id"), body.get("queue")), (id, self.name), f"explain {id}")
        check(isinstance(body.get("message"), str) and body["message"], f"explain {id}: message {body.get('message')!r}")
        return body

    def stats(self):
        """This queue's stats."""
        body = ok(self.client.get("/api/work/stats"), 200, "stats") or {"queues": []}
        keys(body, {"queues"}, "stats")
        found = [q for q in body["queues"] if q.get("queue") == self.name]
        equal(len(found), 1, f"stats: entries for {self.name}")
        for queue in found:
            keys(queue, STATS_QUEUE, "stats of a queue")
            for kind in queue["types"]:
                keys(kind, STATS_TYPE, "stats of a type", {"dead"})
        return found[0] if found else None

    def dead(self):
        """The groups of dead letters."""
        body = ok(self.client.get(f"/api/work/dead?queue={self.name}"), 200, "dead") or {"groups": []}
        keys(body, {"groups"}, "dead", {"next_cursor"})
        for group in body["groups"]:
            keys(group, DEAD_GROUP, "a group of dead letters")
            equal(group["queue"], self.name, "a group of dead letters: queue")
            check(is_time(group["first_at"]) and is_time(group["last_at"]), f"a group of dead letters: {group}")
        return body["groups"]

    def redrive(self, **which):
        body = ok(self.client.post("/api/work/dead/redrive", {"queue": self.name, **which}), 200, f"redrive {which}")
        return body and body.get("redriven")

    # Long polls

    def poll(self, client, wait_s=30, **fields):
        """Sends a claim that may wait, and gives it time to be queued after those that were sent before."""
        client.send("POST", "/api/work/claim", self.claim_body(wait_s=wait_s, **fields))
        time.sleep(0.25)

    def polled(self, client, what):
        """The answer to a waiting claim."""
        answer = ok(client.receive(), 200, what)
        return [self.is_claimed(job, {"worker_id": job.get("worker_id")}) for job in answer["jobs"]] if answer else []


def waits(client, limit=0.4):
    """True when nothing has arrived on this connection so far."""
    if client._bytes:
        return False
    client._socket.settimeout(limit)
    try:
        client._bytes += client._socket.recv(1 << 16)
        return False
    except TimeoutError:
        return True
    finally:
        client._socket.settimeout(client.timeout)


def vanish(client, abruptly):
    """Disconnects: with a FIN, or with a RST like a process that was killed with bytes unread."""
    if abruptly:
        client._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    client.close()
