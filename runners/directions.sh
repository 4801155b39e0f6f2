#!/usr/bin/env bash
# Measures whether signs that the papers tell of show at the scale of two cores: trains each
# side of a direction with several seeds, measures all sides on the same texts, and compares
# them on a page by draws of the same items (runners/docs/evaluation.md, "The page").
#   runners/directions.sh OUT [DIRECTION…]
# Without names it takes all directions, which are hours. SEEDS=5 is how many seeds a side has,
# THREADS=2 how many threads libtorch has. ENCODER=.build/minilm is the encoder whose vectors br, lens,
# meaning and pcr begin with; where it is given, bsl, inference, retrieval and schedules begin with it instead of a new
# one, and SETTINGS='encoder.steps=100 …' are settings of their recipes. With other ones, take another OUT.
# What is there already is not made again. `make directions` fetches and builds what it needs.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ $# -gt 0 && $1 != -* ]] || { sed -n 's/^# \{0,1\}//; 2,9p' "$0" >&2; exit 2; }
out=$1
shift
sentweave=${SENTWEAVE:-.build/sentweave}
export SENTWEAVE_APERTIUM=${SENTWEAVE_APERTIUM-$PWD/.build/apertium/apertium}
data=${SENTWEAVE_SHARED:-../shared}/data # what no package carries: "Test data" in CONTRIBUTING.md
[ -d "$data" ] || { printf 'directions: %s is absent: "Test data" in CONTRIBUTING.md says what belongs there; SENTWEAVE_SHARED names the folder above data\n' "$data" >&2; exit 1; }
all=(apart br bsl inference lens maincontent meaning mined pcr retrieval schedules similarity teacher)

# Artetxe and Schwenk 2019, section 4.2: sentences of two languages are mined by their margin. The handbook is taken apart: the
# sentences of every sixth page and their translations, up to PAIRS=400 of a language, lie among twice as many whose translations
# are left out, and the threshold is the best one for those of other pages. The demo has learned from four languages;
# character 3-grams have learned nothing.
apart() {
  local work=$out/apart/work bitext=$out/apart/bitext part
  if [ ! -d "$bitext" ]; then
    for part in 0 1,2 3 4,5; do
      "$sentweave" corpus --input=.build/handbook --layout='{language}/{page}.html' --langid=.build/lid.176.ftz \
        --pages-modulus=6 --pages-ranks="$part" --out="$work/pages-$part"
      "$sentweave" pairs --kind=parallel --sentences --pivot=eng --documents="$work/pages-$part" --out="$work/pairs-$part"
      "$sentweave" export "$work/pairs-$part" --overwrite --out="$work/pairs-$part.jsonl"
    done
    mkdir -p "$bitext.tmp/bucc"
    python3 -c 'import collections, hashlib, json, sys
parts, count, texts = collections.defaultdict(list), int(sys.argv[3]), collections.Counter()
for part in "0", "1,2", "3", "4,5":
    for pair in map(json.loads, open(f"{sys.argv[1]}/pairs-{part}.jsonl", encoding="utf-8")):
        sides = {pair["language_" + side]: pair["text_" + side] for side in "ab"}
        english = sides.pop("eng")
        (language, text), = sides.items()
        texts.update({(language, english), (language, text)})
        parts[language, part].append((hashlib.sha256(english.encode()).digest(), text, english))
for language in sorted({language for language, _ in parts}):
    true, sources, tuning, targets = (sorted(p for p in parts[language, part] if texts[language, p[1]] == texts[language, p[2]] == 1)
                                      for part in ("0", "1,2", "3", "4,5"))
    if len(true) < 50:
        print(f"{language} has {len(true)} pairs on the pages to mine, and is left out", file=sys.stderr)
        continue
    for name, pairs in ("training", tuning[:count]), ("test", true[:count]):
        stem = f"{sys.argv[2]}/bucc/{language}-eng.{name}."
        mixed = [sorted(p[side] for p in pairs + others[:2 * len(pairs)]) for side, others in ((1, sources), (2, targets))]
        for code, lines in zip((language, "eng"), mixed):
            open(stem + code, "w", encoding="utf-8").writelines(f"{i}\t{line}\n" for i, line in enumerate(lines))
        open(stem + "gold", "w").writelines(f"{mixed[0].index(a)}\t{mixed[1].index(b)}\n" for _, a, b in pairs)
' "$work" "$bitext.tmp" "${PAIRS:-400}"
    mv "$bitext.tmp" "$bitext"
  fi
  [ -e "$out/apart/e5-1/manifest.json" ] ||
    "$sentweave" evaluate --model=e5=.build/e5 --prompt=query --threads="${THREADS:-2}" --data="$bitext" --tasks=bucc-mining --out="$out/apart/e5-1"
  [ -e "$out/apart/demo-1/manifest.json" ] || {
    "$sentweave" run handbook --out="$work/demo" --set input=.build/handbook --set langid=.build/lid.176.ftz
    "$sentweave" evaluate --model=demo="$work/demo/cmlm-br" --baseline=char3 --data="$bitext" --tasks=bucc-mining --out="$out/apart/demo-1"
  }
}

