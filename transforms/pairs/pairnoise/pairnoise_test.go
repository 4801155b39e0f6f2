package pairnoise

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/transforms/random"
)

// Each rule changes a target as it says, and leaves alone what does not lend itself to it.
func TestKinds(t *testing.T) {
	pair := Pair{ID: "1", Source: "Es sind 17 Katzen auf zwei alten Matten da.", Target: "There are 17 cats on two old mats here."}
	const other = "Nobody has seen any of these small brown dogs."
	sorted := func(text string) []string { return slices.Sorted(slices.Values(strings.Fields(text))) }
	kept := func(text string) int {
		return len(strings.Fields(pair.Target)) - len(strings.Fields(text))
	}
	holds := map[string]func(text string) bool{
		"misaligned": func(text string) bool { return text == other },
		"misordered": func(text string) bool { return text != pair.Target && cmp.Equal(sorted(text), sorted(pair.Target)) },
		"truncated": func(text string) bool {
			return strings.HasPrefix(pair.Target, text) && kept(text) >= 2 && kept(text) <= 6
		},
		"omitted": func(text string) bool {
			return strings.HasPrefix(text, "There") && strings.HasSuffix(text, "here.") && kept(text) >= 2 && kept(text) <= 4
		},
		"replaced":     func(text string) bool { return kept(text) == 0 && text != pair.Target && text != other },
		"untranslated": func(text string) bool { return text == pair.Source },
		"numbers": func(text string) bool {
			changed := 0
			for i := range text {
				if text[i] != pair.Target[i] {
					changed++
				}
			}
			return changed == 1 && !strings.Contains(text, "17")
		},
		"merged": func(text string) bool { return text == pair.Target+" "+other },
	}
	short := map[string]bool{"misordered": true, "truncated": true, "omitted": true, "replaced": true, "numbers": true}
	for _, k := range kinds {
		for i := range int64(50) {
			s := random.New(1, 1, "test", k.name, i)
			if text := k.target(&s, pair, other); !holds[k.name](text) {
				t.Errorf("%s: %q becomes %q", k.name, pair.Target, text)
			}
			if text := k.target(&s, Pair{Source: "Ja, sie.", Target: "Yes, they."}, other); (text == "") != short[k.name] {
				t.Errorf("%s: a short target becomes %q", k.name, text)
			}
		}
	}
	if words, separator := split("这里有十七只猫。"); len(words) != 8 || separator != "" {
		t.Errorf("Chinese is split into %q", words)
	}
}

// A pair becomes the same in any order of the pairs; kinds are as many as they can be, and what replaces a target is of its languages.
func TestPlant(t *testing.T) {
	var pairs []Pair
	for i := range 2000 {
		languages := []string{"deu eng", "deu fra"}[i%2]
		number := strings.Repeat("x", i%7)
		if i%10 == 0 {
			number = "7"
		}
		pairs = append(pairs, Pair{ID: fmt.Sprint(i), Source: fmt.Sprintf("Satz %c %d", 'a'+i%26, i), Languages: languages,
			Target: fmt.Sprintf("%s one two three four %c %s", languages, 'a'+i%26, number)})
	}
	kinds, targets := Plant(5, pairs)
	counts := map[string]int{}
	for i, kind := range kinds {
		counts[kind]++
		if (kind == "") != (targets[i] == "") || targets[i] == pairs[i].Target {
			t.Fatalf("%q becomes %q by %q", pairs[i].Target, targets[i], kind)
		}
		if kind == "misaligned" && !strings.HasPrefix(targets[i], pairs[i].Languages) {
			t.Errorf("a pair of %s becomes %q", pairs[i].Languages, targets[i])
		}
	}
	if good := counts[""]; good < 900 || good > 1100 {
		t.Errorf("%d of 2,000 pairs stay good", good)
	}
	names, _ := Kinds()
	for _, name := range names {
		if n := counts[name]; n < 80 || n > 150 {
			t.Errorf("%d pairs are %s", n, name)
		}
	}
	slices.Reverse(pairs)
	again, others := Plant(5, pairs)
	slices.Reverse(again)
	slices.Reverse(others)
	if diff := cmp.Diff([][]string{kinds, targets}, [][]string{again, others}); diff != "" {
		t.Errorf("in another order: %s", diff)
	}
	if other, _ := Plant(6, pairs); cmp.Equal(other, again) {
		t.Error("another seed gives the same kinds")
	}
}
