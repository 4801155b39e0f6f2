"""Prints the seconds that warcio takes to read the pages of a WARC file so many times."""

import sys
import time

from warcio.archiveiterator import ArchiveIterator

name, times = sys.argv[1], int(sys.argv[2])
started = time.process_time()
for _ in range(times):
    with open(name, "rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type == "response":
                record.content_stream().read()
print(time.process_time() - started)
