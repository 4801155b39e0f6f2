#!/usr/bin/env bash
# Builds stamped programs for Linux and macOS into .build/release: `make release`. RELEASE
# names the release; without one the tag of the commit does, and a commit without a tag
# gives programs that say that they are unreleased. What is not of this machine is
# cross-built: it is compiled, and nothing of it is run. The program with libtorch finds
# its libraries as sentweave starts it, by `sentweave doctor --install libtorch`.
set -euo pipefail
cd "$(dirname "$0")/.."
release=${RELEASE:-$(git describe --tags --exact-match 2>/dev/null || true)}
release=${release#v} # the programs and CHANGELOG.md say 0.1.0, the tag v0.1.0
stamp="-X sentweave/runners/command.release=$release -X sentweave/runners/command.commit=$(git rev-parse HEAD)"
here=$(go env GOHOSTOS)-$(go env GOHOSTARCH)
rm -rf .build/release
mkdir -p .build/release
for target in linux-amd64 linux-arm64 darwin-amd64 darwin-arm64; do
  how="cross-built, not run here"
  [ "$target" != "$here" ] || how="of this machine"
  GOOS=${target%-*} GOARCH=${target#*-} runners/told.sh "compiling sentweave ${release:-(unreleased)} for $target ($how)" "" "" \
    go build -ldflags="-s -w $stamp" -o ".build/release/sentweave-$target" ./runners/sentweave
done
if [ "$here" = linux-amd64 ]; then
  runners/told.sh "compiling sentweave-torch ${release:-(unreleased)} for linux-amd64: about 3 minutes the first time" "" "" \
    runners/sentweave-torch/libtorch.sh run go build -tags libtorch -ldflags="-s -w $stamp" -o .build/release/sentweave-torch-linux-amd64 ./runners/sentweave-torch
else
  echo "left out: sentweave-torch for linux-amd64, which needs such a machine"
fi
cd .build/release
sha256sum sentweave-* >SHA256SUMS
ls -l
