"""Client of the tests: a process, HTTP and SQL. It shares no code with the server, so that both cannot have one mistake."""

import atexit
import collections
import csv
import io
import json
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
POSTGRES_BIN = Path("/usr/lib/postgresql/15/bin")
APPLICATIONS_PER_OPENING = 10_000_000

# Environment


def binary():
    path = os.environ.get("CALLBOARD_BIN", "")
    if not path or not os.access(path, os.X_OK):
        sys.exit(f"FAIL: CALLBOARD_BIN must name the server's program; it is {path!r}")
    return path


def postgres_url():
    url = os.environ.get("CALLBOARD_TEST_POSTGRES", "")
    if not url:
        sys.exit("FAIL: CALLBOARD_TEST_POSTGRES must be the URL of a PostgreSQL where databases may be created")
    return url


def seed():
    """The seed of a run's random choices; CALLBOARD_TEST_SEED sets it, to repeat a run."""
    return int(os.environ.get("CALLBOARD_TEST_SEED") or random.SystemRandom().randrange(1 << 32))


_keep = []


def scratch(name="callboard-test"):
    """A folder that is removed when the test ends, unless it failed."""
    folder = tempfile.mkdtemp(prefix=name + ".")
    atexit.register(lambda: _keep or shutil.rmtree(folder, ignore_errors=True))
    return Path(folder)


# What a test found


class Report:
    """Collects violations instead of ending at the first one."""

    def __init__(self):
        self.checks = 0
        self.violations = []
        self.where = ""
        self._lock = threading.Lock()

    def check(self, holds, what):
        with self._lock:
            self.checks += 1
            if holds:
                return True
            line = f"{self.where}: {what}" if self.where else what
            self.violations.append(line)
            if len(self.violations) <= 200:
                print("VIOLATION", line[:1500], flush=True)
        return False

    def equal(self, got, want, what):
        return self.check(got == want, f"{what}: got {got!r}, want {want!r}")

    def fail(self, what):
        return self.check(False, what)

    def finish(self, summary=""):
        bad = len(self.violations)
        if bad:
            _keep.append(True)
        print(f"{'FAIL' if bad else 'OK'}: {self.checks} checks, {bad} violations{'; ' + summary if summary else ''}", flush=True)
        sys.exit(1 if bad else 0)


def eventually(question, limit=20.0, step=0.01, what="condition"):
    """Calls until the result is truthy; returns it."""
    end = time.monotonic() + limit
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"not within {limit} s: {what}")
        time.sleep(step)


# Times

TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def is_time(text):
    return isinstance(text, str) and TIME.match(text) is not None


def ms_of(text):
    """Milliseconds since 1970 of a time as the API writes it; None stays None."""
    if text is None or isinstance(text, int):
        return text
    moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    delta = moment - _EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1000 + delta.microseconds // 1000


def time_of(ms):
    moment = datetime.fromtimestamp(ms // 1000, timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"


# HTTP


class NoAnswer(Exception):
    """The connection ended before a complete answer; `started`: some of it had arrived."""

    def __init__(self, why, started=False):
        super().__init__(why)
        self.started = started


class Answer:
    __slots__ = ("status", "headers", "body")

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    def header(self, name, default=None):
        values = self.headers.get(name.lower())
        return values[0] if values else default

    @property
    def code(self):
        """The error's code, or None when there is none."""
        try:
            return self.json["error"]["code"]
        except (ValueError, KeyError, TypeError):
            return None

    @property
    def replayed(self):
        return self.header("Idempotency-Replayed") == "true"

    def next_page(self):
        """Path and query of Link rel="next", or None."""
        for value in self.headers.get("link", []):
            for part in re.finditer(r"<([^>]*)>\s*((?:;[^,]*)*)", value):
                if re.search(r'rel="?next"?', part.group(2)):
                    url = urllib.parse.urlsplit(part.group(1))
                    return url.path + ("?" + url.query if url.query else "")
        return None

    def __repr__(self):
        return f"<{self.status} {self.body[:300]!r}>"


def encoded(method, path, body=None, headers=None, port=0):
    """A request's bytes. A header that is None is left out."""
    lines = {"Host": f"127.0.0.1:{port}"}
    if body is not None and not isinstance(body, (bytes, str)):
        body = json.dumps(body)
    if isinstance(body, str):
        body = body.encode()
    if body is not None:
        lines["Content-Type"] = "application/json"
        lines["Content-Length"] = str(len(body))
    lines.update(headers or {})
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items() if v is not None)
    return head.encode("latin-1") + b"\r\n" + (body or b"")


