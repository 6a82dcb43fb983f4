#!/usr/bin/env python3
"""A worker in Python, standard library only. The protocol and the variables: docs/workers.md."""
import http.client, json, os, signal, threading, urllib.error, urllib.parse, urllib.request, uuid

env = os.environ.get
API, LEASE_S, IDLE_EXIT_S = env("CALLBOARD_URL", "http://127.0.0.1:8080"), int(env("LEASE_S", 60)), int(env("IDLE_EXIT_S", 0))
CLAIM = {"worker_id": env("WORKER_ID", f"python-{os.getpid()}"), "queue": env("QUEUE", "default"), "lease_s": LEASE_S,
         "wait_s": min(IDLE_EXIT_S or 20, 20), **({"job_types": env("JOB_TYPES").split(",")} if env("JOB_TYPES") else {})}
stop = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stop.set())

def work(job, note, pause):
    """Your work: returns results; raises for a failure. `note` is sent with the heartbeats."""
    seconds, done = job["data"].get("seconds", 0), (job["checkpoint"] or {}).get("done", 0)
    while done < seconds:
        done += pause(0.2)
        note.update(progress=min(done / seconds, 1), checkpoint={"done": done})
    if job["attempts"] < job["data"].get("failures", 0):
        raise RuntimeError("not this time")
    return {"slept": seconds}

def post(path, body):
    """Status and answer; repeats the request with one key until the answer is definite."""
    headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
    while True:
        try:
            with urllib.request.urlopen(urllib.request.Request(f"{API}/api/work/{path}", json.dumps(body).encode(), headers), timeout=60) as said:
                return said.status, json.load(said)
        except urllib.error.HTTPError as refusal:
            status, answer, wait = refusal.code, json.load(refusal), int(refusal.headers.get("Retry-After", 1))
        except (OSError, http.client.HTTPException):
            status, answer, wait = 503, {}, 1  # nobody there, or gone before a whole answer
        if status not in (429, 503) and answer["error"]["code"] != "IN_PROGRESS" or stop.wait(wait):
            return status, answer

def run(job):
    path, token = f"jobs/{urllib.parse.quote(job['id'], safe='')}/", {"lease_token": job["lease_token"]}
    note, gone = {}, threading.Event()
    def beat():
        while not gone.wait(LEASE_S / 3):
            status, answer = post(path + "heartbeat", token | note)
            if status != 200 or answer.get("cancel_requested"): return gone.set()
    def pause(seconds):
        if gone.wait(seconds) or stop.is_set(): raise InterruptedError  # lost, cancelled or told to stop
        return seconds
    threading.Thread(target=beat, daemon=True).start()
    try:
        verb, more = "complete", {"results": work(job, note, pause)}
    except Exception as error:
        verb, more = ("release", {}) if isinstance(error, InterruptedError) else ("fail", {"error": str(error)})
    gone.set()
    print(job["id"], verb, post(path + verb, token | more)[0], flush=True)

while not stop.is_set():
    status, answer = post("claim", CLAIM)
    for job in answer.get("jobs", []):
        run(job)
    if status == 200 and not answer["jobs"] and IDLE_EXIT_S or status != 200 and stop.wait(1):
        break
