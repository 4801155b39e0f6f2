package pipelines_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	v1pb "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx/v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/protox"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	gocmp "github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/pipelinetest/chain"
	"sentweave/pipelines/units"
)

var update = flag.Bool("update", false, "rewrite the golden graphs")

// window of the jobs whose graphs are looked at.
const window = 4

// graphs names the golden file of each link of the chain. What only changes the
// work on a row must not change the graph.
var graphs = map[string]string{
	"documents": "corpus", "heldout": "corpus", "extended": "corpus",
	"dedup": "dedup", "dedup-extended": "dedup", "dedup-sentences": "dedup", "dedup-spans": "dedup",
	"dedup-near": "dedup-near", "dedup-pairs": "dedup-pairs",
	"mine": "mine", "mine-negatives": "mine", "index": "index", "mine-indexed": "mine",
	"erase": "erase", "erase-pairs": "erase-pairs",
	"sample": "sample", "sample-pairs": "sample-pairs",
	"pairfilter": "pairfilter", "pair-scores": "pairfilter-scores", "pair-margins": "pairfilter-margins", "pairnoise": "pairnoise",
	"decontaminate": "decontaminate", "decontaminate-pairs": "decontaminate-pairs", "contaminations": "decontaminate-hits",
	"wordcounts": "wordcounts", "wordcounts-extended": "wordcounts", "pair-wordcounts": "wordcounts-pairs",
	"parallel": "pairs-parallel", "parallel-vectors": "pairs-parallel", "parallel-sentences": "pairs-parallel",
	"consecutive":   "pairs-consecutive",
	"bitext":        "pairs-bitext",
	"tatoeba":       "pairs-tatoeba",
	"examples":      "examples-documents",
	"pair-examples": "examples-pairs",
	"views":         "views-synonym",
	"entailment":    "views-entailment",
	"crosslingual":  "crosslingual",
	"benchmarks":    "benchmarks",
	"memories":      "memories",
	"translations":  "translations", "translations-back": "translations",
	"translate":        "translate",
	"back-translation": "views-back-translation",
	"translation":      "views-translation",
}

