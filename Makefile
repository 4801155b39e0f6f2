# Sentweave. `make help` lists the targets.
SHELL := /bin/bash
.DELETE_ON_ERROR:

BIN        := .build/sentweave
TORCH_BIN  := .build/sentweave-torch
LIBTORCH_SH := runners/sentweave-torch/libtorch.sh
OUT        ?= .build/demo
# Data that no package carries: "Test data" in CONTRIBUTING.md.
SHARED_DATA := $(or $(SENTWEAVE_SHARED),../shared)/data
# Tests find the peers by these; without them they say what they skipped.
TEST_ENV    = SENTWEAVE_PYTHON=$(CURDIR)/.build/venv/bin/python SENTWEAVE_E5=$(CURDIR)/.build/e5 SENTWEAVE_LID176=$(CURDIR)/.build/lid.176.ftz SENTWEAVE_HANDBOOK=$(CURDIR)/.build/handbook \
              SENTWEAVE_TF_LEARNER=$(CURDIR)/.build/tf_learner.py SENTWEAVE_APERTIUM=$(CURDIR)/.build/apertium/apertium \
              SENTWEAVE_GO_TRAFILATURA=$(CURDIR)/.build/gotrafilatura SENTWEAVE_WORDNET=$(CURDIR)/.build/wordnet
# gotestsum runs the tests, and keeps their events below .build/tests, where runners/skips counts what was skipped.
TESTED      = .build/gotestsum --format=pkgname --hide-summary=skipped --jsonfile=.build/tests
# Temporary files of tests are in memory where 6 GiB are free for them.
IN_MEMORY   = runners/scratch.sh 6
# Tests are linked without symbols, which takes half of the time, and not vetted: lint does that.
TEST_FLAGS := -vet=off -ldflags=-s
TORCH_ENV   = SENTWEAVE_MINILM=$(CURDIR)/.build/minilm SENTWEAVE_MPNET=$(abspath $(wildcard .build/mpnet)) SENTWEAVE_NVRTC=$(CURDIR)/.build/nvrtc SENTWEAVE_PYTORCH="$$($(LIBTORCH_SH) python)"
# What is built with libtorch, and what is tested with it besides.
TORCH_TESTS = ./stages/torch/... ./stages/embed ./stages/replace ./runners/torchverbs ./runners/trials ./runners/sentweave-torch

export CGO_ENABLED ?= 0
# For all commands, so that what one compiles serves the others.
export GOFLAGS ?= -trimpath

.PHONY: help build torch release demo maincontent langid test test-torch test-matrix test-gpu bench-gpu test-short race schedules fuzz lint fmt golden bench bench-train bench-embed bench-eval directions wheels clean
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build the command, .build/sentweave
	@runners/told.sh "compiling sentweave: about 2 minutes the first time, on two cores" "" "" go build -ldflags='-s -w' -o $(BIN) ./runners/sentweave

torch: ## build the program with libtorch, .build/sentweave-torch; fetches libtorch if there is none
	@$(LIBTORCH_SH) where >/dev/null
	@runners/told.sh "compiling libtorch's bindings: about 3 minutes the first time" "" "" $(LIBTORCH_SH) run go build -tags libtorch -ldflags='-s -w' -o $(TORCH_BIN) ./runners/sentweave-torch

release: ## build stamped programs for Linux and macOS into .build/release; RELEASE=name
	@runners/release.sh

# Names of folders go by the environment, as they are: neither make nor a shell reads
# them. Make would expand what it exports under the names themselves.
unexport INPUT LAYOUT OUT
demo: export DEMO_INPUT = $(value INPUT)
demo: export DEMO_LAYOUT = $(value LAYOUT)
demo: export DEMO_OUT = $(value OUT)
demo: build ## run the recipe handbook on the Debian handbook, or pages on INPUT=folder; OUT=folder
ifdef INPUT
	runners/fetch.sh langid
	$(BIN) run pages --out="$$DEMO_OUT-input" --set input="$$DEMO_INPUT" --set layout="$$DEMO_LAYOUT" --set langid=.build/lid.176.ftz $(DEMO_FLAGS)
	@echo "An encoder of your own texts, with its figures (\`make torch\` first):"
	@echo "  $(BIN) run pages-encoder --out my --set input=site/ --set layout='{language}/{page}.html'   # pages that are translations of each other"
	@echo "  $(BIN) run bitext-encoder --out my --set input=opus/ --set languages=eng,deu               # parallel text: Moses, TSV, TMX and more"
