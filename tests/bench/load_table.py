#!/usr/bin/env python3
"""Measure loading and print (or put into a README) the table of it.

  load_table.py --bench build/release/bin/bench_load [--work DIR] [--rounds N]
                [--layouts FILE] [--update README.md] FILE.json…

Each FILE is a plain Kineto trace. It is measured as it is, gzipped and with zstd; --layouts names
one that is also written anew with other line breaks. Compressed and rewritten copies go to DIR and
are kept there. Loads and RapidJSON's walk run in the same process, one after the other; of N rounds
each side's shortest time counts, for what else the machine does only adds to it. The walks are the
ones whose handler takes every value: of the file, in pieces, as a load must read it; the same with
every number exact and every text checked, as a load must, too; and of the text
already in memory; in brackets against an empty handler, for which the compiler leaves the
conversion of numbers out. The load is stopped at 20 moments, too, for the longest FILE.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile

BEGIN, END = "<!-- load table -->", "<!-- end of load table -->"


def rewritten(path, folder):
    """The same events in four layouts: name -> file."""
    stem = os.path.join(folder, os.path.basename(path))
    shapes = {
        "indented by 2": lambda data: json.dumps(data, indent=2),
        "indented by 4": lambda data: json.dumps(data, indent=4),
        "one event a line": None,
        "one line": lambda data: json.dumps(data),
    }
    files = {name: stem + "." + name.replace(" ", "_") for name in shapes}
    missing = [name for name in shapes if not os.path.exists(files[name])]
    if missing:
        with open(path, encoding="utf-8", errors="replace") as file:
            data = json.load(file)
        for name in missing:
            with open(files[name] + ".part", "w", encoding="utf-8") as file:
                if shapes[name]:
                    file.write(shapes[name](data))
                else:
                    rest = {k: v for k, v in data.items() if k != "traceEvents"}
                    lines = ",\n".join(json.dumps(e) for e in data["traceEvents"])
                    file.write(json.dumps(rest)[:-1] + ', "traceEvents": [\n' + lines + "\n]}\n")
            os.rename(files[name] + ".part", files[name])
    return files


def compressed(path, folder, suffix, command):
    to = os.path.join(folder, os.path.basename(path) + suffix)
    if not os.path.exists(to):
        with open(to + ".part", "wb") as out:
            subprocess.run(command + [path], stdout=out, check=True)
        os.rename(to + ".part", to)
    return to


def measure(bench, path, rounds, *options):
    """The rounds' best: each side's shortest time."""
    best = None
    for _ in range(rounds):
        run = subprocess.run([bench, path, "--json", "--repeat", "3", *options],
                             capture_output=True, text=True, check=True)
        figures = json.loads(run.stdout)
        if best is None:
            best = figures
        for key in ("load_s", "rapidjson_s", "rapidjson_empty_s",
                    "rapidjson_file_s", "rapidjson_exact_s", "first_args_s", "peak_bytes"):
            if best[key] is not None and figures[key] is not None:
                best[key] = min(best[key], figures[key])
    return best


def line(name, figures, against=None):
    events = figures["events"]
    beyond = (figures["peak_bytes"] - 100 * 2**20) / events
    ratio = ""
    if figures["rapidjson_s"]:
        ratio = (f"{figures['load_s'] / figures['rapidjson_s']:.2f} "
                 f"({figures['load_s'] / figures['rapidjson_empty_s']:.2f})")
    of_file = " | "
    if figures["rapidjson_file_s"]:
        of_file = (f"{figures['load_s'] / figures['rapidjson_file_s']:.2f} | "
                   f"{figures['load_s'] / figures['rapidjson_exact_s']:.2f}")
    plain = "" if against is None else f"{figures['load_s'] / against:.2f}"
    return (f"| {name} | {figures['file_bytes'] / 1e6:.0f} MB | {events / 1e6:.2f} M | "
            f"{figures['load_s']:.3f} s | "
            f"{figures['text_bytes'] / figures['load_s'] / 1e6:.0f} | {of_file} | {ratio} | {plain} | "
            f"{figures['peak_bytes'] / 2**20:.0f} MiB | {beyond:.0f} | "
            f"{figures['first_args_s'] * 1e3:.1f} ms |")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--work")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--layouts")
    parser.add_argument("--update")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    folder = args.work or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    rows = ["| file | size | events | load | MB/s of text | of RapidJSON's walk of the file | "
            "of its exact walk | of its walk in memory | of our plain load | peak | "
            "bytes an event beyond 100 MiB | first args |",
            "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for path in sorted(args.files, key=os.path.getsize):
        size = f"{os.path.getsize(path) / 1e6:.0f} MB"
        plain = measure(args.bench, path, args.rounds)
        rows.append(line(f"{size} plain", plain))
        for name, suffix, command in (("gzip", ".gz", ["gzip", "-c", "-6"]),
                                      ("zstd", ".zst", ["zstd", "-c", "-q", "-3"])):
            if not shutil.which(command[0]):
                continue
            copy = compressed(path, folder, suffix, command)
            again = measure(args.bench, path, 1, "--load-only")["load_s"]
            figures = measure(args.bench, copy, args.rounds, "--load-only")
            rows.append(line(f"{size} {name}", figures, min(plain["load_s"], again)))
    if args.layouts:
        for name, path in rewritten(args.layouts, folder).items():
            rows.append(line(name, measure(args.bench, path, args.rounds)))
    stopped = subprocess.run([args.bench, max(args.files, key=os.path.getsize), "--cancel"],
                             capture_output=True, text=True, check=True).stdout.strip()
    load = os.getloadavg()[0]
    text = "\n".join(rows + ["", f"Cancel: {stopped}.", "",
                             f"{os.cpu_count()} cores; load average at the end {load:.1f}."])
    print(text)
    if args.update:
        with open(args.update, encoding="utf-8") as file:
            old = file.read()
        new = re.sub(re.escape(BEGIN) + ".*?" + re.escape(END),
                     lambda _: f"{BEGIN}\n{text}\n{END}", old, flags=re.S)
        with open(args.update, "w", encoding="utf-8") as file:
            file.write(new)


if __name__ == "__main__":
    main()
