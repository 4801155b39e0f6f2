#!/usr/bin/env bash
# Runs pip on a set of wheels that are pinned here, by version and hash:
#   pip.sh PYTHON download SET --dest FOLDER
#   pip.sh PYTHON install SET [OPTION…]
# Sets are the files *.txt; `make wheels` writes them, see lock.py. Source
# distributions are never taken.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=$1 command=$2 set=$here/$3.txt
shift 3

fail() { printf 'wheels: %s\n' "$*" >&2; exit 1; }

[ -f "$set" ] || fail "$set is not one of the pinned sets"
"$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' ||
  fail "$("$python" --version 2>&1 || echo "$python"): wheels are pinned for Python 3.11 to 3.14; put one of these first on PATH as python3"
exec "$python" -m pip "$command" --quiet --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes --requirement "$set" "$@"
