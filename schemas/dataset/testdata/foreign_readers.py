"""Reads datasets of Sentweave with the readers that others use.

usage: foreign_readers.py DATASET...

Prints one JSON object a line for each dataset and reader: the folder, the
reader, the columns with their types, and the rows, or the error. Needs pyarrow,
duckdb and datasets; goes to no network, and leaves its caches to the caller
(HF_HOME).
"""

import json
import os
import sys

os.environ["HF_HUB_OFFLINE"] = "1"

import datasets
import duckdb
import pyarrow.dataset

datasets.disable_progress_bars()


def with_pyarrow(folder):
    table = pyarrow.dataset.dataset(os.path.join(folder, "data"), format="parquet").to_table()
    return {f.name: str(f.type) for f in table.schema}, table.to_pylist()


def with_duckdb(folder):
    # The order of the files is that of their names, and rows keep theirs.
    result = duckdb.sql(f"select * from read_parquet('{folder}/data/*.parquet')")
    names, types = result.columns, [str(t) for t in result.types]
    # To fetch a time with a zone, DuckDB wants another Python package.
    times = [f'epoch_ms("{n}")' if t == "TIMESTAMP WITH TIME ZONE" else f'"{n}"' for n, t in zip(names, types)]
    return dict(zip(names, types)), [dict(zip(names, row)) for row in result.project(", ".join(times)).fetchall()]


def with_datasets(folder):
    splits = datasets.load_dataset(folder)
    if list(splits) != ["train"]:
        raise ValueError(f"splits {list(splits)}")
    train = splits["train"]
    return {k: str(v) for k, v in train.features.items()}, list(train)


def plain(value):
    """Values as JSON has them; a number that JSON would round is a string."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(float(value))
    if hasattr(value, "timestamp"):  # milliseconds since 1970
        return str(round(value.timestamp() * 1000))
    raise TypeError(type(value))


for folder in sys.argv[1:]:
    for reader in (with_pyarrow, with_duckdb, with_datasets):
        line = {"folder": folder, "reader": reader.__name__.removeprefix("with_")}
        try:
            columns, rows = reader(folder)
            line.update(columns=columns, rows=plain(rows))
        except Exception as e:  # the caller decides which errors are right
            reasons = []
            while e is not None:
                reasons.append(f"{type(e).__name__}: {e}")
                e = e.__cause__ or e.__context__
            line["error"] = "; because of ".join(reasons)
        print(json.dumps(line))
