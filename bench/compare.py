"""The page of bench/compare: CPU per request of two builds, and of one build against itself."""

import json
import statistics
import sys


def cost(record):
    """Server and store, in microseconds per request or job."""
    names = [n for n in record if n.startswith(("server_cpu_us", "store_cpu_us"))]
    assert len(names) == 2, names
    return sum(record[n] for n in names)


def main():
    cases = {}
    with open(sys.argv[1], encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            case, build = record["name"].split("|")
            cases.setdefault(case, {}).setdefault(build, []).append(cost(record))
    print("| case | before µs | again µs | after µs | after ÷ before | again ÷ before | itself, lowest–highest |")
    print("|---|---|---|---|---|---|---|")
    for case, builds in cases.items():
        before, again, after = builds["before"], builds["again"], builds["after"]
        both = [statistics.mean(pair) for pair in zip(before, again, strict=True)]
        ratio = statistics.median(a / b for a, b in zip(after, both, strict=True))
        itself = [a / b for a, b in zip(again, before, strict=True)]
        print(f"| {case} | {statistics.median(before):.1f} | {statistics.median(again):.1f} |"
              f" {statistics.median(after):.1f} | {ratio:.3f} | {statistics.median(itself):.3f} |"
              f" {min(itself):.3f}–{max(itself):.3f} |")


main()
