package document

import (
	"strings"
	"testing"

	"sentweave/schemas/dataset"
)

// TestMask: masking changes texts alone, in rejects too, and counts what it masks by language.
func TestMask(t *testing.T) {
	const personal = "Write to jane@web.de or call 030/901820 today, and not tomorrow."
	record := Record{Source: "a.txt", URL: "https://www.debian.de/", Text: english + " " + personal + "\n\n" +
		another + "\n\n" + personal + " joe@posteo.net/////////////////////////"}
	plain := builder(t, nil).Build(record)
	c := DefaultConfig()
	c.MaskPII = []string{"email", "phone"}
	b, err := NewBuilder(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	masked := b.Build(record)
	count := 0
	placeholders := strings.NewReplacer("jane@web.de", "email@example.com", "030/901820", "+00 000 000 000")
	for i, s := range masked.Document.Sentences {
		want := placeholders.Replace(plain.Document.Sentences[i].Text)
		if s.Position != plain.Document.Sentences[i].Position || s.Text != want {
			t.Errorf("sentence %d is %q, want %q", i, s.Text, want)
		}
		count += strings.Count(s.Text, "email@example.com")
	}
	f := dataset.NewFunnel(Chains(false, true)...)
	var rejects dataset.Rejects
	if err := masked.Count(f, &rejects); err != nil {
		t.Fatal(err)
	}
	if count == 0 || masked.personal != [5]int64{int64(count), 4: int64(count)} {
		t.Errorf("%d sentences with an address: counted %v", count, masked.personal)
	}
	for _, r := range rejects.Sorted() {
		if strings.Contains(r.Sample, "joe@") {
			t.Errorf("a reject has %q", r.Sample)
		}
	}
	if c.MaskPII = []string{"fax"}; c.Validate() == nil {
		t.Error("masks fax")
	}
}
