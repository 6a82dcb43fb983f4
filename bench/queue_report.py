#!/usr/bin/env python3
"""Medians of measurements of the work queue as a page: queue_report.py queue|million MACHINE RECORDS."""
from statistics import median

from report import grouped, main, mid, number, same_round_ratio, table

BAR_PICKUP_MS = 5
BAR_LOG_KIB = 2.2
BAR_MILLION = 2


def parts(name):
    """(who, batch, how many connections or clients) of `postgres 100 8`, `raw lean 100 4`, `loader 100 2`."""
    *who, batch, many = name.split()
    return " ".join(who), int(batch), int(many)


def label(name):
    who, batch, many = parts(name)
    if who == "loader":
        return f"bulk loader, batch {batch}, {many} clients"
    if who.startswith("raw"):
        return f"SKIP LOCKED ({who.split()[1]}), batch {batch}, {many} clients"
    return f"Callboard on {who}, batch {batch}, {many} connections"


def order(name):
    who, batch, many = parts(name)
    return (0 if who.startswith("raw") else 1 if who == "loader" else 2, batch, who, many)


def phase(records, which):
    return [dict(r[which], round=r["round"]) for r in records if r.get(which)]


def log_kib(records, images=True):
    """KiB of write-ahead log for a job's whole life, one value a round."""
    values = []
    for r in records:
        if not r.get("work_log"):
            continue
        kib = 0
        for log, metrics in (("enqueue_log", "enqueue"), ("work_log", "work")):
            if not images and r[log]["images"] is None:
                break
            kib += (r[log]["bytes"] - (0 if images else r[log]["images"])) / max(r[metrics]["jobs_in_all"], 1) / 1024
        else:
            values.append(kib)
    return median(values) if values else None


def best(groups, who, batch):
    """The name with the highest median, of those with any number of clients."""
    names = [n for n in groups if not n.startswith("pickup") and parts(n)[0] == who and parts(n)[1] == batch]
    return max(names, key=lambda n: mid(phase(groups[n], "work"), "jobs_per_s"), default=None)


def verdict(ok):
    return "yes" if ok else "no"


def bars(groups, batch):
    """What was promised, and what came of it."""
    rows = []
    singles, many = best(groups, "postgres", 1), best(groups, "postgres", batch)

    def against(ours, theirs, least, text):
        if not ours or not theirs:
            return
        ratio = same_round_ratio(phase(groups[ours], "work"), phase(groups[theirs], "work"), "jobs_per_s")
        rows.append([text, f"{number(least)} ×", f"{number(ratio)} ×", verdict(ratio >= least)])

    styles = sorted({parts(n)[0] for n in groups if n.startswith("raw ")})
    for style in styles:
        against(singles, best(groups, style, 1), 1, f"one by one over HTTP against SKIP LOCKED ({style.split()[1]}) one by one")
    for style in styles:
        against(many, best(groups, style, 1), 5, f"batch {batch} against SKIP LOCKED ({style.split()[1]}) one by one")
    for style in styles:
        against(many, best(groups, style, batch), 1, f"batch {batch} against SKIP LOCKED ({style.split()[1]}) by {batch}")
    against(many, best(groups, "loader", batch), 0.6, f"batch {batch} against the best bulk loader")
    against(many, next((n for n in groups if n == f"loader {batch} 1"), None), 0.6,
            f"batch {batch} against a bulk loader on one connection, as Callboard's writer has")
    for name in sorted(n for n in groups if n.startswith("pickup postgres ")):
        workers = name.split()[2]
        met = 100 * sum(r["met"] for r in groups[name]) / max(sum(r["jobs"] for r in groups[name]), 1)
        for field, text in (("p99_ms", "any job"), ("met_p99_ms", f"a job that met a waiting one ({met:.0f} %)")):
            # Rounds in which no job met anybody have no such time, and hold nothing.
            held = all(r[field] is not None for r in groups[name]) and mid(groups[name], field) < BAR_PICKUP_MS
            rows.append([f"p99 until one of {workers} workers has {text}, from sending it", f"< {BAR_PICKUP_MS} ms",
                         f"{number(mid(groups[name], field))} ms", verdict(held)])
    for ours in (singles, many):
        kib = log_kib(groups[ours]) if ours else None
        if kib is not None:
            rows.append([f"write-ahead log of a job's life, batch {parts(ours)[1]}", f"< {BAR_LOG_KIB} KiB", f"{number(kib)} KiB",
                         verdict(kib < BAR_LOG_KIB)])
    print("Bars. A ratio is the median of the rounds' own ratios.\n")
    table(["", "bar", "reached", "held"], rows)