// TestGoldenGraph compares the graph of every pipeline, as a runner is given it,
// with testdata: its composites and transforms, and the coders of what crosses
// them. It does not depend on the number of units.
func TestGoldenGraph(t *testing.T) {
	for name, job := range jobs(t, 1) {
		t.Run(name, func(t *testing.T) {
			got := describe(t, portable(t, job))
			file := filepath.Join("testdata", graphs[name]+".graph")
			if *update {
				pipelinetest.File(t, ".", file, got)
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v; `make golden` writes it", err)
			}
			if diff := gocmp.Diff(string(want), got); diff != "" {
				t.Errorf("the graph differs from %s; `make golden` writes it anew: %s", file, diff)
			}
		})
	}
	for name, job := range jobs(t, 1<<30) {
		want, err := os.ReadFile(filepath.Join("testdata", graphs[name]+".graph"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(string(want), describe(t, portable(t, job))); diff != "" {
			t.Errorf("%s in %d units has another graph: %s", name, job.Plan.Units, diff)
		}
	}
}

// A transform whose output nobody reads makes some runners spin a processor. An element
// of a type that Beam does not know of its own travels by a coder that works by
// reflection, or as JSON.
func TestCollections(t *testing.T) {
	standard := []string{"bytes", "varint", "kv", "iterable", "windowed_value", "global_window"}
	for name, job := range jobs(t, 1<<30) {
		p := portable(t, job)
		read := map[string]bool{}
		for _, transform := range p.Components.Transforms {
			for _, collection := range transform.Inputs {
				read[collection] = true
			}
		}
		for _, transform := range p.Components.Transforms {
			for _, collection := range transform.Outputs {
				if !read[collection] {
					t.Errorf("%s: nobody reads what %s makes", name, transform.UniqueName)
				}
			}
		}
		for id, coder := range p.Components.Coders {
			kind := strings.TrimSuffix(strings.TrimPrefix(coder.Spec.Urn, "beam:coder:"), ":v1")
			if !slices.Contains(standard, kind) {
				t.Errorf("%s: coder %s is %s, none of %v", name, id, coder.Spec.Urn, standard)
			}
		}
	}
}

// unserialized are the settings that name places or presets: a worker must take
// what the launcher resolved them to, never these.
var unserialized = map[string][]string{
	"benchmarks.task": {"Task.Task.Config.Folder.Input", "Task.Task.Config.Folder.Partial"},
	"corpus.task": {"Task.Task.Config.Input", "Task.Task.Config.Paths", "Task.Task.Config.PathsBytes", "Task.Task.Config.Extend",
		"Task.Task.Config.Unreadable.Unreadable", "Task.Task.Config.MaxErrorRate", "Task.Task.Config.Langid",
		"Task.Task.Config.Thresholds", "Task.Task.Config.Quality.QualityModel",
		"Task.Task.Config.LanguageFlags.PerplexityModel", "Task.Task.Config.LanguageFlags.Pieces",
		"Task.Task.Config.LanguageFlags.Words", "Task.Task.Config.Rights.Block"},
	"dedup.keysTask": {"Task.Task.Config.Documents", "Task.Task.Config.Pairs", "Task.Task.Config.Against", "Task.Task.Config.Extend"},
	"dedup.signTask": {"Task.Task.Config.Documents", "Task.Task.Config.Pairs", "Task.Task.Config.Against", "Task.Task.Config.Extend"},
	"dedup.copyTask": {"Task.Task.Config.Documents", "Task.Task.Config.Pairs", "Task.Task.Config.Against", "Task.Task.Config.Extend"},
	"dedup.pairKeysTask": {"Task.Task.Config.Documents", "Task.Task.Config.Pairs", "Task.Task.Config.Against",
		"Task.Task.Config.Extend"},
	"dedup.pairCopyTask": {"Task.Task.Config.Documents", "Task.Task.Config.Pairs", "Task.Task.Config.Against",
		"Task.Task.Config.Extend"},
	"ingest.task": {"Task.Task.Config.Input", "Task.Task.Config.Unreadable.Unreadable"},
	"bitext.keysTask": {"Task.Task.Work.Config.Settings.Input", "Task.Task.Work.Config.Settings.Paths",
		"Task.Task.Work.Config.Settings.Unreadable.Unreadable", "Task.Task.Work.Config.Settings.Langid"},
	"bitext.sentencesTask": {"Task.Task.Work.Config.Settings.Input", "Task.Task.Work.Config.Settings.Paths",
		"Task.Task.Work.Config.Settings.Unreadable.Unreadable", "Task.Task.Work.Config.Settings.Langid"},
	"bitext.linksTask": {"Task.Task.Work.Config.Settings.Input", "Task.Task.Work.Config.Settings.Paths",
		"Task.Task.Work.Config.Settings.Unreadable.Unreadable", "Task.Task.Work.Config.Settings.Langid"},
	"bitext.linkedTask": {"Task.Task.Work.Config.Settings.Input", "Task.Task.Work.Config.Settings.Paths",
		"Task.Task.Work.Config.Settings.Unreadable.Unreadable", "Task.Task.Work.Config.Settings.Langid"},
	"bitext.tatoebaTask": {"Task.Task.Task.Work.Config.Settings.Input", "Task.Task.Task.Work.Config.Settings.Paths",
		"Task.Task.Task.Work.Config.Settings.Unreadable.Unreadable", "Task.Task.Task.Work.Config.Settings.Langid"},
	"bitext.writeTask": {"Task.Task.Work.Config.Settings.Input", "Task.Task.Work.Config.Settings.Paths",
		"Task.Task.Work.Config.Settings.Unreadable.Unreadable", "Task.Task.Work.Config.Settings.Langid"},
	"views.synonymTask": {"Task.Task.Config.Source.Texts", "Task.Task.Config.SynonymSettings.Wordnet",
		"Task.Task.Config.SynonymSettings.Preset", "Task.Task.Config.Memory.There", "Task.Task.Config.BackSettings.Back"},
	"views.translatedTask": {"Task.Task.Config.Source.Texts", "Task.Task.Config.SynonymSettings.Wordnet",
		"Task.Task.Config.SynonymSettings.Preset", "Task.Task.Config.Memory.There", "Task.Task.Config.BackSettings.Back"},
	"views.entailmentTask": {"Task.Task.Config.Source.Texts", "Task.Task.Config.SynonymSettings.Wordnet",
		"Task.Task.Config.SynonymSettings.Preset", "Task.Task.Config.Memory.There", "Task.Task.Config.BackSettings.Back"},
	"mine.searchTask": {"Task.Task.Config.Source", "Task.Task.Config.Target", "Task.Task.Config.SourceDocuments",
		"Task.Task.Config.TargetDocuments", "Task.Task.Config.SourceIndex", "Task.Task.Config.TargetIndex", "Task.Task.Config.Gold"},
	"mine.scoreTask": {"Task.Task.Config.Source", "Task.Task.Config.Target", "Task.Task.Config.SourceDocuments",
		"Task.Task.Config.TargetDocuments", "Task.Task.Config.SourceIndex", "Task.Task.Config.TargetIndex", "Task.Task.Config.Gold"},
	"mine.chooseTask": {"Task.Task.Config.Source", "Task.Task.Config.Target", "Task.Task.Config.SourceDocuments",
		"Task.Task.Config.TargetDocuments", "Task.Task.Config.SourceIndex", "Task.Task.Config.TargetIndex", "Task.Task.Config.Gold"},
	"mine.writeTask": {"Task.Task.Config.Source", "Task.Task.Config.Target", "Task.Task.Config.SourceDocuments",
		"Task.Task.Config.TargetDocuments", "Task.Task.Config.SourceIndex", "Task.Task.Config.TargetIndex", "Task.Task.Config.Gold"},
	"sample.ranksTask":     {"Task.Task.Ranking.Config.Documents", "Task.Task.Ranking.Config.Pairs"},
	"sample.pairRanksTask": {"Task.Task.Ranking.Config.Documents", "Task.Task.Ranking.Config.Pairs"},
	"sample.quotasTask":    {"Task.Task.Config.Documents", "Task.Task.Config.Pairs"},
	"wordcounts.countTask": {"Task.Task.Counting.Config.Documents", "Task.Task.Counting.Config.Pairs",
		"Task.Task.Counting.Config.Extend"},
	"wordcounts.countPairsTask": {"Task.Task.Counting.Config.Documents", "Task.Task.Counting.Config.Pairs",
		"Task.Task.Counting.Config.Extend"},
	"pairs.consecutiveTask": {"Task.Task.Config.Documents", "Task.Task.Config.Embeddings"},
	"pairs.parallelTask":    {"Task.Task.Config.Documents", "Task.Task.Config.Embeddings"},
	"examples.documentsTask": {"Task.Task.Maker.Config.Documents", "Task.Task.Maker.Config.Pairs", "Task.Task.Maker.Config.Benchmarks",
		"Task.Task.Maker.Config.Vocabulary"},
	"examples.pairsTask": {"Task.Task.Maker.Config.Documents", "Task.Task.Maker.Config.Pairs", "Task.Task.Maker.Config.Benchmarks",
		"Task.Task.Maker.Config.Vocabulary"},
}

// The state of every DoFn reaches the worker: each exported field, at any depth,
// survives Beam's encoding of the DoFn. The worker finds the type by its name,
// also in a program without symbols.
func TestStateTravels(t *testing.T) {
	seen := map[string]bool{}
	for _, job := range jobs(t, 1<<30) {
		p := beam.NewPipeline()
		job.Graph(p.Root(), window)
		edges, _, err := p.Build()
		if err != nil {
			t.Fatal(err)
		}
		for _, edge := range edges {
			if edge.Op != graph.ParDo || !strings.Contains(edge.DoFn.Name(), "sentweave") {
				continue
			}
			kind := reflect.TypeOf(edge.DoFn.Recv).Elem()
			name := strings.TrimRight(path.Base(kind.String()), "]")
			if seen[name] {
				continue
			}
			seen[name] = true
			key, ok := runtime.TypeKey(kind)
			if registered, found := runtime.LookupType(key); !ok || !found || registered != kind {
				t.Errorf("%s is not registered", name)
			}
			sent := reflect.New(kind)
			fill(sent.Elem(), new(int))
			edge.DoFn.Recv = sent.Interface()
			encoded, err := graphx.EncodeMultiEdge(edge)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			_, fn, _, _, _, err := graphx.DecodeMultiEdge(encoded)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := gocmp.Diff(unserialized[name], lost("", sent.Elem(), reflect.ValueOf(fn.Recv).Elem())); diff != "" {
				t.Errorf("%s: fields that do not reach the worker: %s", name, diff)
			}
		}
	}
	for name := range unserialized {
		if !seen[name] {
			t.Errorf("no graph has %s", name)
		}
	}
}

// fill sets every exported field to a value of its own that is not zero.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint8:
		v.SetUint(uint64(*n%255 + 1))
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*n))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(*n) / 4)
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *n))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n)
		fill(value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), n)
			}
		}
	default:
		panic("no value for a field of type " + v.Type().String())
	}
}

