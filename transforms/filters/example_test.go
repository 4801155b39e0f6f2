package filters_test

import (
	"fmt"

	"sentweave/transforms/filters"
)

// Filters are chosen by name. They judge each sentence of a page, and then the page by what was kept.
func Example() {
	rules, err := filters.List.Choose([]string{"c4"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	page := filters.NewChain(rules).Page()
	defer page.Close()
	for block, text := range []string{"The kettle is on the stove.", "Please enable JavaScript to see the menu.", "var tea = {};"} {
		reason, _ := page.Sentence(text, "eng", int32(block))
		fmt.Printf("%q: %q\n", text, reason)
	}
	reason, _ := page.Document("eng", 1, true)
	fmt.Printf("the page: %q\n", reason)
	// Output:
	// "The kettle is on the stove.": ""
	// "Please enable JavaScript to see the menu.": "javascript"
	// "var tea = {};": ""
	// the page: "curly_bracket"
}
