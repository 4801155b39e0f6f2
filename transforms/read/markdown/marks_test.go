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
			[]string{"paragraph: See the post, that, x and ."}},
		{"links of Jekyll that are defined elsewhere", "See [the post][1], [Cups] and [x][y].\n\n[1]: {% post_url 2010-01-01-x %}\n[y]: http://c\n" +
			"[cups]: {{ site.baseurl }}/cups#a \"Cups\"\nMore.\n", []string{"paragraph: See the post, Cups and x.", "paragraph: More."}},
		{"what only looks like a definition", "Say\n[1]: {{ now }}\n\n[2]: use {{ now }} here\n",
			[]string{"paragraph: Say [1]:", "paragraph: [2]: use here"}},
		{"braces behind a link", "See [the post](a.html) and (not {{ y }} here).\n", []string{"paragraph: See the post and (not here)."}},
		{"brackets that are none", "See [[1]](http://a.b), [[2]] and [[x]][y].\n\n[y]: http://c\n",
			[]string{"paragraph: See [1], [[2]] and [x]."}},
		{"attributes of headings", "## Green tea {#green .big}\n\nText. {: .cls}\n{: #id }\n",
			[]string{"heading: Green tea", "paragraph: Text."}},
		{"attributes with spaces", "[Start](a){ .button width=3 } `x`{.go}\n{ .cls #id }\n\n## Cups { data-x }\n",
			[]string{"paragraph: Start x", "heading: Cups"}},
		{"braces that are not attributes", "Of a[i]{x=1} and {.net} or *{a, b}*: see {foo=1}\n",
			[]string{"paragraph: Of a[i]{x=1} and {.net} or {a, b}: see {foo=1}"}},
		{"tables of contents", "[TOC]\n\n[[_toc_]]\n\nWrite [TOC]\n", []string{"paragraph: Write [TOC]"}},
		{"snippets", "Tea.\n\n--8<-- \"a.md\"\n\n--8<--\na.md\nb.md\n--8<--\n\n-8<- cut here\n",
			[]string{"paragraph: Tea.", "paragraph: -8<- cut here"}},
		{"keys", "Press ++ctrl+alt++, not C++ or a++b++ and ++i.\n",
			[]string{"paragraph: Press ctrl+alt, not C++ or a++b++ and ++i."}},
		{"what nobody ends", "Tea.\n\n%%\n\nCups.\n\n{% comment %}\n\nMore.\n",
			[]string{"paragraph: Tea.", "paragraph: %%", "paragraph: Cups.", "paragraph: More."}},
		{"comments of Obsidian", "Hot %%not *seen*%% tea, 5%% or 6%%.\n\n%%\nNot\n\nseen.\n%%\nUse %%time and %%timeit.\n",
			[]string{"paragraph: Hot tea, 5%% or 6%%.", "paragraph: Use %%time and %%timeit."}},
		{"roles and targets of MyST", "(a-b)=\n# Cups\n\nSee {ref}`the cups` (f(x))=\n\n% kept\n",
			[]string{"heading: Cups", "paragraph: See the cups (f(x))=", "paragraph: % kept"}},
		{"labels of Liquid", "See [{{ page.name }}]({{ page.url }}), [*a* {{ b }}]({% link c %}) and [[d]]({{ e }}).\n\n" +
			"[![{{ a }}]({{ b }})]({{ c }}) [{{a}}]({{b}}) [![a](b)]({{ c }}) Tea.\n",
			[]string{"paragraph: See , a and [[d].", "paragraph: Tea."}},
		{"comments of Liquid in paragraphs", "{% comment %} a {% endcomment %} One {%- comment -%} b\nc {%- endcomment -%} two {% comment %}\nd" +
			"{% endcomment %} three {% comment %} four.\n{% comment %}\ne\n\nf\n{% endcomment %} Five.\n",
			[]string{"paragraph: One two three four.", "paragraph: Five."}},
		{"code below text", "1. One\n   {% highlight ruby %}\n   a\n   {% endhighlight %}\n   two.\n\nThree\n{{< highlight go >}}\nb\n" +
			"{{< /highlight >}} four.\n",
			[]string{"list item: One", "preformatted: a", "list item: two.", "paragraph: Three", "preformatted: b", "paragraph: four."}},
		{"a heading of a set", "## The set {1, 2}\n", []string{"heading: The set {1, 2}"}},
	} {
		if diff := cmp.Diff(test.want, blocks(t, test.file)); diff != "" {
			t.Errorf("%s:\n%s", test.why, diff)
		}
	}
}

// TestExpressions: readers of MDX do not see the code in braces.
func TestExpressions(t *testing.T) {
	for _, test := range []struct {
		why, file string
		want      []string
	}{
		{"in a line", "The {props.value} cups of {fn({a: {b: 1}})} and {'tea'}{\" \"}\\{x} `{y}`.\n",
			[]string{"paragraph: The cups of and tea {x} {y}."}},
		{"of lines", "Tea {a\n.b} is\nhot {c.\n", []string{"paragraph: Tea is hot {c."}},
		{"of blocks", "{list.map(a => (\n\n  <li>{a}</li>\n))}\n\nTea.\n{/* not\n\nseen */} Cups.\n",
			[]string{"paragraph: Tea.", "paragraph: Cups."}},
	} {
		if diff := cmp.Diff(test.want, converted(t, test.file, true)); diff != "" {
			t.Errorf("%s:\n%s", test.why, diff)
		}
	}
}

// TestManyMarks: marks that do not end cost no more than their line has room for.
func TestManyMarks(t *testing.T) {
	for _, mark := range []string{"{{ ", "{% ", "{/*", "<A ", "![[", "{: ", "[[a|", ":::a\n", "import {\n", "{% highlight x %}\n",
		"[a]({{ ", "[a](", "[a]: {{ \n", "[a]: {{ }}\n", "> [!a]\n\n", "{a ",
		"{% comment %} ", "{% comment %}{\n", "%%\n", "%%a ", "++a ", "{ .a ", "[toc]", "(a)=\n", "--8<--\n", "!!! a\n\n",
		"```{note}\n", ":::{tip}\n---\n",
		":::{toctree}\n", "=== \"*a_\"\n    "} {
		if page, reason, _ := Convert(strings.Repeat(mark, 20_000), true); (page.HTML == nil) != (reason != "") || reason == malformed {
			t.Errorf("%q: %q", mark, reason)
		}
	}
}