// lost lists the paths of the exported fields of a that b does not have.
func lost(path string, a, b reflect.Value) (paths []string) {
	switch a.Kind() {
	case reflect.Pointer:
		if b.IsNil() {
			return []string{path}
		}
		return lost(path, a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() {
			return []string{path}
		}
		for i := range a.Len() {
			paths = append(paths, lost(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i))...)
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if field := a.Type().Field(i); field.IsExported() {
				paths = append(paths, lost(strings.TrimPrefix(path+"."+field.Name, "."), a.Field(i), b.Field(i))...)
			}
		}
	case reflect.Map:
		if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			return []string{path}
		}
	default:
		if !a.Equal(b) {
			return []string{path}
		}
	}
	return paths
}

// jobs plans every pipeline of the chain, over a few pages.
func jobs(t *testing.T, shardBytes int64) map[string]*units.Job {
	t.Helper()
	input := pipelinetest.Corpus{Pages: 4, Paragraphs: 3, Languages: []string{"eng", "deu"}}.Write(t)
	root := t.TempDir()
	links := chain.Links(input, pipelinetest.Vocabulary(t))
	chain.Run(t, links, root, pipelinetest.Settings(64<<10), pipelinetest.Plain(2))
	planned := map[string]*units.Job{}
	for _, l := range links {
		job, err := l.Config(t, root).Plan(t.Context(), filepath.Join(root, "planned-"+l.Name), pipelinetest.Settings(shardBytes))
		if err != nil {
			t.Fatal(err)
		}
		planned[l.Name] = job
	}
	return planned
}