# Yang et al. 2021 (CMLM), section 3.4: bitext retrieval goes on from an encoder that has learned before. From the pairs of
# the handbook's pages it learns few steps, with a low rate, as there are few.
br() {
  local seed work=$out/br/work
  of cmlm-tatoeba tatoeba "${measured[@]}"
  "$sentweave" run "$recipe" --out="$work" --only=documents,heldout,survivors,wordcounts,vocabulary,start,pairs,pair-examples \
    $(printf -- '--set=%s ' "${common[@]}" row=cmlm+br)
  for seed in $(seq "${SEEDS:-5}"); do
    [ -e "$out/br/br-$seed/manifest.json" ] && continue
    "$sentweave" train --preset=br --from="$work/start" --bitext="$work/pair-examples" --bitext-batch=32 --steps=60 --warmup=6 --optimizer=adamw \
      --rate=0.00002 --freeze=embeddings --precision=bfloat16 --threads="${THREADS:-2}" --seed="$seed" --overwrite --out="$work/br"
    measure br br "$seed"
  done
  once raw start
}

# Zhang et al. 2021 (BSL), section 3: two networks learn from back-translations without
# negatives, and the predictor and the gradient that is stopped keep the vectors apart.
bsl() {
  of bsl-momentum stsb,sts16 "${tables[@]}"
  reads=("--data=$data")
  seeds bsl encoder row=momentum-0.999
  seeds bsl-0.9 encoder row=momentum-0.9
  seeds contrastive encoder row=contrastive-32
  seeds no-predictor encoder row=no-predictor
  only=--only=documents,heldout,survivors,wordcounts,vocabulary,start
  seeds untrained start row=momentum-0.999
}

# Yang et al. 2021 (CMLM), section 4.3 and table 5: an encoder that learned inference across languages, here
# from scores cut in three, tells it better than its vectors did before, and finds fewer translations. The classifiers
# that say so learn from pairs that the encoder has not seen. Rate, steps and decay were chosen on halves of these.
inference() {
  local task=$out/inference/task part
  if [ ! -d "$task" ]; then
    mkdir -p "$task.tmp"
    for part in train dev test; do
      python3 -c 'import csv, sys
for (premise, _, score), (_, hypothesis, _) in zip(*(csv.reader(open(name, encoding="utf-8")) for name in sys.argv[1:])):
    print("entailment" if float(score) >= 4 else "neutral" if float(score) >= 2 else "contradiction", premise, hypothesis, sep="\t")
' "$data"/stsb_multi_mt/stsb-{en,es}-$part.csv | sed $'1i label\teng\tspa' >"$task.tmp/$part.tsv"
    done
    echo '{name: inference, metric: pairs, language: eng, language_b: spa, files: {train: dev.tsv, test: test.tsv}, columns: {text_a: eng, text_b: spa, label: label}}' >"$task.tmp/task.yaml"
    mv "$task.tmp" "$task"
  fi
  "$sentweave" pairs --kind=nli --input="$task/train.tsv" --header --columns=label,eng,spa --out="$out/inference/pairs"
  of cmlm-tatoeba tatoeba "${tables[@]}" nli="$out/inference/pairs" \
    inference.steps=350 inference.bitext-batch=32 inference.rate=0.002 inference.warmup=20 inference.optimizer=adamw inference.weight-decay=1
  reads+=(--task-files="$task/task.yaml")
  before="frozen encoder"
  seeds trained inference row=cmlm-then-cmlm+br+nli
}