class Client:
    """One keep-alive connection, opened when needed. Never resends a request."""

    def __init__(self, port, timeout=30.0):
        self.port, self.timeout = port, timeout
        self._socket, self._bytes = None, b""
        self._sent = collections.deque()

    def connect(self):
        if self._socket is None:
            self._bytes = b""
            self._sent.clear()
            try:
                self._socket = socket.create_connection(("127.0.0.1", self.port), timeout=self.timeout)
            except OSError as error:
                raise NoAnswer(f"connecting: {error}") from None
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self

    def close(self):
        if self._socket is not None:
            self._socket.close()
        self._socket = None

    def send_bytes(self, data, method="GET"):
        self.connect()
        try:
            self._socket.sendall(data)
        except OSError as error:
            # The server may have answered, because it refuses the rest of the body.
            if not isinstance(error, (BrokenPipeError, ConnectionResetError)):
                self.close()
                raise NoAnswer(f"sending: {error}") from None
        self._sent.append(method)

    def send(self, method, path, body=None, headers=None):
        self.send_bytes(encoded(method, path, body, headers, self.port), method)

    def _more(self, started):
        try:
            part = self._socket.recv(1 << 18)
        except OSError as error:
            self.close()
            raise NoAnswer(f"reading: {error or type(error).__name__}", started or bool(self._bytes)) from None
        if not part:
            started = started or bool(self._bytes)
            self.close()
            raise NoAnswer("connection closed", started)
        self._bytes += part

    def _line_block(self):
        while (end := self._bytes.find(b"\r\n\r\n")) < 0:
            self._more(False)
        block, self._bytes = self._bytes[:end], self._bytes[end + 4:]
        return block.decode("latin-1").split("\r\n")

    def _take(self, count):
        while len(self._bytes) < count:
            self._more(True)
        part, self._bytes = self._bytes[:count], self._bytes[count:]
        return part

    def _chunks(self):
        body = b""
        while True:
            while (end := self._bytes.find(b"\r\n")) < 0:
                self._more(True)
            size = int(self._bytes[:end].split(b";")[0], 16)
            self._bytes = self._bytes[end + 2:]
            body += self._take(size)
            self._take(2)
            if size == 0:
                return body

    def receive(self):
        if self._socket is None:
            raise NoAnswer("no connection")
        method = self._sent.popleft() if self._sent else "GET"
        status = 100
        while status < 200:
            first, *rest = self._line_block()
            version, number, *_ = first.split(" ", 2)
            if not version.startswith("HTTP/1."):
                raise AssertionError(f"no HTTP answer: {first!r}")
            status = int(number)
        headers = {}
        for line in rest:
            name, _, value = line.partition(":")
            headers.setdefault(name.strip().lower(), []).append(value.strip())
        body = b""
        if method != "HEAD" and status not in (204, 304):
            if "chunked" in headers.get("transfer-encoding", [""])[0].lower():
                body = self._chunks()
            elif "content-length" in headers:
                body = self._take(int(headers["content-length"][0]))
        if headers.get("connection", [""])[0].lower() == "close":
            self.close()
        return Answer(status, headers, body)

    def call(self, method, path, body=None, headers=None):
        self.send(method, path, body, headers)
        return self.receive()

    def get(self, path, headers=None):
        return self.call("GET", path, None, headers)

    def post(self, path, body=None, headers=None):
        return self.call("POST", path, body, headers)

    def patch(self, path, body=None, headers=None):
        return self.call("PATCH", path, body, headers)

    def closed_by_peer(self, limit=5.0):
        """True when the server ends the connection without sending more."""
        if self._socket is None:
            return True
        self._socket.settimeout(limit)
        try:
            rest = self._bytes or self._socket.recv(1)
        except ConnectionResetError:
            rest = b""
        except OSError:
            return False
        return rest == b""


class Volley:
    """Connections that send their requests at once: all are sent before an answer is read."""

    def __init__(self, port, size):
        self.clients = [Client(port).connect() for _ in range(size)]

    def fire(self, requests):
        """requests: (method, path, body[, headers]); the answers in their order, None where the connection broke."""
        pairs = list(zip(self.clients, requests, strict=False))
        assert len(pairs) == len(requests), "more requests than connections"
        data = []
        for client, (method, path, body, *headers) in pairs:
            client.connect()
            data.append((client, encoded(method, path, body, *headers, port=client.port), method))
        for client, request, method in data:
            client.send_bytes(request, method)
        answers = []
        for client, _ in pairs:
            try:
                answers.append(client.receive())
            except NoAnswer:
                answers.append(None)
        return answers

    def close(self):
        for client in self.clients:
            client.close()


