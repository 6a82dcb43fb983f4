"""The form of answers, member by member."""

import re

from callboard_client import APPLICATIONS_PER_OPENING, Report, is_time

report = Report()
check, equal = report.check, report.equal

JOB = {"id", "title", "description", "capacity", "activeCount", "waitlistCount", "createdAt", "ackWindowSeconds",
       "offerOnApply", "ackWindowOnApplySeconds", "status", "owner", "version"}
ENTRY = {"applicationId", "applicantId", "applicantName", "applicantEmail", "status", "queuePosition", "appliedAt",
         "promotedAt", "acknowledgeDeadline"}
RESULT = {"applicationId", "applicantId", "jobId", "status", "queuePosition", "message", "acknowledgeDeadline"}
APPLICANT = {"id", "name", "email", "createdAt"}
STATUS = {"applicantId", "applicantName", "applicantEmail", "applications"}
STANDING = {"applicationId", "jobId", "jobTitle", "status", "queuePosition", "appliedAt", "promotedAt",
            "acknowledgeDeadline", "timeInCurrentStateSeconds", "etaSeconds", "penaltyCount"}
EVENT = {"id", "applicationId", "eventType", "fromStatus", "toStatus", "metadata", "createdAt"}
QUEUE = {"jobId", "jobTitle", "capacity", "activeCount", "waitlistEntries"}
QUEUE_ENTRY = {"applicationId", "applicantId", "applicantName", "position", "appliedAt", "penaltyCount", "etaSeconds"}
SUMMARY = {"jobId", "jobTitle", "capacity", "activeCount", "waitlistCount", "inactiveCount", "totalApplications",
           "avgTimeToPromotionSeconds", "avgAcknowledgmentTimeSeconds", "decayEvents"}
REPLAY = {"jobId", "asOf", "activeApplicants", "waitlistApplicants", "events"}
AUDIT_EVENT = {"position", "kind", "key", "seq", "type", "at", "actor", "reason", "traceId", "requestId", "data"}
METADATA = {"APPLIED": {"jobId", "applicantId", "position"}, "PROMOTED": {"jobId", "acknowledgeDeadline"},
            "ACKNOWLEDGED": {"jobId", "acknowledgedAt"}, "WITHDRAWN": {"jobId", "by"}, "DECLINED": {"jobId"},
            "DECAY_TRIGGERED": {"jobId", "penaltyCount", "newPosition", "rank"}}
WINDOW_LONG = 600
LONG = {"next_cursor", "truncated"}  # only when there is more


def keys(value, wanted, what, also=frozenset()):
    if check(isinstance(value, dict), f"{what} is no object: {value!r}"):
        got = set(value)
        check(wanted <= got <= wanted | also,
              f"{what}: missing {sorted(wanted - got)}, unexpected {sorted(got - wanted - also)}")


def integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def ok(answer, status, what):
    """An answer with this status and JSON; its value, or None."""
    if not check(answer.status == status, f"{what}: got {answer!r}, want {status}"):
        return None
    check((answer.header("Content-Type") or "").startswith("application/json"),
          f"{what}: Content-Type {answer.header('Content-Type')!r}")
    check(answer.header("Date"), f"{what}: no Date")
    check(answer.header("X-Request-Id"), f"{what}: no X-Request-Id")
    return answer.json


def refused(answer, status, code, what):
    """Checks that an answer is a refusal in exactly the common form."""
    if not check(answer.status == status, f"{what}: got {answer!r}, want {status} {code}"):
        return None
    try:
        body = answer.json
    except ValueError:
        report.fail(f"{what}: the refusal is no JSON: {answer.body[:200]!r}")
        return None
    keys(body, {"error", "message", "requestId"}, what)
    keys(body.get("error"), {"code", "message", "details"}, f"{what}: error")
    error = body.get("error") or {}
    equal(error.get("code"), code, f"{what}: code")
    check(isinstance(error.get("message"), str) and error["message"], f"{what}: no message")
    equal(body.get("message"), error.get("message"), f"{what}: the two messages")
    equal(body.get("requestId"), answer.header("X-Request-Id"), f"{what}: requestId")
    details = error.get("details")
    if details is not None and check(isinstance(details, list) and details, f"{what}: details {details!r}"):
        for detail in details:
            keys(detail, {"path", "problem"}, f"{what}: detail")
    if status in (429, 503):
        check(re.fullmatch(r"\d+", answer.header("Retry-After") or ""), f"{what}: Retry-After {answer.header('Retry-After')!r}")
    for leak in ("pqxx", "SQLITE", "sqlite3", "exception", "std::", "select ", "insert into"):
        check(leak not in body.get("message", ""), f"{what}: the message speaks of the inside: {body.get('message')!r}")
    return body


