package metrics

import (
	"strings"
	"testing"
)

// TestMetrics: names are unique and leave room for the mark of figures without contaminated items, and a metric whose
// figures follow from items says how.
func TestMetrics(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range metrics {
		if m.Name == "" || seen[m.Name] || strings.HasSuffix(m.Name, UncontaminatedSuffix) || m.Better < -1 || m.Better > 1 {
			t.Errorf("%+v", m)
		}
		seen[m.Name] = true
		if s := m.items; s != nil && (s.score == nil || s.takes == nil || (s.figure == 0) != (s.gold == nil)) {
			t.Errorf("%s: its figures do not follow from items: %+v", m.Name, s)
		}
		if other := ByName(m.Name + UncontaminatedSuffix); other.Name != m.Name || other.Better != m.Better {
			t.Errorf("%s without contaminated items is read as %+v", m.Name, other)
		}
	}
	if m := ByName("perplexity"); m.Name != "perplexity" || m.Percent || m.Better != 0 {
		t.Errorf("of a metric that no task gives %+v is known", m)
	}
}
