#!/usr/bin/env bash
# Says what a long command does, how large it is, how far it is and how long it takes:
#   told.sh WHAT MEGABYTES FOLDER COMMAND…
# The folder is the one that the command fills; MEGABYTES and FOLDER may be empty. On a
# terminal a line changes every second, elsewhere there is one every 20 seconds. Scripts
# may source this file and call told with a function as the command.
told() {
  local what=$1 size=$2 folder=$3 status=0 begin=$SECONDS watcher told_pid=$BASHPID
  shift 3
  printf '%s%s\n' "$what" "${size:+, $size MB}" >&2
  (
    trap - EXIT
    line= pause=20
    [ -t 2 ] && pause=1
    while sleep 1 && kill -0 "$told_pid" 2>/dev/null; do
      passed=$((SECONDS - begin))
      [ $((passed % pause)) -eq 0 ] || continue
      line="  $passed s"
      if [ -n "$folder" ] && [ -n "$size" ]; then
        there=$(du -sk "$folder" 2>/dev/null | awk '{ printf "%d", $1 * 1024 / 1000000 }')
        there=${there:-0}
        [ "$there" -le "$size" ] || there=$size # what was fetched is unpacked
        line="  $there of $size MB, $((100 * there / size)) %, $passed s"
        [ "$there" -gt 0 ] && line="$line, about $((passed * (size - there) / there)) s left"
      fi
      if [ "$pause" -eq 1 ]; then printf '\r\033[K%s' "$line" >&2; else printf '%s\n' "$line" >&2; fi
    done
  ) &
  watcher=$!
  ("$@") || status=$? # an exit of the command is not that of the caller
  kill "$watcher" 2>/dev/null || true
  wait "$watcher" 2>/dev/null || true
  [ -t 2 ] && printf '\r\033[K' >&2
  [ "$status" -eq 0 ] && printf '  done in %s s\n' $((SECONDS - begin)) >&2
  return "$status"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  set -euo pipefail
  told "$@"
fi
