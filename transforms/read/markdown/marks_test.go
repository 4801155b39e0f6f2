package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarks(t *testing.T) {
	for _, test := range []struct {
		why, file string
		want      []string
	}{
		{"an alert of GitHub", "> [!NOTE]\n> Useful *information* for users.\n", []string{"paragraph: Useful information for users."}},
		{"an alert with a title", "> [!tip]- Brewing\n> Wait.\n", []string{"paragraph: Brewing Wait."}},
		{"the same within a quote", "> Write [!NOTE] first.\n", []string{"paragraph: Write [!NOTE] first."}},
		{"and outside", "[!NOTE] is a mark.\n", []string{"paragraph: [!NOTE] is a mark."}},
		{"badges", "[![alt](a.svg)](b) Tea\n", []string{"paragraph: Tea"}},
		{"tags of Liquid", "Some {% include x.html %} tea and {{ page.title | upcase }} cups.\n",
			[]string{"paragraph: Some tea and cups."}},
		{"raw braces", "{% raw %}Write {{ x }}.{% endraw %} Not {{ y }} here.\n", []string{"paragraph: Write {{ x }}. Not here."}},
		{"raw in lines of their own", "{% raw %}\n\nWrite {{ x }}.\n\n{%- endraw -%}\n\nNot {{ y }} here.\n",
			[]string{"paragraph: Write {{ x }}.", "paragraph: Not here."}},
		{"braces in code", "Write `{{ x }}`.\n\n    {% x %}\n", []string{"paragraph: Write {{ x }}.", "preformatted: {% x %}"}},
		{"braces of other kinds", "The set {1, 2}, {{x}} and 50 {% of it.\n",
			[]string{"paragraph: The set {1, 2}, {{x}} and 50 {% of it."}},
		{"code of Jekyll", "Text.\n\n{% highlight ruby %}\ndef a\n\n  *b*\n{% endhighlight %}\n\nMore.\n",
			[]string{"paragraph: Text.", "preformatted: def a\n*b*", "paragraph: More."}},
		{"code of Hugo", "{{< highlight go >}}\nx := 1\n{{< /highlight >}}\nMore.\n", []string{"preformatted: x := 1", "paragraph: More."}},
		{"a comment of Liquid", "{% comment %}\nNot seen.\n{% endcomment %}\n\nSeen.\n", []string{"paragraph: Seen."}},
		{"shortcodes", "{{< figure src=\"a.png\" >}}\n\n{{% notice %}}\nTake *care*.\n{{% /notice %}}\n",
			[]string{"paragraph: Take care."}},
		{"imports and exports",
			"import Tabs from '@theme/Tabs';\nimport {a, b} from \"./b.js\";\nexport const foo = () => (\n  <div>zork</div>\n);\n\nText.\n",
			[]string{"paragraph: Text."}},
		{"an import of lines", "import {\n  a,\n} from 'b';\n\nText.\n", []string{"paragraph: Text."}},
		{"imports that are prose", "import the module first.\nexport default settings with care.\n",
			[]string{"paragraph: import the module first. export default settings with care."}},
		{"exports that are prose", "export all cups, and let them cool.\n", []string{"paragraph: export all cups, and let them cool."}},
		{"components", "<Tabs values={[{a: 'b'}]}>\n<TabItem value=\"mac\">\n\nText *here*.\n\n</TabItem>\n</Tabs>\n\nA <Color as={x}>red</Color> cup {/* hidden */} of tea.\n",
			[]string{"paragraph: Text here.", "paragraph: A red cup of tea."}},
		{"links of wikis", "See [[Green tea]], [[Tea#Cups|the cups]] and ![[a.png]].\n",
			[]string{"paragraph: See Green tea, the cups and ."}},
		{"links of Jekyll", "See [the *post*]({% post_url 2010-01-01-x %}), [that]({{ site.baseurl }}/a/b.html), [x](y) and ![a]({{ site.url }}/a.png).\n",
			[]string{"paragraph: See the *post*, that, x and ."}},
		{"links of Jekyll that are defined elsewhere", "See [the post][1], [Cups] and [x][y].\n\n[1]: {% post_url 2010-01-01-x %}\n[y]: http://c\n" +
			"[cups]: {{ site.baseurl }}/cups#a \"Cups\"\nMore.\n", []string{"paragraph: See the post, Cups and x.", "paragraph: More."}},
		{"what only looks like a definition", "Say\n[1]: {{ now }}\n\n[2]: use {{ now }} here\n",
			[]string{"paragraph: Say [1]:", "paragraph: [2]: use here"}},
		{"braces behind a link", "See [the post](a.html) and (not {{ y }} here).\n", []string{"paragraph: See the post and (not here)."}},
		{"brackets that are none", "See [[1]](http://a.b), [[2]] and [[x]][y].\n\n[y]: http://c\n",
			[]string{"paragraph: See [1], [[2]] and [x]."}},
		{"admonitions", ":::note Cups of *tea*\n\nWait.\n\n:::\n\n::: warning\nHot.\n:::\n",
			[]string{"other: Cups of tea", "paragraph: Wait.", "paragraph: Hot."}},
		{"titles in brackets", ":::tip[Cups]{#id}\nWait.\n:::\n", []string{"other: Cups", "paragraph: Wait."}},
		{"attributes of headings", "## Green tea {#green .big}\n\nText. {: .cls}\n{: #id }\n",
			[]string{"heading: Green tea", "paragraph: Text."}},
		{"a heading of a set", "## The set {1, 2}\n", []string{"heading: The set {1, 2}"}},
	} {
		if diff := cmp.Diff(test.want, blocks(t, test.file)); diff != "" {
			t.Errorf("%s:\n%s", test.why, diff)
		}
	}
}

// TestManyMarks: marks that do not end cost no more than their line has room for.
func TestManyMarks(t *testing.T) {
	for _, mark := range []string{"{{ ", "{% ", "{/*", "<A ", "![[", "{: ", "[[a|", ":::a\n", "import {\n", "{% highlight x %}\n",
		"[a]({{ ", "[a](", "[a]: {{ \n", "[a]: {{ }}\n", "> [!a]\n\n"} {
		if page, reason, _ := Convert(strings.Repeat(mark, 20_000)); (page.HTML == nil) != (reason != "") || reason == malformed {
			t.Errorf("%q: %q", mark, reason)
		}
	}
}