def queue(records):
    groups = grouped(records)
    rows = []
    names = sorted((n for n in groups if not n.startswith("pickup")), key=order)
    for name in names:
        did, put = phase(groups[name], "work"), phase(groups[name], "enqueue")
        span = f"{number(min(r['jobs_per_s'] for r in did))}–{number(max(r['jobs_per_s'] for r in did))}"
        rows.append([label(name), number(mid(did, "jobs_per_s")), span, number(mid(did, "p50_ms")), number(mid(did, "p99_ms")),
                     number(mid(did, "claim_p99_ms")), number(mid(did, "server_cpu_us_per_job")),
                     number(mid(did, "store_cpu_us_per_job")), number(mid(did, "client_cpu_us_per_job")),
                     number(mid(put, "jobs_per_s")), number(log_kib(groups[name])), number(log_kib(groups[name], images=False))])
    print("Jobs claimed and completed, each step durable when it is answered. Jobs have 100 bytes of data and lie there before; "
          "they were put in by batches of the same size. SKIP LOCKED and the bulk loader go without HTTP. Times are those of a "
          "claim and its completion together, CPU is per job, the log is for the whole life of a job: put in, claimed, "
          "completed, with and without the images of pages that follow a checkpoint.\n")
    table(["", "jobs/s", "range", "p50 ms", "p99 ms", "claim p99 ms", "server µs", "PostgreSQL µs", "client µs", "put in/s",
           "log KiB", "without images"], rows)
    late = sorted(n for n in groups if n.startswith("pickup"))
    if late:
        print("New jobs for workers that wait in a long poll, at half the rate reached one by one: from sending the job until a "
              "worker has it, and from the answer to the job's sender. A job meets a waiting worker when that one's claim was "
              "sent before the job; the others found all workers busy and had to wait for one.\n")
        rows = []
        for name in late:
            of = groups[name]
            jobs = sum(r["jobs"] for r in of)
            rows.append([" with ".join(name.split()[1:]) + " workers", number(mid(of, "jobs_per_s")), str(jobs),
                         number(mid(of, "p50_ms")), number(mid(of, "p99_ms")), number(max(r["max_ms"] for r in of)),
                         number(mid(of, "stored_p50_ms")), number(mid(of, "stored_p99_ms")),
                         f"{100 * sum(r['met'] for r in of) / max(jobs, 1):.0f} %", number(mid(of, "met_p50_ms")),
                         number(mid(of, "met_p99_ms")), str(sum(r["lost"] for r in of))])
        table(["", "jobs/s", "jobs", "p50 ms", "p99 ms", "max ms", "from the answer: p50 ms", "p99 ms", "met a waiting one",
               "those: p50 ms", "p99 ms", "lost"], rows)
    bars(groups, max((parts(n)[1] for n in names), default=100))


def million(records):
    groups = grouped(records)
    turns = [n for n in groups if n.startswith("turns ")]
    for store in sorted({n.split()[1] for n in turns}):
        sizes = sorted({int(n.split()[2]) for n in turns if n.split()[1] == store})
        rows = []
        for batch in sorted({int(n.split()[3]) for n in turns if n.split()[1] == store}):
            row = [f"batch {batch}"]
            of = [groups[f"turns {store} {size} {batch}"] for size in sizes]
            for records_of in of:
                row += [number(mid(records_of, "server_cpu_us_per_job")), number(mid(records_of, "store_cpu_us_per_job")),
                        number(mid(records_of, "jobs_per_s")), number(mid(records_of, "p99_ms"))]
            cpu = same_round_ratio(of[-1], of[0], "server_cpu_us_per_job")
            wall = same_round_ratio(of[0], of[-1], "jobs_per_s")
            row += [number(cpu), number(wall), verdict(cpu <= BAR_MILLION and wall <= BAR_MILLION)]
            rows.append(row)
        head = [""]
        for size in sizes:
            head += [f"{size:,}: server µs", "PostgreSQL µs", "jobs/s", "p99 ms"]
        print(f"{store}: a claim and its completion by the number of pending jobs, per job. The bar is {BAR_MILLION} ×.\n")
        table(head + ["server CPU ratio", "time ratio", "held"], rows)
    loads = [r for r in records if r["name"].startswith("load ")]
    if loads:
        print("Filling through the API by batches of 1,000, a restart, and the first claim after it (the load of the queue).\n")
        table(["", "filled in s", "jobs/s", "RSS then MiB", "ready ms", "RSS MiB", "first claim ms", "its CPU ms", "RSS after MiB",
               "bytes per job", "start to first claim ms", "second claim ms"],
              [[f"{r['store']}, {r['pending']:,} pending", number(r["fill"]["seconds"]), number(r["fill"]["jobs_per_s"]),
                number(r["filled"]["rss_mib"]), number(r["ready"]["ready_ms"]), number(r["ready"]["rss_mib"]),
                number(r["first"]["ms"]), number(r["first"]["cpu_ms"]), number(r["first"]["rss_mib"]),
                number((r["first"]["rss_mib"] - r["ready"]["rss_mib"]) * 1048576 / r["pending"]),
                number(r["ready"]["ready_ms"] + r["first"]["ms"]), number(r["second"]["ms"])] for r in loads])


if __name__ == "__main__":
    main({"queue": queue, "million": million})
