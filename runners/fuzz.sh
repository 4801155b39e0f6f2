#!/usr/bin/env bash
# Runs every fuzz target of the tree for FUZZTIME each (30s), or those whose names match
# the pattern that is given, with at most FUZZMEMORY MiB (1024) of memory a process.
# It prints a line a target and fails if one did; what failed stays in its testdata/fuzz.
set -uo pipefail
cd "$(dirname "$0")/.."
pattern=${1:-.}
time=${FUZZTIME:-30s}
memory=${FUZZMEMORY:-1024}
work=.build/fuzz
mkdir -p "$work/corpus"
work=$PWD/$work
failed=0

# compile PACKAGE TAGS BINARY: with the coverage that the fuzzer is led by.
compile() {
  local run=()
  [ "$2" = libtorch ] && run=(runners/sentweave-torch/libtorch.sh run)
  "${run[@]}" go test -tags "$2" -c -fuzz=. -o "$3" "$1"
}

# fuzz BINARY FOLDER TARGET TAGS: the limit is that of what is written to; Go
# reserves far more address space than it takes.
fuzz() {
  local run=()
  [ "$4" = libtorch ] && run=("$PWD/runners/sentweave-torch/libtorch.sh" run)
  (
    cd "$2" && ulimit -d $((memory * 1024)) &&
      "${run[@]}" "$1" -test.run='^$' -test.fuzz="^$3\$" -test.fuzztime="$time" -test.fuzzminimizetime=2s -test.fuzzcachedir="$work/corpus/${2//\//-}" -test.timeout=0 ${FUZZWORKERS:+-test.parallel=$FUZZWORKERS}
  )
}

while IFS=: read -r file line; do
  folder=$(dirname "$file")
  target=$(sed -E 's/^func (Fuzz[A-Za-z0-9_]*).*/\1/' <<<"$line")
  grep -Eq "$pattern" <<<"$folder.$target" || continue
  tags=
  grep -q '^//go:build.*[^!]libtorch' "$file" && tags=libtorch
  binary=$work/${folder//\//-}${tags:+-$tags}.test
  if [ "${built:-}" != "$binary" ]; then
    compile "./$folder" "$tags" "$binary" || { printf '%-60s does not build\n' "$folder"; failed=1; continue; }
    built=$binary
  fi
  log=$work/${folder//\//-}.$target.log
  if fuzz "$binary" "$folder" "$target" "$tags" >"$log" 2>&1; then result=ok; else result="FAILED, see $log"; failed=1; fi
  execs=$(grep -Eo 'execs: [0-9]+' "$log" | tail -n 1)
  printf '%-60s %-20s %s\n' "$folder.$target" "${execs:-no execs}" "$result"
done < <(grep -rHE '^func Fuzz[A-Za-z0-9_]*\(' --include='*_test.go' pipelines runners schemas stages transforms | sort)
exit $failed