def is_job(job, what, also=frozenset()):
    keys(job, JOB, what, also)
    for name in ("id", "capacity", "activeCount", "waitlistCount", "ackWindowSeconds", "ackWindowOnApplySeconds", "version"):
        check(integer(job[name]), f"{what}: {name} {job[name]!r}")
    check(isinstance(job["offerOnApply"], bool), f"{what}: offerOnApply {job['offerOnApply']!r}")
    check(job["status"] in ("open", "closed"), f"{what}: status {job['status']!r}")
    check(is_time(job["createdAt"]), f"{what}: createdAt {job['createdAt']!r}")
    check(isinstance(job["title"], str), f"{what}: title")
    check(job["description"] is None or isinstance(job["description"], str), f"{what}: description")
    check(job["owner"] is None or isinstance(job["owner"], str), f"{what}: owner")


def is_entry(entry, what):
    keys(entry, ENTRY, what)
    check(integer(entry["applicationId"]) and integer(entry["applicantId"]), f"{what}: ids")
    check(entry["status"] in ("ACTIVE", "WAITLIST", "PENDING_ACKNOWLEDGMENT"), f"{what}: status {entry['status']!r}")
    waits = entry["status"] == "WAITLIST"
    check(integer(entry["queuePosition"]) if waits else entry["queuePosition"] is None, f"{what}: position {entry['queuePosition']!r}")
    check(is_time(entry["appliedAt"]), f"{what}: appliedAt")
    check(is_time(entry["acknowledgeDeadline"]) == (entry["status"] == "PENDING_ACKNOWLEDGMENT"), f"{what}: acknowledgeDeadline")
    check(entry["promotedAt"] is None or is_time(entry["promotedAt"]), f"{what}: promotedAt")


def is_result(result, what, /, **wanted):
    keys(result, RESULT, what)
    for name in ("applicationId", "applicantId", "jobId"):
        check(integer(result[name]), f"{what}: {name} {result[name]!r}")
    equal(result["applicationId"] // APPLICATIONS_PER_OPENING, result["jobId"], f"{what}: the opening in the application's id")
    check(isinstance(result["message"], str), f"{what}: message")
    waits = result["status"] == "WAITLIST"
    check(integer(result["queuePosition"]) if waits else result["queuePosition"] is None, f"{what}: position")
    check(is_time(result["acknowledgeDeadline"]) == (result["status"] == "PENDING_ACKNOWLEDGMENT"), f"{what}: deadline")
    for name, value in wanted.items():
        equal(result[name], value, f"{what}: {name}")


def is_event(event, what):
    keys(event, EVENT, what)
    check(integer(event["id"]) and integer(event["applicationId"]), f"{what}: ids")
    check(is_time(event["createdAt"]), f"{what}: createdAt")
    also = {"reason"} if event["eventType"] == "WITHDRAWN" else set()
    if check(event["eventType"] in METADATA, f"{what}: type {event['eventType']!r}"):
        keys(event["metadata"], METADATA[event["eventType"]], f"{what}: metadata of {event['eventType']}", also)


def result_of(answer, code, what, /, **wanted):
    result = ok(answer, code, what)
    if result is not None:
        is_result(result, what, **wanted)
    return result or {}


def says(result, words, what):
    check(words.lower() in result.get("message", "").lower(), f"{what}: message {result.get('message')!r} lacks {words!r}")


def act(c, verb, application, status=200, **more):
    return result_of(c.post(f"/api/{verb}", {"applicationId": application, **more}), status, f"{verb} {application}")


def same_events(timeline, wanted, what):
    equal([(e["eventType"], e["fromStatus"], e["toStatus"]) for e in timeline], wanted, what)
