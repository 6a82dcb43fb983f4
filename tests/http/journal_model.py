"""A model of an opening: folds /api/audit and reports every event that the rules do not allow."""

import bisect

from callboard_client import APPLICATIONS_PER_OPENING, audit, ms_of, time_of

LIVE = ("ACTIVE", "PENDING_ACKNOWLEDGMENT")


class Entry:
    __slots__ = ("id", "applicant", "status", "rank", "penalty", "applied_at", "promoted_at", "deadline", "since",
                 "overtaken", "overtakers_max")

    def __init__(self, id, applicant, status, at):
        self.id, self.applicant, self.status = id, applicant, status
        self.applied_at = self.since = at
        self.rank = self.promoted_at = self.deadline = None
        self.penalty = self.overtaken = 0
        self.overtakers_max = None


class Opening:
    """Takes the events of one opening in order; violations go to `report`."""

    def __init__(self, id, report):
        self.id, self.report = id, report
        self.seq = self.at = 0
        self.entries = {}
        self.live = {}
        self.waiting = []        # (rank, id), sorted
        self.by_applicant = {}
        self.total = self.tail = self.decays = 0
        self.cooling = None      # (id, until)
        self.open = True
        self.capacity = self.window = self.window_on_apply = 0
        self.offer_on_apply = False
        self.title = None
        self.promotions, self.promotion_ms, self.acknowledgment_ms = [], [], []
        self.slots_taken = 0

    def _wrong(self, event, what):
        self.report.fail(f"opening {self.id} seq {event['seq']} {event['type']} at {event['at']}: {what}")

    def _expect(self, holds, event, what):
        self.report.checks += 1
        if not holds:
            self._wrong(event, what)

    # Conditions on the state before an event

    def _cools(self, id, at):
        return self.cooling is not None and self.cooling[0] == id and at < self.cooling[1]

    def _first_eligible(self, at):
        for rank, id in self.waiting[:2]:
            if not self._cools(id, at):
                return id
        return None

    def _free(self):
        return len(self.live) < self.capacity

    def _nothing_due(self, event, at):
        for entry in self.live.values():
            if entry.deadline is not None and entry.deadline <= at:
                self._wrong(event, f"the offer of {entry.id} was due at {time_of(entry.deadline)} and still stood")

    def _nobody_kept_waiting(self, event, at):
        if self.open and self._free() and self._first_eligible(at) is not None:
            self._wrong(event, f"a slot was free ({len(self.live)}/{self.capacity}) while {self._first_eligible(at)} waited")

    # Changes

    def _wait(self, entry, rank):
        entry.rank = rank
        bisect.insort(self.waiting, (rank, entry.id))

    def _leave_queue(self, entry):
        place = bisect.bisect_left(self.waiting, (entry.rank, entry.id))
        if self.waiting[place:place + 1] != [(entry.rank, entry.id)]:
            raise ValueError(f"{entry.id} does not wait at rank {entry.rank}")
        del self.waiting[place]

    def position(self, entry):
        return bisect.bisect_left(self.waiting, (entry.rank, entry.id)) + 1

    def _slot_freed_by(self, id):
        if self.cooling and self.cooling[0] != id:
            self.cooling = None

    def fold(self, event):
        data, at = event["data"] or {}, ms_of(event["at"])
        if event["seq"] != self.seq + 1:
            self._wrong(event, f"follows seq {self.seq}")
        self._expect(at >= self.at, event, f"time went back from {time_of(self.at)}")
        kind = event["type"]
        if kind not in ("PROMOTED", "DECAY_TRIGGERED", "JOB_CREATED"):
            self._nothing_due(event, at)
            self._nobody_kept_waiting(event, at)
        try:
            getattr(self, "_" + kind.lower(), self._unknown)(event, data, at)
        except (KeyError, ValueError) as error:
            self._wrong(event, f"does not fit what came before: {error!r}")
        self.seq, self.at = event["seq"], at

    def _unknown(self, event, data, at):
        self._wrong(event, "unknown type")

    def _policy(self, data):
        data = data.get("changes", data)
        value = {k: v.get("to") if isinstance(v, dict) else v for k, v in data.items()}
        self.title = value.get("title", self.title)
        self.window = value.get("ackWindowSeconds", self.window)
        self.offer_on_apply = value.get("offerOnApply", self.offer_on_apply)
        self.window_on_apply = value.get("ackWindowOnApplySeconds", self.window_on_apply)
        if "status" in value:
            self.open = value["status"] == "open"
        capacity = value.get("capacity", self.capacity)
        if capacity > self.capacity:
            self.cooling = None
        self.capacity = capacity

    def _job_created(self, event, data, at):
        self._expect(event["seq"] == 1, event, "is not the first")
        self._policy(data)

    def _job_updated(self, event, data, at):
        self._policy(data)

    def _applied(self, event, data, at):
        id, applicant = data["applicationId"], data["applicantId"]
        self.total += 1
        self._expect(id == self.id * APPLICATIONS_PER_OPENING + self.total, event, f"id {id} is not number {self.total}")
        self._expect(self.open, event, "the opening is closed")
        self._expect(applicant not in self.by_applicant, event, f"applicant {applicant} is already in")
        eligible = self._first_eligible(at)
        status = data.get("status") or ("WAITLIST" if data.get("position") else "ACTIVE")
        entry = Entry(id, applicant, status, at)
        self.entries[id] = entry
        self.by_applicant[applicant] = id
        if status == "WAITLIST":
            self._expect(not self._free() or eligible is not None, event, "waits although a slot was free for it")
            rank = self.tail + 1
            above = bisect.bisect_left(self.waiting, (rank, 0))
            while above < len(self.waiting) and self.waiting[above][0] == rank:
                rank, above = rank + 1, above + 1
            given = data.get("rank", rank)
            self._expect(given == rank, event, f"rank {given}, not {rank}")
            self.tail = max(self.tail, given)
            self._wait(entry, given)
            self._expect(data.get("position") == self.position(entry), event,
                         f"position {data.get('position')}, not {self.position(entry)}")
            for other_rank, other_id in reversed(self.waiting):
                if other_rank <= given:
                    break
                other = self.entries[other_id]
                other.overtaken += 1
                self._expect(other.overtakers_max is not None and other.overtaken <= other.overtakers_max, event,
                             f"{other_id} was overtaken {other.overtaken} times, allowed {other.overtakers_max}")
            return
        self._expect(self._free(), event, f"takes a slot of {len(self.live)}/{self.capacity}")
        self._expect(eligible is None, event, f"takes a slot before {eligible}, who waits")
        self._expect(status == ("PENDING_ACKNOWLEDGMENT" if self.offer_on_apply else "ACTIVE"), event, f"status {status}")
        self._expect(data.get("position") is None, event, "has a position and a slot")
        self.live[id] = entry
        self.slots_taken += 1
        if status == "PENDING_ACKNOWLEDGMENT":
            entry.promoted_at = at
            entry.deadline = self._deadline(event, data, at, self.window_on_apply)

    def _deadline(self, event, data, at, window):
        deadline = ms_of(data["acknowledgeDeadline"])
        self._expect(deadline == at + window * 1000, event, f"deadline {data['acknowledgeDeadline']}, window {window} s")
        return deadline

    def _entry(self, event, data, *statuses):
        entry = self.entries[data["applicationId"]]
        self._expect(entry.status in statuses, event, f"application {entry.id} was {entry.status}")
        return entry

    def _promoted(self, event, data, at):
        entry = self._entry(event, data, "WAITLIST")
        self._expect(self.open, event, "the opening is closed")
        self._expect(self._free(), event, f"takes a slot of {len(self.live)}/{self.capacity}")
        self._expect(self._first_eligible(at) == entry.id, event, f"{self._first_eligible(at)} was first, not {entry.id}")
        self._leave_queue(entry)
        self.live[entry.id] = entry
        self.slots_taken += 1
        entry.status, entry.promoted_at, entry.since = "PENDING_ACKNOWLEDGMENT", at, at
        entry.deadline = self._deadline(event, data, at, self.window)
        if self.cooling and self.cooling[0] == entry.id:
            self.cooling = None
        self.promotions.append(at)
        self.promotion_ms.append(at - entry.applied_at)

    def _acknowledged(self, event, data, at):
        entry = self._entry(event, data, "PENDING_ACKNOWLEDGMENT")
        self._expect(at < entry.deadline, event, f"not before the deadline {time_of(entry.deadline)}")
        self.acknowledgment_ms.append(at - entry.promoted_at)
        entry.status, entry.deadline, entry.since = "ACTIVE", None, at

    def _end(self, entry, at):
        if entry.status == "WAITLIST":
            self._leave_queue(entry)
        else:
            del self.live[entry.id]
            self._slot_freed_by(entry.id)
        if self.cooling and self.cooling[0] == entry.id:
            self.cooling = None
        del self.by_applicant[entry.applicant]
        entry.status, entry.since = "INACTIVE", at
        entry.promoted_at = entry.deadline = None

    def _withdrawn(self, event, data, at):
        self._end(self._entry(event, data, "WAITLIST", *LIVE), at)

    def _declined(self, event, data, at):
        entry = self._entry(event, data, "PENDING_ACKNOWLEDGMENT")
        self._expect(at < entry.deadline, event, f"not before the deadline {time_of(entry.deadline)}")
        self._end(entry, at)

    def _decay_triggered(self, event, data, at):
        entry = self._entry(event, data, "PENDING_ACKNOWLEDGMENT")
        self._expect(at >= entry.deadline, event, f"early: the deadline is {time_of(entry.deadline)}")
        first = min((e.deadline, e.id) for e in self.live.values() if e.deadline is not None)
        self._expect(first[1] == entry.id, event, f"{first[1]} was due first, not {entry.id}")
        del self.live[entry.id]
        entry.penalty += 1
        self._expect(data["penaltyCount"] == entry.penalty, event, f"penaltyCount {data['penaltyCount']}, not {entry.penalty}")
        highest = self.waiting[-1][0] if self.waiting else 0
        rank = max(self.tail, highest) + 1 + entry.penalty
        self._expect(data["rank"] == rank, event, f"rank {data['rank']}, not {rank}")
        entry.status, entry.since = "WAITLIST", at
        entry.promoted_at = entry.deadline = None
        entry.overtaken, entry.overtakers_max = 0, data["rank"] - 1 - self.tail
        self._wait(entry, data["rank"])
        self._expect(data["newPosition"] == len(self.waiting), event, f"position {data['newPosition']} is not the last")
        self.cooling = (entry.id, ms_of(data.get("coolsUntil")) or at + self.window * 1000)
        self.decays += 1

    # What the API must show

    def pipeline(self):
        """(active, waiting), each a list of what lists of applications show, without names."""
        def shown(entry, position):
            return {"applicationId": entry.id, "applicantId": entry.applicant, "status": entry.status,
                    "queuePosition": position, "appliedAt": time_of(entry.applied_at),
                    "promotedAt": entry.promoted_at and time_of(entry.promoted_at),
                    "acknowledgeDeadline": entry.deadline and time_of(entry.deadline)}
        return ([shown(self.live[id], None) for id in sorted(self.live)],
                [shown(self.entries[id], i) for i, (_, id) in enumerate(self.waiting, 1)])


