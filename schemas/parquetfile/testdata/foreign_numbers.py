"""Writes numbers of every logical type as pyarrow and DuckDB do, and numbers.json: by file what a
reader must give, or null where the column holds no numbers."""

import datetime
import decimal
import json
import os
import sys

import duckdb
import numpy
import pyarrow
import pyarrow.parquet

folder = sys.argv[1]
want = {}


def arrow(name, values, kind, numbers, **options):
    table = pyarrow.table({"score": pyarrow.array(values, kind)})
    pyarrow.parquet.write_table(table, os.path.join(folder, name + ".parquet"), **options)
    want[name] = numbers


def duck(name, expression, numbers):
    path = os.path.join(folder, name + ".parquet")
    duckdb.execute(f"copy (select {expression} as score from range(3) t(i)) to '{path}' (format parquet)")
    want[name] = numbers


texts = ["0.75", "-12.33", "99.01"]
exact = [float(x) for x in texts]
for precision in (4, 9, 18, 30, 38, 50, 76):
    kind = pyarrow.decimal128(precision, 2) if precision <= 38 else pyarrow.decimal256(precision, 2)
    values = [decimal.Decimal(x) for x in texts]
    arrow(f"decimal{precision}", values, kind, exact)
    if precision <= 18:
        arrow(f"decimal{precision}-integer", values, kind, exact, store_decimal_as_integer=True)
arrow("scale9", [decimal.Decimal("0.123456789")], pyarrow.decimal128(20, 9), [0.123456789])
for bits in (8, 16, 32, 64):
    top = 2**bits - 1
    arrow(f"uint{bits}", [top, 0, 3], getattr(pyarrow, f"uint{bits}")(), [float(top), 0, 3])
    arrow(f"uint{bits}-v1", [top, 0, 3], getattr(pyarrow, f"uint{bits}")(), [float(top), 0, 3], version="1.0")
    least = -(2 ** (bits - 1))
    arrow(f"int{bits}", [least, -1, 3], getattr(pyarrow, f"int{bits}")(), [float(least), -1, 3])
halves = numpy.array([0, 1.5, -2.25, 65504, 6e-8, 0.1], numpy.float16)
arrow("float16", halves, pyarrow.float16(), [float(x) for x in halves])
arrow("float32", [0.5, -1.25], pyarrow.float32(), [0.5, -1.25])
arrow("float64", [0.1, 1e300], pyarrow.float64(), [0.1, 1e300])
arrow("date", [datetime.date(2020, 1, 1)], pyarrow.date32(), None)
arrow("timestamp", [datetime.datetime(2020, 1, 1)], pyarrow.timestamp("us"), None)
arrow("timestamp-int96", [datetime.datetime(2020, 1, 1)], pyarrow.timestamp("ns"), None, use_deprecated_int96_timestamps=True)
arrow("time32", [datetime.time(1, 2, 3)], pyarrow.time32("ms"), None)
arrow("time64", [datetime.time(1, 2, 3)], pyarrow.time64("us"), None)
arrow("duration", [datetime.timedelta(1)], pyarrow.duration("us"), [86400e6])  # which Parquet keeps as an integer
arrow("bool", [True, False], pyarrow.bool_(), None)
arrow("bytes", [b"abcd"], pyarrow.binary(4), None)
duck("duckdb-literal", ".75", [0.75] * 3)
duck("duckdb-sum", ".75 + i * .5", [0.75, 1.25, 1.75])
duck("duckdb-decimal38", "(.75 + i)::decimal(38, 10)", [0.75, 1.75, 2.75])
duck("duckdb-hugeint", "i::hugeint", [0, 1, 2])
duck("duckdb-uint32", "(4294967295 - i)::uinteger", [4294967295, 4294967294, 4294967293])
duck("duckdb-uint64", "18446744073709551615::ubigint", [18446744073709551615.0] * 3)
duck("duckdb-date", "date '2020-01-01'", None)
duck("duckdb-time", "time '10:00'", None)
duck("duckdb-timestamp", "timestamp '2020-01-01 10:00'", None)
duck("duckdb-interval", "interval 1 day", None)
duck("duckdb-bool", "true", None)
duck("duckdb-uuid", "'c0ffee00-0000-4000-8000-000000000000'::uuid", None)
with open(os.path.join(folder, "numbers.json"), "w") as file:
    json.dump(want, file)