def together(count, work):
    """Runs work(i) in `count` threads that start together; returns their results in order, or raises what one raised."""
    barrier = threading.Barrier(count)
    results, errors = [None] * count, []

    def run(i):
        try:
            barrier.wait(30)
            results[i] = work(i)
        except Exception as error:  # noqa: BLE001 - handed to the caller
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    if any(thread.is_alive() for thread in threads):
        raise AssertionError("a client did not end within 120 s")
    if errors:
        raise errors[0]
    return results


def pages(client, path, report=None, per_page=None, items=lambda body: body):
    """All items of a list, page by page along Link rel="next"."""
    found, visited = [], set()
    while path:
        answer = client.get(path)
        if answer.status != 200:
            raise AssertionError(f"GET {path}: {answer!r}")
        part = items(answer.json)
        if report is not None and per_page is not None:
            report.check(len(part) <= per_page, f"{path}: {len(part)} items on a page of {per_page}")
        found += part
        path = answer.next_page()
        if path in visited:
            raise AssertionError(f"pages go in circles at {path}")
        visited.add(path)
    return found


def audit(client, **query):
    """All journal entries that /api/audit shows for a query, oldest first."""
    events, cursor = [], None
    while True:
        asked = {**query, "limit": 1000, **({"cursor": cursor} if cursor else {})}
        answer = client.get("/api/audit?" + urllib.parse.urlencode(asked))
        if answer.status != 200:
            raise AssertionError(f"GET /api/audit: {answer!r}")
        page = answer.json
        events += page["events"]
        if not page.get("next_cursor"):
            return events
        if page["next_cursor"] == cursor:
            raise AssertionError("the audit's cursor stands still")
        cursor = page["next_cursor"]


# The process

_running = set()


@atexit.register
def _end_what_runs():
    for process in list(_running):
        if process.poll() is None:
            process.kill()


def clean_environment():
    """The environment without variables that would set an option of the server."""
    return {k: v for k, v in os.environ.items() if not k.startswith("CALLBOARD_") and k not in ("DATABASE_URL", "PORT")}