# Kiros 2020, tables 4 and 5: a lens that learns from translations by the hardest negatives
# finds translations better than the mean of the same vectors of tokens. Beside it stand its sparse codes.
lens() {
  of lens-translations tatoeba "${measured[@]}"
  local plain=("${reads[@]}")
  reads+=(--vectors=raw,codes)
  seeds lens lens row=scl-1024
  reads=("${plain[@]}")
  once mean-pooling start
}

# Yang et al. 2021 (CMLM), section 3: pages are cleaned by a classifier of main content before
# an encoder learns from them. The pages that it is measured on are cleaned for both sides.
maincontent() {
  of handbook retrieval input=.build/handbook
  reads=(--texts="$out/$direction/work/heldout-pairs")
  only=--only=documents,heldout,survivors,wordcounts,vocabulary,examples,pairs,pair-examples,heldout-pairs,cmlm,cmlm-br
  seeds main-content cmlm-br
  seeds whole-pages cmlm-br documents.main=none
}

# Tiyajamorn et al. 2021, tables 2 and 4 to 6: between languages, meaning that is distilled
# from vectors is above them; without the loss of meaning it is below.
meaning() {
  of meaning-sts stsb_multi_mt_cross,mlqe "${measured[@]}" distilled.epochs=50
  seeds meaning start+distilled row=meaning
  seeds no-meaning start+distilled row=no-meaning
  once raw start
}

# Schwenk et al. 2021 (CCMatrix), section 6: an encoder that learned from mined translations beside one that learned from those
# that the pages tell, of German and English pages but every sixth. Both are measured on the paragraphs of these.
mined() {
  local work=$out/mined/data part
  for part in 0 1,2,3,4,5; do
    "$sentweave" corpus --input=.build/handbook --layout='{language}/{page}.html' --languages=deu,eng --langid=.build/lid.176.ftz \
      --pages-modulus=6 --pages-ranks="$part" --out="$work/pages-$part"
  done
  "$sentweave" dedup --documents="$work/pages-1,2,3,4,5" --against="$work/pages-0" --out="$work/pages"
  "$sentweave" pairs --kind=parallel --documents="$work/pages-0" --out="$work/heldout"
  "$sentweave" pairs --kind=parallel --sentences --documents="$work/pages" --out="$work/true"
  "$sentweave" embed --model=.build/e5 --prompt=query --texts="$work/pages" --threads="${THREADS:-2}" --out="$work/vectors"
  "$sentweave" mine --source="$work/vectors" --target="$work/vectors" --languages=deu,eng --threshold=1.02 --out="$work/candidates"
  "$sentweave" pairfilter --pairs="$work/candidates" --langid=.build/lid.176.ftz --out="$work/mined"
  "$sentweave" dedup --pairs="$work/heldout" --against="$work/true,$work/mined" --loose --out="$work/unseen"
  of bitext-encoder retrieval columns=deu=text_a,eng=text_b bag.steps=500 steps=200
  reads=(--texts="$work/unseen")
  only=--only=pairs,heldout,unseen,wordcounts,vocabulary,start,examples,bag,beginning,encoder
  seeds mined encoder input="$work/mined/data"
  seeds true encoder input="$work/true/data"
}

# Yang et al. 2021 (CMLM), section 5.1: without the first principal component of each language, vectors of
# translations are nearer to each other. Nothing is trained.
pcr() {
  [ -e "$out/pcr/both-1/manifest.json" ] ||
    "$sentweave" evaluate --model="vectors=$encoder" --vectors=raw,pcr,centred --data="$data" --tasks=tatoeba --out="$out/pcr/both-1"
}

# Yang et al. 2021 (CMLM), table 5 and section 3.3: with bitext retrieval, CMLM finds translations,
# and with a margin of .3 more of them than without; CMLM alone hardly finds any.
retrieval() {
  of cmlm-tatoeba tatoeba "${tables[@]}"
  seeds cmlm+br encoder row=cmlm+br
  seeds no-margin encoder row=cmlm+br encoder.margin=0
  seeds cmlm encoder row=cmlm
}

# Yang et al. 2021 (CMLM), section 3.4: CMLM and bitext retrieval together, one after the
# other, and CMLM before both, at equal steps. No order is expected at this scale.
schedules() {
  of cmlm-tatoeba tatoeba "${tables[@]}"
  seeds s1 encoder row=cmlm+br
  seeds s2 encoder row=cmlm-then-br
  seeds s3 encoder row=cmlm-then-cmlm+br
}

