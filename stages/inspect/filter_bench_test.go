package inspect

import "testing"

func BenchmarkFilter(b *testing.B) {
	d := build(b, documents(20_000), 20_000)
	table, err := d.Table(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for _, text := range []string{
		`language == "spa"`, `language == "spa" and (length(sentences) > 2 or not offset >= 100)`, `sentences.text contains "Sentence 2"`,
		`language_score < 0.35 and url != null`,
	} {
		f, err := table.Filter(b.Context(), text)
		if err != nil {
			b.Fatal(err)
		}
		var rows []*Row
		for row, err := range table.Rows(b.Context(), f.Selection) {
			if err != nil {
				b.Fatal(err)
			}
			own := *row
			own.values = nil
			for _, v := range row.values {
				own.values = append(own.values, append(v[:0:0], v...))
			}
			if rows = append(rows, &own); len(rows) == 1000 {
				break
			}
		}
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for i := range b.N {
				if f.Holds(rows[i%len(rows)]) {
					n++
				}
			}
		})
	}
}
