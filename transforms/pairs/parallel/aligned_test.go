package parallel

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// manual has paragraphs of sentences in two languages, by their own lengths.
func manual(paragraphs int) (english, german []string) {
	for i := range paragraphs {
		var a, b []string
		for k := range 1 + i%3 {
			topic := strings.Repeat("data ", 2+(7*i+5*k)%11)
			a = append(a, fmt.Sprintf("Chapter %d explains the %sof a backup.", 100+10*i+k, topic))
			b = append(b, fmt.Sprintf("Kapitel %d erklärt die %seiner Sicherung.", 100+10*i+k, strings.ReplaceAll(topic, "data", "Daten")))
		}
		english, german = append(english, strings.Join(a, " ")), append(german, strings.Join(b, " "))
	}
	return english, german
}

func TestAlign(t *testing.T) {
	english, german := manual(12)
	drop := func(text []string, i int) []string { return slices.Delete(slices.Clone(text), i, i+1) }
	strangers, _ := manual(40)
	for _, c := range []struct {
		name           string
		a, b           []string
		edit           func(*Config)
		pairs          int
		missing, other int // drops
	}{
		{"a paragraph is missing in German", english, drop(german, 4), nil, 22, 2, 0},
		{"a paragraph is missing in English", drop(english, 6), german, nil, 23, 1, 0},
		{"equally many", english, german, nil, 12, 0, 0}, // blocks
		{"each lacks another paragraph", drop(english, 2), drop(german, 8), nil, 18, 6, 0},
		{"two paragraphs are one", english, append([]string{german[0] + " " + german[1]}, german[2:]...), nil, 24, 0, 0},
		{"a paragraph is in English, too", english, append(slices.Clone(german), english[4]), nil, 24, 2, 0},
		{"too short", english, drop(german, 4), func(c *Config) { c.MinCharacters = 1000 }, 0, 2, 22},
		{"far shorter", strangers, german[:2], nil, 0, 0, 79 + 3},
	} {
		var r Result
		j := joiner(t, func(config *Config) {
			config.Align = true
			if c.edit != nil {
				c.edit(config)
			}
		})
		j.Join(&r, "manual", "corpus", []Page{pageOf("eng", c.a), pageOf("deu", c.b)})
		missing := 0
		for _, d := range r.Drops {
			if d.Reason == reasonMissing {
				missing++
			}
			if d.TextA+d.TextB == "" {
				t.Errorf("%s: the drop %+v has no text", c.name, d)
			}
		}
		if len(r.Pairs) != c.pairs || r.Joined != c.pairs || missing != c.missing || len(r.Drops)-missing != c.other {
			t.Errorf("%s: %d pairs, %d joined, %d missing of %d drops, want %d, %d, %d", c.name, len(r.Pairs), r.Joined, missing,
				len(r.Drops), c.pairs, c.missing, c.other)
		}
		ids := map[string]bool{}
		for _, p := range r.Pairs {
			if ids[p.ID] || p.Validate() != nil || strings.Fields(p.TextA)[1] != strings.Fields(p.TextB)[1] {
				t.Errorf("%s: pair of %q and %q: %v", c.name, p.TextA, p.TextB, p.Validate())
			}
			ids[p.ID] = true
		}
	}
}

// The pages of three languages: a text of one block is in one group, whichever languages it is paired with.
func TestGroupsOfAligned(t *testing.T) {
	english, german := manual(9)
	french := make([]string, len(english))
	for i, p := range english {
		french[i] = strings.NewReplacer("Chapter", "Chapitre", "explains the", "explique les", "data", "données",
			"of a backup", "d'une sauvegarde").Replace(p)
	}
	var r Result
	pages := []Page{pageOf("eng", english), pageOf("deu", german[1:]), pageOf("fra", french)}
	joiner(t, func(c *Config) { c.Align = true }).Join(&r, "manual", "corpus", pages)
	groups := map[string]uint64{} // by the number of the chapter, without the sentence
	for _, p := range r.Pairs {
		chapter := strings.Fields(p.TextA)[1][:2]
		if p.LanguageA == "deu" && p.LanguageB == "fra" {
			continue // neither is the original
		}
		if g, ok := groups[chapter]; ok && g != *p.Group {
			t.Errorf("%s-%s %q: group %x, want %x", p.LanguageA, p.LanguageB, p.TextA, *p.Group, g)
		}
		groups[chapter] = *p.Group
	}
	if len(groups) != 9 {
		t.Errorf("%d groups, want one a paragraph", len(groups))
	}
}