else
	$(MAKE) torch
	runners/fetch.sh handbook langid apertium
	SENTWEAVE_APERTIUM=$(CURDIR)/.build/apertium/apertium $(BIN) run handbook --out="$$DEMO_OUT" --set input=.build/handbook --set langid=.build/lid.176.ftz $(DEMO_FLAGS)
endif

# Named in the models' records, as its licence asks. Another model gives datasets of corpus another identity.
WCXB := --data $(SHARED_DATA)/wcxb --name 'Web Content Extraction Benchmark, development split' --licence CC-BY-4.0 \
  --attribution '(c) 2026 Murrough Foley, https://github.com/Murrough-Foley/web-content-extraction-benchmark'
maincontent: build ## train the models of main content that the program holds, from wcxb in ../shared/data or $SENTWEAVE_SHARED/data
	@[ -d '$(SHARED_DATA)/wcxb' ] || { echo 'make maincontent: $(SHARED_DATA)/wcxb is absent: "Test data" in CONTRIBUTING.md says where it comes from; SENTWEAVE_SHARED names the folder above data' >&2; exit 1; }
	$(BIN) maincontent train $(WCXB) --out transforms/clean/maincontent/trained/wcxb.model
	$(BIN) maincontent train --bare $(WCXB) --out transforms/clean/maincontent/lines/wcxb.model

# Of translated messages of free software, names, lists of words and the Universal Declaration of Human Rights, by packages that
# runners/fetch.sh names; the file has weights alone. Another one gives datasets that were made with --langid embedded another identity.
LANGID_ANSWERS := zho_Hant,zho_Hans,kor,jpn,pan,ara,gle,heb,kat,amh,guj,ori,mar,uig,tha,lav,tel,kan,fas,isl,asm,mya,tam,nep,mon,bel,xho,sin,\
est,vie,srp,bre,epo,kaz,aze,sqi,hin,ces,tur,khm,ben,mal,lit,slk,urd,ron,cym,fin,eus,msa,hun,eng,ind,bul,mkd,swe,afr,slv,hrv,\
ukr,dzo,dan,ell,nno,uzb,nob,pol,nld,ita,rus,tgk,por,gla,deu,glg,fra,cat,spa,hye,mlg,zul,ckb,tuk,ltz,kin,tgl,yid,cos,fry,\
tat_Cyrl,jav,mlt,ibo,yor,kmr_Latn,sot,kir,lat,sun,kur,swa,uzb_Cyrl,wol,bod,hat,hau,som,lao,tat,haw,sna,ceb,mri,nya,smo
# Those that take words from others, as Asturian does from Spanish, and Bosnian from Croatian, are learned, too.
LANGID_OTHERS := bos,srp_Latn,hmn,ast,oci,sco,szl,nds,arg,scn,fur,ina,ilo,frr,hsb,gsw
langid: build ## train the language identifier that the program holds, from texts in packages
	runners/fetch.sh catalogues
	$(BIN) langid train --texts .build/catalogues/texts.txt --noise --minn 1 --maxn 5 --buckets 1000000 --features 140000 --least 5000 --overwrite \
	  --languages $(subst $() ,,$(LANGID_ANSWERS),$(LANGID_OTHERS)) --answers $(subst $() ,,$(LANGID_ANSWERS)) \
	  --out transforms/clean/langid/embedded/messages.ftz

