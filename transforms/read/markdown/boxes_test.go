package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBoxes(t *testing.T) {
	for _, test := range []struct {
		why, file string
		want      []string
	}{
		{"admonitions of Docusaurus", ":::note Cups of *tea*\n\nWait.\n\n:::\n\n::: warning\nHot.\n:::\n",
			[]string{"other: Cups of tea", "paragraph: Wait.", "paragraph: Hot."}},
		{"titles in brackets", ":::tip[Cups]{#id}\nWait.\n:::\n", []string{"other: Cups", "paragraph: Wait."}},
		{"admonitions of MkDocs",
			"Text\n!!! warning \"The *title*\"\n    Hot\n    tea.\n\n    - one\n\n        x := 1\n\n    Cups.\n\nEnd.\n",
			[]string{"paragraph: Text", "other: The title", "paragraph: Hot tea.", "paragraph: one", "paragraph: x := 1",
				"paragraph: Cups.", "paragraph: End."}},
		{"with code", "!!! note inline end\n\n\tTea:\n\n\t    x := 1\n\n    ```\n    y\n\n    z\n    ```\n",
			[]string{"paragraph: Tea:", "preformatted: x := 1", "preformatted: y\nz"}},
		{"details", "??? question \"Why?\"\n\n    So.\n\n???+ note\n    Open.\n\n??? \"Only a title\"\n",
			[]string{"other: Why?", "paragraph: So.", "paragraph: Open.", "other: Only a title"}},
		{"tabs",
			"=== \"Linux\"\n\n    Use apt.\n\n    === \"Debian\"\n        !!! tip\n            Or it.\n\n===+ \"Windows\"\n    Use it.\n",
			[]string{"other: Linux", "paragraph: Use apt.", "other: Debian", "paragraph: Or it.", "other: Windows", "paragraph: Use it."}},
		{"in lists and quotes", "1. One\n\n    !!! note\n        Two.\n\n> !!! note\n>\n>     Three.\n",
			[]string{"paragraph: One", "paragraph: Two.", "paragraph: Three."}},
		{"what only looks like one", "!!! wow what a tea\n\n??? really\nYes.\n\nTitle\n===\n\n!!!\n\n=== none\n",
			[]string{"paragraph: !!! wow what a tea", "paragraph: ??? really Yes.", "heading: Title", "paragraph: !!!",
				"paragraph: === none"}},
		{"directives of MyST", "```{Note}\n:class: big\nHot *tea*.\n```\nText\n:::{admonition} The *title*\n---\nname: a\n---\n- Cups.\n:::\n",
			[]string{"paragraph: Hot tea.", "paragraph: Text", "other: The title", "list item: Cups."}},
		{"in each other", "````{tip}\nOne.\n\n```{figure} a.png\n:width: 3\n\nTwo.\n```\n\n```go\nx\n```\nThree.\n````\n\n" +
			"::::{grid} 1 2\n:::{card} Four\nFive.\n:::\n::::\n",
			[]string{"paragraph: One.", "paragraph: Two.", "preformatted: x", "paragraph: Three.", "other: Four", "paragraph: Five."}},
		{"directives of code", "```{code-block} python\nx\n```\n\n```{r, echo=FALSE}\ny\n```\n\n:::{code} c\n*z*\n:::\n\n```{other}\nw\n```\n",
			[]string{"preformatted: x", "preformatted: y", "preformatted: *z*", "preformatted: w"}},
		{"directives of which nothing is seen", "Tea\n```{toctree}\na\n```\n\n:::{include} b\n:::\n~~~{eval-rst}\n.. c::\n~~~\nCups.\n",
			[]string{"paragraph: Tea", "paragraph: Cups."}},
		{"unknown names and divisions", ":::{other}\nOne.\n:::\n\n::: {.box}\nTwo.\n:::\n", []string{"paragraph: One.", "paragraph: Two."}},
		{"without an end", "```{note}\nOne.\n\nTwo.\n", []string{"paragraph: One.", "paragraph: Two."}},
		{"too many in each other", strings.Repeat("```{note}\n", maxBoxes+1) + "One.\n", []string{"preformatted: One."}},
	} {
		if diff := cmp.Diff(test.want, blocks(t, test.file)); diff != "" {
			t.Errorf("%s:\n%s", test.why, diff)
		}
	}
}
