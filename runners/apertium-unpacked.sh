#!/usr/bin/env bash
# Apertium from the folder that this script was put in by fetch.sh, as bin/apertium,
# wherever that is now and whatever this system has installed. Its modes name their
# files by absolute paths: they are written again when the folder has moved.
set -eu
here=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
data=$here/share/apertium
if [ "$(cat "$data/modes/folder" 2>/dev/null)" != "$data" ]; then
  quoted=$(printf '%s' "$data" | sed 's/[&|\\]/\\&/g')
  for mode in "$data"/modes/*.mode; do
    sed "s|'[^']*/share/apertium/|'$quoted/|g" "$mode" >"$mode.$$"
    mv "$mode.$$" "$mode"
  done
  printf '%s' "$data" >"$data/modes/folder.$$"
  mv "$data/modes/folder.$$" "$data/modes/folder"
fi
libraries=$(printf '%s:' "$here"/lib/*-linux-gnu*)
export APERTIUM_PATH="$here/bin" APERTIUM_DATADIR="$data" PATH="$here/bin:$PATH" LD_LIBRARY_PATH="${libraries%:}"
exec bash "$here/libexec/apertium" "$@"
