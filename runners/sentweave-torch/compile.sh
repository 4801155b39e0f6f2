#!/bin/sh
# Compiler for cgo, as cc and c++: gotch's call stubs are compiled without
# optimisation, since its own -O3 -g comes last on the line, takes four times as
# long and gains nothing: a stub only passes its arguments on.
stub=
for a; do case $a in torch_api.cpp | */torch_api.cpp) stub=1 ;; esac; done
if [ -n "$stub" ]; then
  n=$#
  while [ "$n" -gt 0 ]; do
    a=$1; shift; n=$((n - 1))
    case $a in -O[0-9s] | -g) ;; *) set -- "$@" "$a" ;; esac
  done
fi
case $0 in
*c++) exec g++ "$@" ;;
*) exec gcc "$@" ;;
esac
