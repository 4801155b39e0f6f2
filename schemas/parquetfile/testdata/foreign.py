"""Writes Parquet as pyarrow and DuckDB do, in many forms, into a folder; and what they
read of the columns of texts and numbers, as rows.json beside."""

import datetime
import itertools
import json
import os
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

folder = sys.argv[1]
n = 3000
table = pa.table({
    "few": [None if i % 7 == 0 else "text %d" % (i % 50) for i in range(n)],
    "text": ["u%d" % (i * 7919 % 10007) for i in range(n)],
    "number": pa.array(range(n), pa.int32()),
    "list": [None if i % 11 == 0 else ["a%d" % j for j in range(i % 5)] for i in range(n)],
    "lists": [[[j] * (j % 3) for j in range(i % 4)] for i in range(n)],
    "struct": [{"a": i, "b": None if i % 3 else "x"} for i in range(n)],
    "double": [i / 3 for i in range(n)],
    "truth": [i % 2 == 0 for i in range(n)],
    "null": pa.nulls(n),
    "time": [datetime.datetime(2020, 1, 1) + datetime.timedelta(seconds=i) for i in range(n)],
    "bytes": [bytes([i % 256]) * (i % 9) for i in range(n)],
    "map": pa.array([[("k", i)] for i in range(n)], pa.map_(pa.string(), pa.int64())),
    "fixed": pa.array([b"abcd"] * n, pa.binary(4)),
})
for codec, version, dictionary, rows in itertools.product(
        ["none", "snappy", "gzip", "zstd", "brotli", "lz4"], ["1.0", "2.0"], [True, False], [n, 700]):
    pq.write_table(table, os.path.join(folder, f"arrow-{codec}-{version}-{dictionary}-{rows}.parquet"), compression=codec, data_page_version=version,
                   use_dictionary=dictionary, row_group_size=rows, write_page_checksum=True, data_page_size=5000, write_page_index=True)
pq.write_table(table, os.path.join(folder, "arrow-encodings.parquet"), use_dictionary=False, data_page_version="2.0", column_encoding={
    "few": "DELTA_BYTE_ARRAY", "text": "DELTA_LENGTH_BYTE_ARRAY", "number": "DELTA_BINARY_PACKED", "double": "BYTE_STREAM_SPLIT",
    "truth": "RLE", "fixed": "DELTA_BYTE_ARRAY"})
pq.write_table(table.slice(0, 0), os.path.join(folder, "empty.parquet"))
tbl = table
for version, codec in itertools.product(["v1", "v2"], ["snappy", "zstd", "lz4_raw", "uncompressed"]):
    duckdb.sql(f"copy (select * from tbl) to '{folder}/duckdb-{version}-{codec}.parquet' (format parquet, parquet_version {version}, compression {codec})")
with open(os.path.join(folder, "rows.json"), "w") as f:
    json.dump([table[name].to_pylist() for name in ("few", "text", "number")], f)