class Server:
    """`callboard serve` on a free port. CALLBOARD_TEST_OPTIONS adds options to each server."""

    def __init__(self, store, *options, start=True, limit=30.0):
        self.store, self.options = store, (*os.environ.get("CALLBOARD_TEST_OPTIONS", "").split(), *options)
        self.log_path = store.folder / "server.log"
        self.process, self.port, self.ready_ms = None, None, None
        if start:
            self.start(limit)

    def start(self, limit=30.0):
        began = time.monotonic()
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [binary(), "serve", "--http.port=0", f"--store={self.store.url}", *self.options],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, env=clean_environment(), cwd=self.store.folder)
        _running.add(self.process)
        found, said = threading.Event(), []

        def listen(output):
            for line in output:
                said.append(line)
                at = re.search(rb"http://127\.0\.0\.1:(\d+)", line)
                if at and not found.is_set():
                    self.port = int(at.group(1))
                    found.set()

        threading.Thread(target=listen, args=(self.process.stdout,), daemon=True).start()
        while not found.wait(0.02):
            if self.process.poll() is not None:
                raise AssertionError(f"the server ended with {self.process.returncode}: {b''.join(said)!r} {self.log_tail()}")
            if time.monotonic() - began > limit:
                raise AssertionError(f"no address on stdout within {limit} s: {b''.join(said)!r} {self.log_tail()}")
        self.wait_ready(limit)
        self.ready_ms = round((time.monotonic() - began) * 1000)
        return self

    def wait_ready(self, limit=30.0):
        def ready():
            if self.process.poll() is not None:
                raise AssertionError(f"the server ended with {self.process.returncode}: {self.log_tail()}")
            return self.readiness() == 200
        eventually(ready, limit, 0.01, "/readyz is 200")

    def readiness(self):
        client = Client(self.port, 5)
        try:
            return client.get("/readyz").status
        except NoAnswer:
            return 0
        finally:
            client.close()

    def log_tail(self, size=3000):
        try:
            return self.log_path.read_bytes()[-size:].decode(errors="replace")
        except OSError:
            return ""

    def client(self, timeout=30.0):
        return Client(self.port, timeout)

    def terminate(self, limit=20.0):
        """SIGTERM; the exit code, or None when it had to be killed."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait(limit)

    def wait(self, limit=20.0):
        try:
            code = self.process.wait(limit)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            code = None
        _running.discard(self.process)
        return code

    def kill(self):
        self.process.kill()
        self.process.wait()
        _running.discard(self.process)

    def restart(self):
        code = self.terminate()
        if code != 0:
            raise AssertionError(f"SIGTERM ended the server with {code}: {self.log_tail()}")
        return self.start()


def run_callboard(*arguments, limit=60.0, cwd=None):
    """One run of the program to its end: exit code, stdout, stderr."""
    done = subprocess.run([binary(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=limit,
                          env=clean_environment(), cwd=cwd)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def verify(store):
    """Exit code and output of `callboard verify`."""
    code, out, err = run_callboard("verify", f"--store={store.url}", limit=300, cwd=store.folder)
    return code, (out + err).strip()


# Stores


def psql(url, sql, limit=60.0):
    """Rows of one statement; whole numbers as int, NULL as None."""
    program = shutil.which("psql") or str(POSTGRES_BIN / "psql")
    done = subprocess.run([program, "-X", "-q", "-v", "ON_ERROR_STOP=1", "--csv", "-t", "-P", "null=\\N", "-d", url, "-c", sql],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=limit)
    if done.returncode:
        raise AssertionError(f"psql: {done.stderr.decode(errors='replace')}")

    def value(text):
        return None if text == "\\N" else int(text) if re.fullmatch(r"-?\d{1,18}", text) else text
    return [tuple(map(value, row)) for row in csv.reader(io.StringIO(done.stdout.decode()))]


class SqliteStore:
    name = "sqlite"

    def __init__(self):
        self.folder = scratch()
        self.path = self.folder / "callboard.db"
        self.url = f"sqlite:{self.path}"

    def rows(self, sql):
        connection = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, timeout=30)
        try:
            return [tuple(row) for row in connection.execute(sql)]
        finally:
            connection.close()

    def change(self, sql):
        connection = sqlite3.connect(self.path, timeout=30)
        try:
            with connection:
                return connection.execute(sql).rowcount
        finally:
            connection.close()

    def drop(self):
        pass


class PostgresStore:
    name = "postgres"

    def __init__(self, admin=None):
        self.folder = scratch()
        self.admin = admin or postgres_url()
        self.database = f"callboard_test_{os.getpid()}_{random.SystemRandom().randrange(1 << 40):x}"
        psql(self.admin, f"create database {self.database}")
        parts = urllib.parse.urlsplit(self.admin)
        self.url = urllib.parse.urlunsplit(parts._replace(path="/" + self.database))
        self._there = True
        atexit.register(self.drop)

    def rows(self, sql):
        return psql(self.url, sql)

    def change(self, sql):
        psql(self.url, sql)

    def drop(self):
        if self._there:
            self._there = False
            try:
                psql(self.admin, f"drop database if exists {self.database} with (force)")
            except AssertionError as error:
                print(f"left behind: {error}", file=sys.stderr)


STORES = {"sqlite": SqliteStore, "postgres": PostgresStore}


def chosen_stores(arguments):
    """The stores named by the arguments, both without any; and the other arguments."""
    named = [a for a in arguments if a in STORES]
    chosen = named or list(STORES)
    binary()
    if "postgres" in chosen:
        postgres_url()
    return chosen, [a for a in arguments if a not in STORES]


# Calls that many tests use

_counter = iter(range(1, 1 << 60))


def fresh(word="x"):
    """A name that no other test uses."""
    return f"{word}-{os.getpid()}-{next(_counter)}"


def fresh_email(word="ada"):
    return f"{fresh(word)}@example.org"


def make_job(client, **policy):
    body = {"title": policy.pop("title", fresh("Opening")), "capacity": policy.pop("capacity", 1), **policy}
    answer = client.post("/api/jobs", body)
    if answer.status != 201:
        raise AssertionError(f"POST /api/jobs {body}: {answer!r}")
    return answer.json["id"]


def apply_public(client, job, email=None, name="Ada", headers=None):
    return client.post("/api/apply-public", {"name": name, "email": email or fresh_email(), "jobId": job}, headers)


def applied(client, job, email=None, name="Ada"):
    answer = apply_public(client, job, email, name)
    if answer.status != 201:
        raise AssertionError(f"POST /api/apply-public for job {job}: {answer!r}")
    return answer.json
