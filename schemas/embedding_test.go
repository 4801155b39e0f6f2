package schemas

import "testing"

func TestDocumentOfEmbedding(t *testing.T) {
	id := ID("page.html", 3)
	for row, want := range map[string]string{
		id + "/12": id, id + "/a": "", id + "/": "", id: "", id + "/1/2": "", id + "/-1": "", "lines.txt/12": "", "": "",
	} {
		if got := (Embedding{ID: row}).Document(); got != want {
			t.Errorf("%q is of the document %q, want %q", row, got, want)
		}
	}
}
