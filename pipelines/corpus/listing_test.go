package corpus_test

import (
	"path/filepath"
	"strings"
	"testing"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
)

// A layout that reads no language off the names, and languages without a page, are found before any
// work, by a plan and by a look alike; what they cannot know is not one of them.
func TestLayoutsThatDoNotFit(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"en/a.html", "en/b.html", "de/a.html", "zh-TW/c.html"} {
		pipelinetest.File(t, root, name, "<p>"+prose(1)+"</p>")
	}
	mixed := t.TempDir()
	for _, name := range []string{"en/a.html", "de/a.html", "other/a.html"} {
		pipelinetest.File(t, mixed, name, "<p>"+prose(1)+"</p>")
	}
	list := pathsFile(t, "list", "en/a.html\nen/b.html\n")
	for _, test := range []struct {
		args, want, translated string // what is said of the plan, and of pairs of the pages
	}{
		{"", "", "give --layout"},
		{"--layout {language}/{page}.html", "", ""},
		{"--layout {language}/{page}.html --languages eng,deu,zho", "", ""},
		{"--layout {language}/{page}.html --languages en,de,zh-Hant", "", ""},
		{"--layout {language}/{page}.html --languages en,fr,zh-Hans", "no file is in fra, zho_Hans; there are files in deu, eng, zho_Hant",
			"no file is in fra"},
		{"--layout {language}/{page}.html --languages fr", "by name in another language than fra", "by name in another language"},
		{"--layout {page}/{language}.html",
			"--layout={page}/{language}.html reads no known language off any of the 4 files that match it, such as de/a.html",
			"reads no known language"},
		{"--layout {language}/{page}.htm", "only names that match the layout", "only names that match"},
		{"--layout {language}/{page}.html --languages eng", "",
			"finds no page that is there in two languages: the 2 files that it takes are in eng"},
		{"--layout {language}/{page}.html --languages eng,zho", "", "the 3 files that it takes are in eng, zho_Hant"},
		{"--layout {language}/{page}.html --languages eng,fra --paths " + list, "", "the 2 files that it takes are in eng"},
		{"--input " + mixed + " --layout {language}/{page}.html --languages eng,fra", "", ""},
	} {
		args := strings.Fields(test.args)
		if !strings.Contains(test.args, "--input") {
			args = append(args, "--input", root)
		}
		config := pipelinetest.Parse[corpus.Config](t, args...)
		output := filepath.Join(t.TempDir(), "out")
		_, planned := config.Plan(t.Context(), output, pipelinetest.Settings(1<<20))
		for what, err := range map[string]error{"plan": planned, "look": config.Look(t.Context(), output)} {
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %s: %v, want %q", test.args, what, err, test.want)
			}
		}
		if err := config.LookTranslated(t.Context(), output, nil, ""); (err == nil) != (test.translated == "") || err != nil &&
			!strings.Contains(err.Error(), test.translated) {
			t.Errorf("%s: translated: %v, want %q", test.args, err, test.translated)
		}
	}
	config := pipelinetest.Parse[corpus.Config](t, "--input", root, "--layout", "{language}/{page}.html")
	for _, test := range []struct {
		among       []string
		pivot, want string
	}{
		{[]string{"eng", "deu"}, "", ""},
		{nil, "deu", ""},
		{[]string{"spa", "ita"},
			"", "finds no page that is there in two of the languages spa, ita: the 4 files that it takes are in deu, eng, zho_Hant"},
		{[]string{"eng", "zho"}, "", "two of the languages eng, zho"},
		{nil, "spa", "finds no page that is there in two languages, one of them the pivot spa"},
		{nil, "zho", "one of them the pivot zho"},
	} {
		err := config.LookTranslated(t.Context(), filepath.Join(t.TempDir(), "out"), test.among, test.pivot)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("among %v, pivot %q: %v, want %q", test.among, test.pivot, err, test.want)
		}
	}
}

// TestHiddenPages: pages of Markdown in the collections of Jekyll and the indexes of Hugo are read, and no other hidden files.
func TestHiddenPages(t *testing.T) {
	root := t.TempDir()
	pages := []string{"_posts/2020-01-01-a.md", "b.md", "blog/_index.md", "blog/_index.fr.md.gz", "de/_docs/x/c.markdown"}
	for _, name := range append([]string{"_posts/a.html", "_posts/.a.md", "_a.md", "_index/_a.md", "_index.html", "_includes/a.md",
		"x/_Drafts/_index.md", "_posts/__tests__/a.md", ".git/a.md", "_site/_posts/a.md", "_posts/.x/a.md"}, pages...) {
		pipelinetest.File(t, root, name, prose(1))
	}
	for _, test := range []struct {
		args string
		want int64
	}{
		{"", 5}, {"--layout {language}/_docs/{page}.markdown", 1}, {"--format text", 1},
		{"--paths " + pathsFile(t, "list", "_a.md\n_site/_posts/a.md\n"), 2},
	} {
		job, err := planOf(t, 1<<20, append(strings.Fields(test.args), "--input", root)...)
		if err != nil {
			t.Fatal(err)
		}
		if got := job.Plan.Inputs[0].Files; got != test.want {
			t.Errorf("%q: %d files, want %d", test.args, got, test.want)
		}
		if notes := strings.Join(job.Notes, "\n"); test.args == "" && !strings.Contains(notes,
			"11 of 16 files are left out, such as .git/a.md: a part of the path begins with . or _") {
			t.Error(notes)
		}
	}
}