def without_names(entries):
    return [{k: v for k, v in e.items() if k not in ("applicantName", "applicantEmail")} for e in entries]


def folded(client, job, report, until=None):
    """The model of a job after `until` events (all when None), and the events."""
    model = Opening(job, report)
    events = audit(client, kind="opening", key=job)
    for event in events if until is None else events[:until]:
        model.fold(event)
    return model, events


def agrees(client, job, report, store=None):
    """Compares GET, replay, queue, summary and (given a store) rows with the model's fold of the journal. Returns the model."""
    shown = client.get(f"/api/jobs/{job}")
    if shown.status != 200:
        report.fail(f"GET /api/jobs/{job}: {shown!r}")
        return None
    shown = shown.json
    model, events = folded(client, job, report, shown["version"])
    where = f"job {job} at version {shown['version']}"
    report.equal(model.seq, shown["version"], f"{where}: the journal's end")
    active, waiting = model.pipeline()
    report.equal(without_names(shown["activeApplicants"]), active, f"{where}: active by GET and by our fold")
    report.equal(without_names(shown["waitlistApplicants"]), waiting, f"{where}: waitlist by GET and by our fold")
    report.equal((shown["activeCount"], shown["waitlistCount"], shown["capacity"], shown["status"]),
                 (len(active), len(waiting), model.capacity, "open" if model.open else "closed"), f"{where}: counts")
    ordinals = [e["queuePosition"] for e in shown["waitlistApplicants"]]
    report.equal(ordinals, list(range(1, len(ordinals) + 1)), f"{where}: ordinals")
    # The next event may have the same millisecond; then the instant shows a later version.
    later = events[shown["version"]:][:1]
    if model.at and not (later and ms_of(later[0]["at"]) <= model.at):
        replay = client.get(f"/api/pipeline/{job}/replay?asOf={time_of(model.at)}")
        if report.check(replay.status == 200, f"{where}: replay {replay!r}"):
            past = replay.json
            report.equal(past["activeApplicants"], shown["activeApplicants"], f"{where}: active by replay and by GET")
            report.equal(past["waitlistApplicants"], shown["waitlistApplicants"], f"{where}: waitlist by replay and by GET")
    if store is not None:
        rows_agree(client, job, report, store)
    return model


