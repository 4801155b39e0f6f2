package html_test

import (
	"fmt"

	"sentweave/transforms/read/html"
)

func ExampleParse() {
	page, reason, _ := html.Parse([]byte(`<html lang="en"><title>Tea</title>
		<ul><li><a href="/">Home</a></li></ul>
		<h1>Tea</h1><p>Boil the water.<br>Then <b>wait</b>.</p><p></p>`), html.Origin{ContentType: "text/html; charset=utf-8"}, html.DefaultConfig())
	fmt.Printf("%q %s %s %d\n", reason, page.Language, page.Title, page.Ordinals)
	for _, b := range page.Blocks {
		fmt.Printf("%2d %-9s %.1f %q\n", b.Ordinal, b.Kind, b.LinkDensity, b.Text)
	}
	// Output:
	// "" en Tea 15
	//  4 list item 1.0 "Home"
	//  7 heading   0.0 "Tea"
	//  9 paragraph 0.0 "Boil the water.\nThen wait."
}
