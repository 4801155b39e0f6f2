#!/usr/bin/env bash
# Runs the fast tests, with the flags for `go test` that are given: `make test-short`.
# They run in memory, where there is room: much of their time is that of the disk. Twice
# as many programs run as there are cores, since some wait, and garbage is collected at
# four times what is in use, not at twice, which takes a seventh off.
set -euo pipefail
cd "$(dirname "$0")/.."
room=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print int($4 / 1048576) }') || true # GiB
if [ "${room:-0}" -ge 4 ]; then scratch=$(mktemp -d -p /dev/shm); else scratch=$(mktemp -d); fi
trap 'chmod -R u+w "$scratch" && rm -rf "$scratch"' EXIT
echo "go test -short ./..."
TMPDIR=$scratch GOGC=300 go test -short "$@" -p $((2 * $(getconf _NPROCESSORS_ONLN))) ./...