def rows_agree(client, job, report, store):
    """The stored rows equal the model's fold of the journal; read while nothing changes."""
    first = job * APPLICATIONS_PER_OPENING
    for _ in range(50):
        before = store.rows(f"select seq from heads where kind = 'opening' and key = '{job}'")
        rows = store.rows("select id, applicant, status, rank, penalty, applied_at, promoted_at, deadline from applications "
                          f"where id between {first} and {first + APPLICATIONS_PER_OPENING - 1} order by id")
        if store.rows(f"select seq from heads where kind = 'opening' and key = '{job}'") == before:
            break
    else:
        report.fail(f"job {job}: kept changing while its rows were read")
        return
    if not report.check(len(before) == 1, f"job {job}: {len(before)} head rows"):
        return
    model, events = folded(client, job, report, before[0][0])
    report.equal(model.seq, before[0][0], f"job {job}: head row and journal")
    got = [(id, applicant, status, rank if status == "WAITLIST" else None, penalty, *times)
           for id, applicant, status, rank, penalty, *times in rows]
    want = [(e.id, e.applicant, e.status, e.rank if e.status == "WAITLIST" else None, e.penalty, e.applied_at, e.promoted_at,
             e.deadline) for e in sorted(model.entries.values(), key=lambda e: e.id)]
    differing = [(g, w) for g, w in zip(got, want) if g != w][:5]
    report.check(got == want, f"job {job}: rows and our fold differ: {len(got)} rows, {len(want)} folded, {differing}")
