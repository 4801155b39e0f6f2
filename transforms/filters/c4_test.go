package filters

import "testing"

func TestC4(t *testing.T) {
	tests := []struct{ text, sentence, document string }{
		{"Please enable JavaScript in your browser.", reasonJavaScript, ""},
		{"Read our Privacy Policy before you go on.", reasonPolicy, ""},
		{"This site USES COOKIES to know you.", reasonPolicy, ""},
		{"We used a cookie cutter on the java beans.", "", ""},
		{"Lorem Ipsum is where the text is missing.", "", reasonLoremIpsum},
		{"Then write { and the rest of the program.", "", reasonCurlyBracket},
	}
	for _, tt := range tests {
		if reason, _ := sentence(t, c4, tt.text, "eng"); reason != tt.sentence {
			t.Errorf("%q: %q, want %q", tt.text, reason, tt.sentence)
		}
		if reason, _ := judge(t, c4, document(prose[0], tt.text)); reason != tt.document {
			t.Errorf("a document with %q: %q, want %q", tt.text, reason, tt.document)
		}
	}
}