// portable returns the graph of a job as a runner is given it.
func portable(t *testing.T, job *units.Job) *pipepb.Pipeline {
	t.Helper()
	p := beam.NewPipeline()
	job.Graph(p.Root(), window)
	edges, _, err := p.Build()
	if err != nil {
		t.Fatal(err)
	}
	pipeline, err := graphx.Marshal(edges, &graphx.Options{Environment: &pipepb.Environment{}})
	if err != nil {
		t.Fatal(err)
	}
	return pipeline
}

// describe prints a graph: a transform a line, below the composite that it
// is in, with the numbers of the collections that it reads and makes, and
// the coders of the latter.
func describe(t *testing.T, p *pipepb.Pipeline) string {
	t.Helper()
	var b strings.Builder
	numbers := map[string]int{} // of the collections, in the order in which they are made
	number := func(collection string) int {
		if _, ok := numbers[collection]; !ok {
			numbers[collection] = len(numbers) + 1
		}
		return numbers[collection]
	}
	var visit func(id, within string)
	visit = func(id, within string) {
		transform := p.Components.Transforms[id]
		name := strings.TrimPrefix(transform.UniqueName, within)
		fmt.Fprintf(&b, "%s%s", strings.Repeat("  ", strings.Count(within, "/")), name)
		if len(transform.Subtransforms) > 0 {
			b.WriteByte('\n')
			for _, sub := range transform.Subtransforms {
				visit(sub, transform.UniqueName+"/")
			}
			return
		}
		if fn := function(t, transform); fn != nil {
			fmt.Fprintf(&b, " (%s)", reflect.TypeOf(fn.Recv))
		}
		for _, key := range slices.SortedFunc(maps.Keys(transform.Inputs), byNumber) {
			fmt.Fprintf(&b, " %d", number(transform.Inputs[key]))
		}
		b.WriteString(" →")
		for _, key := range slices.SortedFunc(maps.Keys(transform.Outputs), byNumber) {
			collection := transform.Outputs[key]
			fmt.Fprintf(&b, " %d %s", number(collection), coderOf(p, p.Components.Pcollections[collection].CoderId))
		}
		b.WriteByte('\n')
	}
	for _, id := range p.RootTransformIds {
		visit(id, "")
	}
	return b.String()
}

// byNumber orders names such as i2 and i10.
func byNumber(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }

// coderOf prints a coder with its components.
func coderOf(p *pipepb.Pipeline, id string) string {
	coder := p.Components.Coders[id]
	name := strings.TrimSuffix(strings.TrimPrefix(coder.Spec.Urn, "beam:coder:"), ":v1")
	if len(coder.ComponentCoderIds) == 0 {
		return name
	}
	var components []string
	for _, c := range coder.ComponentCoderIds {
		components = append(components, coderOf(p, c))
	}
	return name + "<" + strings.Join(components, " ") + ">"
}

// function returns the DoFn of a transform as a worker decodes it, nil for a
// transform without one.
func function(t *testing.T, transform *pipepb.PTransform) *graph.Fn {
	t.Helper()
	if transform.GetSpec().GetUrn() != graphx.URNParDo {
		return nil
	}
	var parDo pipepb.ParDoPayload
	if err := proto.Unmarshal(transform.Spec.Payload, &parDo); err != nil {
		t.Fatal(err)
	}
	var payload v1pb.TransformPayload
	if err := protox.DecodeBase64(string(parDo.DoFn.Payload), &payload); err != nil {
		t.Fatal(err)
	}
	_, fn, _, _, _, err := graphx.DecodeMultiEdge(payload.Edge)
	if err != nil {
		t.Fatalf("%s: %v", transform.UniqueName, err)
	}
	return fn
}
