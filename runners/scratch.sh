#!/usr/bin/env bash
# Runs a command whose temporary files are in memory, where there is room for so many GiB, and on the disk
# otherwise: `scratch.sh GIB COMMAND…`. Much of the time of tests is that of the disk.
set -euo pipefail
wanted=$1
shift
room=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print int($4 / 1048576) }') || true # GiB
free=$(awk '$1 == "MemAvailable:" { print int($2 / 1048576) }' /proc/meminfo 2>/dev/null) || true
# Half of the memory stays for the programs.
if [ "${room:-0}" -ge "$wanted" ] && [ "${free:-0}" -ge $((2 * wanted)) ]; then
  scratch=$(mktemp -d -p /dev/shm)
else
  scratch=$(mktemp -d)
fi
trap 'chmod -R u+w "$scratch" && rm -rf "$scratch"' EXIT
TMPDIR=$scratch "$@"