# One program more runs than there are cores, since those that start Flink wait for it.
test: .build/gotestsum ## run everything; fetches the peers that the tests compare with, and counts at the end what was skipped and why
	runners/fetch.sh python langid learner handbook flink apertium gotrafilatura wordnet
	@rm -rf .build/tests && mkdir -p .build/tests
	$(TEST_ENV) $(IN_MEMORY) $(TESTED)/all.json -- $(TEST_FLAGS) -p $$(($$(getconf _NPROCESSORS_ONLN) + 1)) -timeout 40m ./...
	$(MAKE) test-torch
	@go run ./runners/skips .build/tests/*.json

test-torch: .build/gotestsum ## run the tests that need libtorch
	runners/fetch.sh minilm apertium nvrtc
	$(MAKE) torch
	@mkdir -p .build/tests
	$(LIBTORCH_SH) run go vet -tags libtorch $(TORCH_TESTS)
	$(TORCH_ENV) $(LIBTORCH_SH) run $(IN_MEMORY) $(TESTED)/torch.json -- -tags libtorch $(TEST_FLAGS) -timeout 40m $(TORCH_TESTS)
	$(TORCH_ENV) $(TESTED)/distill.json -- ./stages/distill # which compares with PyTorch, and needs no libtorch
	$(TORCH_ENV) $(TESTED)/probe.json -- -run 'BesideScikit|BesideScipy|BesideSentEval' ./transforms/measure/probe ./stages/evaluate/...
	$(TORCH_ENV) $(TEST_ENV) SENTWEAVE_TORCH=$(CURDIR)/$(TORCH_BIN) $(TESTED)/xeval.json -- -run 'TestXEVALMeasured|TestMining' ./runners/sentweave

# It is built by itself, since `go tool` would link it again, with the flags for libtorch, under libtorch.sh.
.build/gotestsum: go.mod
	go build -o $@ gotest.tools/gotestsum

test-matrix: ## run them on every version of libtorch that is supported; fetches each
	for version in 2.1.2 2.7.1 2.11.0; do TORCH_VERSION=$$version $(MAKE) test-torch || exit 1; done

# They write checkpoints of a gigabyte: 10 GB of temporary files at a time.
test-kills: ## kill trainings of 12 layers x 768 of each architecture 20 times, and compare bytes; takes hours
	SENTWEAVE_KILLS=20 $(LIBTORCH_SH) run go test -count=1 -tags libtorch -timeout 4h -v -run TestArchitecturesKilled ./runners/torchverbs

test-gpu: ## run the tests of libtorch on a GPU; says what it skipped where none is
	@runners/test-gpu.sh

bench-gpu: ## measure training beside PyTorch, padded, packed and compiled, embedding, and search, on a GPU with 80 GB
	runners/fetch.sh minilm
	SENTWEAVE_DEVICE=cuda $(TORCH_ENV) $(LIBTORCH_SH) run go test -tags libtorch -run '^$$' -bench 'GPU|Step$$|Encode|Embed|Search' -benchtime 10x -timeout 60m ./stages/torch

# Twice as many programs run as there are cores, since some wait; garbage is collected at four times what is in use.
test-short: ## run the fast tests
	GOGC=300 $(IN_MEMORY) go test -short $(TEST_FLAGS) -p $$((2 * $$(getconf _NPROCESSORS_ONLN))) ./...

# The race detector needs cgo and a C compiler. Long tests are left out: it makes them ten times as long, and they run
# what the short ones run. So are those that measure time, memory and allocations, which are its own then, and the one that moves the
# time zone under the runtime. stages/torch is left out, too: its threads are libtorch's, which the detector cannot see.
race: ## run the fast tests under the race detector
	CGO_ENABLED=1 go test -race -short -p 1 -timeout 4h -skip 'Allocat|TestAttacks|TestHostile|TestSameBytesEverywhere' ./...

schedules: ## hold all schedules of two launchers with two switches, and SEEDS=100000 random ones
	SENTWEAVE_SWITCHES=2 SENTWEAVE_SEEDS=$(or $(SEEDS),100000) go test -count=1 -timeout 3h -v -run Schedules ./schemas/dataset

FUZZ ?= .
fuzz: ## run each fuzz target for FUZZTIME=30s with FUZZMEMORY=1024 MiB; FUZZ=a pattern of names
	runners/fuzz.sh '$(FUZZ)'

lint: ## gofmt, vet, staticcheck, the layers, pinned hashes, go.mod
	@test -z "$$(gofmt -l pipelines transforms stages schemas runners | tee -a /dev/stderr)" || { echo "run make fmt" >&2; exit 1; }
	go vet ./...
	go tool staticcheck ./...
	go run ./runners/lint
	go mod tidy -diff

fmt: ## format the code
	gofmt -w pipelines transforms stages schemas runners

golden: ## rewrite the golden files; look at the difference before you commit
	go test ./schemas/dataset ./pipelines -run Golden -update

bench: ## measure, beside peers where the tests have them
	runners/fetch.sh python langid learner handbook flink apertium gotrafilatura
	$(TEST_ENV) go test -run '^$$' -bench . -benchtime 1s ./transforms/... ./pipelines/... ./schemas/... ./runners/beam

bench-train: ## measure training and embedding beside PyTorch
	runners/fetch.sh minilm
	$(TORCH_ENV) $(LIBTORCH_SH) run go test -tags libtorch -run '^$$' -bench . -benchtime 20x -timeout 60m ./stages/torch
	$(TORCH_ENV) go test -run '^$$' -bench . -benchtime 100x ./stages/distill

bench-embed: ## measure vectors from texts beside sentence-transformers by torch, ONNX and OpenVINO, with their figures on the STS benchmark
	runners/fetch.sh minilm
	SENTWEAVE_MINILM=$(CURDIR)/.build/minilm SENTWEAVE_PYTORCH="$$($(LIBTORCH_SH) python backends)" \
	$(LIBTORCH_SH) run go test -tags libtorch -run '^$$' -bench 'Embed$$' -benchtime 1x -timeout 60m ./stages/torch

# Peers: faiss is fetched, or stands in the Python that $SENTWEAVE_FAISS names; that of PyTorch is libtorch's. Times are those of the
# processor, so that others on the machine disturb little.
bench-eval: ## measure evaluation beside faiss and PyTorch, and compare neighbours and SentEval's figures with theirs; takes an hour
	[ -n "$$SENTWEAVE_FAISS" ] || runners/fetch.sh faiss
	SENTWEAVE_FAISS="$${SENTWEAVE_FAISS-$(CURDIR)/.build/faiss/bin/python}" \
	SENTWEAVE_PYTORCH="$${SENTWEAVE_PYTORCH-$$($(LIBTORCH_SH) python)}" go test -run BesideFaiss -bench . -benchtime 1s ./transforms/measure/... ./stages/evaluate/...
	runners/fetch.sh minilm
	$(MAKE) torch
	$(TORCH_ENV) SENTWEAVE_TORCH=$(CURDIR)/$(TORCH_BIN) $(LIBTORCH_SH) run go test -v -run TestSentEvalInFull -timeout 3h ./stages/evaluate/...

directions: build torch ## train and compare what the papers compare, over SEEDS=5 seeds, for hours; DIRECTIONS='lens meaning'
	runners/fetch.sh handbook langid minilm e5 apertium
	SENTWEAVE_SHARED='$(or $(SENTWEAVE_SHARED),../shared)' runners/directions.sh .build/directions $(DIRECTIONS)

wheels: ## pin what runners/wheels/*.in name, by version and hash; WHEELS_FLAGS=--upgrade takes newer ones
	python3 -m venv .build/uv
	runners/wheels/pip.sh .build/uv/bin/python install uv
	.build/uv/bin/python runners/wheels/lock.py .build/uv/bin/uv $(basename $(notdir $(wildcard runners/wheels/*.in))) -- $(WHEELS_FLAGS)

clean: ## remove what the targets above made
	rm -rf .build
