"""Recounts the datasets of a recipe with programs that know nothing of ours.

Argument: the folder of the recipe's output. For every dataset below it, the
rows as pyarrow, DuckDB and Hugging Face datasets count them must be those of
the manifest, and what the funnel lets through must be what lies in the files.
Prints one line a dataset; exits with 1 and says why if anything differs.
"""
import json
import os
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_DATASETS_CACHE"] = tempfile.mkdtemp()

import datasets
import duckdb
import pyarrow.dataset

datasets.disable_progress_bars()
faults = []


def check(name, what, got, want):
    if got != want:
        faults.append(f"{name}: {what} is {got}, the manifest says {want}")


def out(manifest, items):
    for chain in manifest["funnel"]["chains"]:
        if chain["items"] == items:
            languages = chain["steps"][-1]["languages"]
            return {language: count["out"] for language, count in languages.items() if count["out"]}
    raise SystemExit(f"there is no chain of {items}")


def balance(name, manifest):
    for chain in manifest["funnel"]["chains"]:
        previous = None
        for step in chain["steps"]:
            for language, count in step["languages"].items():
                dropped = sum(count.get("dropped", {}).values())
                check(name, f"{chain['items']} {step['name']} {language}: in", count["out"] + dropped, count["in"])
                if previous is not None:
                    check(name, f"{chain['items']} {step['name']} {language}: in", previous.get(language, {"out": 0})["out"], count["in"])
            previous = step["languages"]


def recount(files, query):
    return dict(duckdb.sql(query.format(files=f"read_parquet('{files}')")).fetchall())


# How the last step of a chain is counted in the files.
pair = "case when language_b is null or language_a = language_b then language_a else least(language_a, language_b) || '-' || greatest(language_a, language_b) end"
counts = {
    "document": [("documents", "select language, count(*) from {files} group by 1")],
    "wordcount": [("wordcounts", "select language, count(*) from {files} group by 1")],
    "pair": [("pairs", f"select {pair}, count(*) from {{files}} group by 1")],
    "example": [("examples", f"select {pair}, count(*) from {{files}} group by 1")],
}

for name in sorted(os.listdir(sys.argv[1])):
    folder = os.path.join(sys.argv[1], name)
    if not os.path.exists(os.path.join(folder, "manifest.json")):
        continue
    manifest = json.load(open(os.path.join(folder, "manifest.json"), encoding="utf-8"))
    files = os.path.join(folder, "data", "*.parquet")
    rows = manifest["rows"]
    check(name, "pyarrow's count", pyarrow.dataset.dataset(os.path.join(folder, "data")).count_rows(), rows)
    check(name, "DuckDB's count", duckdb.sql(f"select count(*) from '{files}'").fetchone()[0], rows)
    loaded = datasets.load_dataset(folder)
    check(name, "the list of splits", list(loaded), ["train"])
    check(name, "Hugging Face's count", loaded["train"].num_rows, rows)
    balance(name, manifest)
    for items, query in counts[manifest["plan"]["schema"]]:
        check(name, f"the recount of {items}", recount(files, query), out(manifest, items))
    if manifest["plan"]["pipeline"] == "corpus":
        # Sentences count under the language of their document.
        query = "select language, sum(len(sentences))::bigint from {files} group by 1"
        check(name, "the recount of sentences", recount(files, query), out(manifest, "sentences"))
    print(f"{name}: {rows} rows")

if faults:
    raise SystemExit("\n".join(faults))
