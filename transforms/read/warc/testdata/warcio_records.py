"""Prints the records of WARC files as warcio reads them, one JSON value a line."""

import hashlib
import json
import sys

from warcio.archiveiterator import ArchiveIterator

for name in sys.argv[1:]:
    with open(name, "rb") as file:
        records = ArchiveIterator(file)
        for record in records:
            get = record.rec_headers.get_header
            http = record.http_headers
            content = record.content_stream().read()
            print(json.dumps({
                "file": name,
                "offset": records.get_record_offset(),
                "type": record.rec_type,
                "uri": get("WARC-Target-URI") or "",
                "date": get("WARC-Date"),
                "length": int(get("Content-Length")),
                "status": http.get_statuscode() if http and record.rec_type == "response" else "",
                "media": (http.get_header("Content-Type") or "").split(";")[0] if http else "",
                "sha1": hashlib.sha1(content).hexdigest(),
            }))
