#!/usr/bin/env bash
# Trains an encoder of pages that are translations of each other, and prints how many translations it finds on pages that
# it has not seen, and the hash of its weights. A second run on the same machine prints the same two lines.
#   runners/ten-minutes.sh [cpu|cuda [FOLDER]]
# With a GPU that is BERT base on LibreOffice's help in eight languages, and without one a small encoder on the Debian
# handbook in four. Pages and programs come by package name. Steps are counted and not timed: a number of seconds would
# give other weights each time. FOLDER is where the steps stand, which are made anew each time.
set -euo pipefail
cd "$(dirname "$0")/.."
device=${1:-$(nvidia-smi -L >/dev/null 2>&1 && echo cuda || echo cpu)}
folder=${2:-.build/ten-minutes}
case $device in
  cuda) pages=libreoffice layout='{language}/text/{page}.html'
    settings=(--set size=base --set vocabulary-size=60000 --set encoder.steps=1000,1200 --set encoder.precision=bfloat16 --set bag.steps=2000) ;;
  cpu) pages=handbook layout='{language}/{page}.html' settings=(--set languages=eng,spa,fra,deu) ;;
  *) echo "ten-minutes: $device is not a device: cpu or cuda" >&2; exit 2 ;;
esac
[ ! -e "$folder" ] || [ -e "$folder/run.json" ] || { echo "ten-minutes: $folder holds something else: name another folder" >&2; exit 2; }
make -s torch
runners/fetch.sh $pages langid
rm -rf "$folder"
begun=$SECONDS
.build/sentweave run pages-encoder --out "$folder" --set input=".build/$pages" --set layout="$layout" --set langid=.build/lid.176.ftz \
  --set device="$device" "${settings[@]}"
machine=$([ "$device" = cuda ] && nvidia-smi -L | sed 's/ (UUID.*//' || sed -n 's/^model name.*: //p' /proc/cpuinfo | uniq)
printf '\n%s: %d s of data, training and evaluation\n' "$machine" $((SECONDS - begun))
sed -n '/"retrieval"/,/}/s/.*"encoder": \(.*[0-9]\).*/translations found: \1/p' "$folder/report/summary.json"
sha256sum "$folder/encoder/model.safetensors"
