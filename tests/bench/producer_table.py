#!/usr/bin/env python3
"""Makes the table "producers x files" from `ridgeline-cli info --json`, one process a file.

usage: producer_table.py [--cli PATH] [--out FILE.md] [--timeout S] FOLDER...

Every file below the folders is opened; nothing is left out. A file that is refused has its
sentence in the table. The exit code is 1 if a balance does not hold, a process dies or hangs.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

COLUMNS = ("file", "format", "producer", "read", "slices", "instants", "counters", "links",
           "metadata", "dropped", "repaired", "balance", "ranks", "devices", "steps", "s")
COUNTS = ("slices", "instants", "counters", "links", "metadata", "dropped")


def files_below(folder: pathlib.Path) -> list[pathlib.Path]:
    if folder.is_file():
        return [folder]
    return sorted(p for p in folder.rglob("*")
                  if p.is_file() and p.suffix not in (".md", ".txt", ".csv"))


def counted(number: int) -> str:
    return f"{number:,}" if number else "–"


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def opened_row(name: str, info: dict, seconds: float) -> tuple[list[str], bool]:
    trace = info["trace"]
    log = trace["import_log"]
    balanced = log["read"] == sum(log[key] for key in COUNTS)
    form = trace["format"]
    if trace["compression"] not in ("", "none"):
        form += ", " + trace["compression"]
    devices = [f'{d["device"]}×{d["streams"]}' for d in trace["devices"]]
    shown = " ".join(devices[:6]) + (" …" if len(devices) > 6 else "")
    ranks = trace["ranks"]
    return ([name, form, trace["producer"], counted(log["read"])]
            + [counted(log[key]) for key in COUNTS]
            + [counted(log["repaired"]), "yes" if balanced else "**NO**",
               str(len(ranks)) if len(ranks) > 1 else str(ranks[0]),
               shown or "–", str(trace["steps"]["count"]), f"{seconds:.2f}"], balanced)


def row_of(cli: str, path: pathlib.Path, name: str, timeout: float) -> tuple[list[str], bool]:
    begin = time.monotonic()
    try:
        done = subprocess.run([cli, "info", "--json", str(path)], capture_output=True,
                              timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return [name, f"**no answer within {timeout:.0f} s**"] + [""] * (len(COLUMNS) - 2), False
    seconds = time.monotonic() - begin
    if done.returncode < 0:
        return [name, f"**died of signal {-done.returncode}**"] + [""] * (len(COLUMNS) - 2), False
    if done.stdout:
        return opened_row(name, json.loads(done.stdout), seconds)
    message = done.stderr.decode("utf-8", "replace").replace(str(path), path.name)
    sentence = "refused: " + message.strip().removeprefix(path.name).strip(" :")
    return ([name, sentence] + [""] * (len(COLUMNS) - 3) + [f"{seconds:.2f}"], bool(message))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", default="build/release/bin/ridgeline-cli")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    root = pathlib.Path(os.path.commonpath([f.resolve() for f in options.folders]))
    if root.is_file() or len(options.folders) == 1:
        root = root.parent
    rows, bad = [], 0
    for folder in options.folders:
        for path in files_below(folder.resolve()):
            row, good = row_of(options.cli, path, str(path.relative_to(root)), options.timeout)
            rows.append(row)
            bad += not good
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(cell(text) for text in row) + " |" for row in rows]
    opened = sum(row[11] != "" for row in rows)
    lines += ["", f"{len(rows)} files: {opened} opened, {len(rows) - opened} refused with a "
                  f"sentence, {bad} out of balance or without an answer."]
    text = "\n".join(lines) + "\n"
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
