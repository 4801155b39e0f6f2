package document_test

import (
	"fmt"

	"sentweave/transforms/document"
	"sentweave/transforms/read/html"
)

// A page becomes a document. What was dropped of it has the step and the reason.
func ExampleBuilder_Build() {
	config := document.DefaultConfig()
	config.Languages = []string{"eng"}
	builder, err := document.NewBuilder(config, nil) // without an identifier: languages are those that pages declare
	if err != nil {
		fmt.Println(err)
		return
	}
	const article = `<h1>Green tea</h1><p>Boil fresh water and let it cool for three minutes. Pour it over the leaves, and wait.
		They should float freely, because their taste needs room.</p><p>Drink the tea while it is warm. A second cup takes less time.</p>`
	for _, page := range []string{
		`<html lang="en"><ul><li><a href="/">Home</a></li><li><a href="/shop">Shop</a></li></ul>` + article,
		`<html lang="de">` + article,
		``,
	} {
		outcome := builder.Build(document.Record{
			Source: "tea.html", HTML: []byte(page), Origin: html.Origin{ContentType: "text/html; charset=utf-8"},
		})
		fmt.Printf("kept: %t, step %q, reason %q\n", outcome.Kept(), outcome.Step, outcome.Reason)
		for _, b := range outcome.Blocks {
			if !b.Kept() {
				fmt.Printf("  dropped block: %q: %s\n", b.Text, b.Reason)
			}
		}
		if outcome.Kept() {
			for _, s := range outcome.Document.Sentences {
				fmt.Printf("  %d %s %q\n", s.Position, s.Language, s.Text)
			}
		}
	}
	// Output:
	// kept: true, step "", reason ""
	//   dropped block: "Home": boilerplate
	//   dropped block: "Shop": boilerplate
	//   dropped block: "Green tea": boilerplate
	//   0 eng "Boil fresh water and let it cool for three minutes."
	//   1 eng "Pour it over the leaves, and wait."
	//   2 eng "They should float freely, because their taste needs room."
	//   3 eng "Drink the tea while it is warm."
	//   4 eng "A second cup takes less time."
	// kept: false, step "language", reason "unwanted_language"
	//   dropped block: "Green tea": boilerplate
	// kept: false, step "parse", reason "empty"
}