# Tiyajamorn et al. 2021, tables 4 and 5: as meaning, but distilled until held-out pairs gain no more, as in the paper,
# and from translations of sentences that are like those whose similarity is measured.
similarity() {
  translated
  of meaning-sts stsb_multi_mt_cross
  common=(threads="${THREADS:-2}" data="$data" from=.build/minilm parallel= bitext="$bitext" pairs.kind=bitext pairs.pivot=eng distilled.epochs=1000)
  only=--only=start,pairs,pair-vectors,distilled
  reads[1]=--languages=eng,spa
  seeds meaning start+distilled row=meaning
  once raw start
}

# Reimers and Gurevych 2020: an encoder of English learns from translations, here by Apertium,
# to give texts in Spanish the vectors of their English sides.
teacher() {
  translated
  of teacher-encoder stsb_multi_mt,stsb_multi_mt_cross input="$bitext" teacher=.build/minilm from=.build/minilm batch=32 steps=900 rate=0.001 encoder.warmup=30
  reads[1]=--languages=eng,spa
  seeds taught encoder
  once raw start
}

# translated makes the folder bitext: the training texts of the STS benchmark in English, and in Spanish by Apertium.
translated() {
  bitext=$out/stsb
  [ ! -d "$bitext" ] || return 0
  mkdir -p "$bitext.tmp"
  cut -f 6,7 "$data"/stsb/sts-train.csv | tr '\t' '\n' | tr -d '\r' | grep . | awk '!seen[$0]++' >"$bitext.tmp/stsb.eng-spa.eng"
  "${SENTWEAVE_APERTIUM:-.build/apertium/apertium}" -u eng-spa <"$bitext.tmp/stsb.eng-spa.eng" >"$bitext.tmp/stsb.eng-spa.spa"
  mv "$bitext.tmp" "$bitext"
}

# The settings of a recipe that ends in a table of a paper, with and without an encoder that is there.
tables=(data="$data" input=.build/handbook from="${ENCODER-}" ${SETTINGS-})
encoder=${ENCODER:-.build/minilm}
measured=(data="$data" input=.build/handbook from="$encoder")

# of RECIPE TASKS [SETTING…]: what the sides of a direction have in common.
of() {
  recipe=$1 tasks=$2 only= before=
  reads=("--data=$data" --languages=eng,spa,fra,deu)
  shift 2
  common=(langid=.build/lid.176.ftz threads="${THREADS:-2}" "$@")
}

# seeds NAME FOLDER SETTING…: a side that is trained with each seed, and what is measured of it; also of
# the side that it begins with, where before="NAME FOLDER" names one.
seeds() {
  local name=$1 folder=$2 seed
  shift 2
  for seed in $(seq "${SEEDS:-5}"); do
    [ -e "$out/$direction/$name-$seed/manifest.json" ] && continue
    "$sentweave" run "$recipe" --out="$out/$direction/work" --overwrite $only $(printf -- '--set=%s ' "${common[@]}" "$@" "seed=$seed")
    [ -z "$before" ] || measure $before "$seed"
    measure "$name" "$folder" "$seed"
  done
}

# once NAME FOLDER: a side without seeds, which the steps of the sides before it have made.
once() { [ -e "$out/$direction/$1-1/manifest.json" ] || measure "$1" "$2" 1; }

measure() {
  local distilled=()
  [ "${2#*+}" = "$2" ] || distilled=(--distilled="$1=$out/$direction/work/${2#*+}")
  "$sentweave" evaluate --model="$1=$out/$direction/work/${2%%+*}" "${distilled[@]}" "${reads[@]}" --tasks="$tasks" \
    --out="$out/$direction/$1-$3"
}

[ $# -gt 0 ] || set -- "${all[@]}"
for direction in "$@"; do
  [[ " ${all[*]} " = *" $direction "* ]] || { echo "no direction $direction; there are ${all[*]}" >&2; exit 2; }
done
for direction in "$@"; do
  "$direction"
  sides=("$out/$direction"/*-[0-9]*)
  "$sentweave" report --title="$direction" --results="$(IFS=,; echo "${sides[*]}")" --out="$out/$direction/page"
  awk '/^## /{shown = /^## Which differences hold/} shown' "$out/$direction/page/tables.md"
done
