#!/usr/bin/env python3
"""Medians of measurements as a page: report.py applies|million MACHINE RECORDS, records one JSON object a line."""
import json
import sys
from statistics import median


def number(x):
    if x is None:
        return "–"
    if abs(x) >= 100:
        return f"{x:,.0f}"
    return f"{x:.1f}" if abs(x) >= 10 else f"{x:.2f}"


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "|".join("---" if i == 0 else "---:" for i in range(len(head))) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def grouped(records):
    groups = {}
    for r in records:
        groups.setdefault(r["name"], []).append(r)
    return groups


def mid(records, field):
    values = [r[field] for r in records if r.get(field) is not None]
    return median(values) if values else None


def same_round_ratio(records, baseline, field="rps"):
    by_round = {r["round"]: r[field] for r in baseline}
    ratios = [r[field] / by_round[r["round"]] for r in records if by_round.get(r["round"])]
    return median(ratios) if ratios else None


def order(name):
    words = name.split()
    rank = {"baseline": 0, "postgres": 1, "sqlite": 2}.get(words[0], 3)
    return (rank, [int(w) if w.isdigit() else 0 for w in words], name)


def applies(records):
    groups = grouped(records)
    rows = []
    for name in sorted((n for n in groups if not n.startswith("deadlines")), key=order):
        words = name.split()
        of = groups[name]
        count = words[2] if words[0] == "baseline" else words[1]
        openings = "one opening" if count == "1" else f"{count} openings"
        if words[0] == "baseline":
            label = f"baseline ({words[1]}), {openings}"
        else:
            label = f"{words[0]}, {openings}, {words[2]} connections"
        ratio = same_round_ratio(of, groups.get(f"baseline steps {count}", []))
        errors = sum(sum(r["errors"].values()) for r in of)
        span = f"{number(min(r['rps'] for r in of))}–{number(max(r['rps'] for r in of))}"
        rows.append([label, number(mid(of, "rps")), span, number(ratio), number(mid(of, "p50_ms")),
                     number(mid(of, "p99_ms")), number(mid(of, "max_ms")), number(mid(of, "server_cpu_us_per_req")),
                     number(mid(of, "store_cpu_us_per_req")), number(mid(of, "client_cpu_us_per_req")), str(errors)])
    print("Applies, each durable when it is answered. The baseline is one locked transaction per apply on PostgreSQL, without "
          "HTTP; a ratio is the median of the rounds' own ratios to its steps.\n")
    table(["", "applies/s", "range", "× baseline", "p50 ms", "p99 ms", "max ms", "server µs", "PostgreSQL µs", "client µs",
           "errors"], rows)
    late = sorted(n for n in groups if n.startswith("deadlines"))
    if not late:
        return
    print("Deadlines that fell due while half the load ran; late is the event's time minus the deadline.\n")
    rows = []
    for name in late:
        of = groups[name]
        rows.append([name.split()[1], number(mid(of, "rate")), str(sum(r["deadlines"] for r in of)),
                     number(mid(of, "late_p50_ms")), number(mid(of, "late_p99_ms")),
                     number(max(r["late_max_ms"] for r in of)), str(sum(r["early"] for r in of)),
                     str(sum(r["unmatched"] for r in of)), number(median(r["traffic"]["p99_ms"] for r in of))])
    table(["", "applies/s beside", "deadlines", "late p50 ms", "late p99 ms", "late max ms", "early", "unmatched",
           "apply p99 ms"], rows)


def million(records):
    groups = grouped(records)
    operations = ["apply", "withdraw_middle", "withdraw_slot", "acknowledge"]
    mixes = [n for n in groups if n.startswith("mix ")]
    for store in sorted({n.split()[1] for n in mixes}):
        sizes = sorted({int(n.split()[2]) for n in mixes if n.split()[1] == store})
        print(f"{store}: server CPU µs per request (and PostgreSQL's) by length of the waitlist.\n")
        rows = []
        for operation in operations:
            row = [operation.replace("_", " ")]
            cost = {}
            for size in sizes:
                of = [dict(r[operation], round=r["round"]) for r in groups[f"mix {store} {size}"]]
                cost[size] = of
                row += [number(mid(of, "server_cpu_us_per_req")), number(mid(of, "store_cpu_us_per_req")),
                        number(mid(of, "rps")), number(mid(of, "p99_ms"))]
            row.append(number(same_round_ratio(cost[sizes[-1]], cost[sizes[0]], "server_cpu_us_per_req")))
            rows.append(row)
        head = [""]
        for size in sizes:
            head += [f"{size:,}: server µs", "PostgreSQL µs", "req/s", "p99 ms"]
        table(head + ["server CPU ratio"], rows)
    loads = [r for r in records if r["name"].startswith("load ")]
    if loads:
        print("Start and first request after it (the load of the opening).\n")
        table(["", "seed events/s", "ready ms", "RSS MiB", "first apply ms", "its CPU ms", "RSS after MiB", "second apply ms"],
              [[f"{r['store']}, {r['waiting']:,} waiting", number(r["seed"]["events_per_s"]), number(r["ready"]["ready_ms"]),
                number(r["ready"]["rss_mib"]), number(r["first"]["ms"]), number(r["first"]["cpu_ms"]),
                number(r["first"]["rss_mib"]), number(r["second"]["ms"])] for r in loads])
    idle = [r for r in records if r["name"].startswith("idle ")]
    if idle:
        print("Openings at rest.\n")
        table(["", "ready ms", "RSS at ready MiB", "RSS after 5 s MiB", "first look at one, ms"],
              [[f"{r['store']}, {r['openings']:,} openings", number(r["ready"]["ready_ms"]), number(r["ready"]["rss_mib"]),
                number(r["later"]["rss_mib"]), number(r["look"]["ms"])] for r in idle])


def main(pages):
    """`pages`: by the name that is the first argument, what prints the records."""
    kind, machine, file = sys.argv[1:4]
    with open(file, encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    with open(machine, encoding="utf-8") as lines:
        print(lines.read())
    pages[kind](records)


if __name__ == "__main__":
    main({"applies": applies, "million": million})
