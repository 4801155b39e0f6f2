package html

import (
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
)

// encodePages writes pages, one a line: sentences of Tatoeba in the encodings of its
// languages, as Python's codecs write them, which differ from ours. The arguments are
// the folder and languages with encodings.
const encodePages = `
import base64, json, sys
for item in sys.argv[2:]:
    language, encoding = item.split(':')
    pair = f'{sys.argv[1]}/tatoeba.{language}-eng.{language}'
    texts = []
    for line in open(pair, encoding='utf-8', newline='\n'):
        try:
            line.encode(encoding)
        except UnicodeEncodeError:
            continue
        texts.append(' '.join(line.replace('\u00ad', '').split()))
    text = ' '.join(texts[:40]).replace('&', '').replace('<', '')
    for where, head in {
        'first': '<meta charset="%s">',
        'late': '<title>x</title><script>' + 'var x = 1;' * 300 + '</script><style>' + 'p { color: red }' * 300 + '</style><meta http-equiv=Content-Type content="text/html; charset=%s">',
        'header': '', 'none': '',
    }.items():
        name = {'cp949': 'euc-kr', 'cp874': 'windows-874'}.get(encoding, encoding).replace('cp125', 'windows-125')
        page = '<html><head>' + (head % name if head else '') + '</head><body><p>' + text + '</p></body></html>'
        print(json.dumps({'language': language, 'encoding': name, 'where': where, 'text': text,
            'page': base64.b64encode(page.encode(encoding)).decode('ascii')}))
`

// TestEncodingsOfPython decodes pages that Python has encoded.
func TestEncodingsOfPython(t *testing.T) {
	python := peertest.Python(t)
	folder := filepath.Join(realdata.Folder(t, "tatoeba"), "tatoeba")
	type coded struct {
		Language, Encoding, Where, Text string
		Page                            []byte
	}
	detected, all := 0, 0
	for _, c := range peertest.Values[coded](t, peertest.Output(t, nil, python, "-c", encodePages, folder,
		"pol:iso-8859-2", "pol:cp1250", "slv:iso-8859-2", "slv:cp1250", "ces:iso-8859-2", "hun:cp1250", "hrv:iso-8859-2",
		"vie:cp1258", "rus:koi8-r", "rus:cp1251", "rus:iso-8859-5", "ukr:koi8-u", "bul:cp1251", "ell:iso-8859-7", "ell:cp1253",
		"tur:cp1254", "heb:cp1255", "ara:cp1256", "lit:cp1257", "est:iso-8859-13", "deu:iso-8859-15", "tha:cp874",
		"jpn:shift_jis", "jpn:euc-jp", "kor:cp949", "cmn:gbk", "cmn:gb18030", "cmn:big5")) {
		if len(c.Text) < 500 {
			t.Errorf("%s in %s has %d bytes: too few to test", c.Language, c.Encoding, len(c.Text))
		}
		contentType := "text/html"
		if c.Where == "header" {
			contentType += "; charset=" + strings.ToUpper(c.Encoding)
		}
		page, reason, detail := Parse(c.Page, Origin{ContentType: contentType}, DefaultConfig())
		right := reason == "" && page.Blocks[0].Text == c.Text
		if c.Where == "none" {
			all++
			if right {
				detected++
			} else if reason == "" {
				t.Logf("%s in %s, undeclared, is read as %s", c.Language, c.Encoding, page.Charset)
			}
			continue
		}
		if !right {
			t.Errorf("%s in %s, declared %s: %s %s", c.Language, c.Encoding, c.Where, reason, detail)
			if page != nil {
				t.Logf("%s: %.300q, want %.300q", page.Charset, page.Blocks[0].Text, c.Text)
			}
		}
	}
	t.Logf("%d of %d pages that declare nothing are detected", detected, all)
	if all == 0 || detected*20 < 19*all {
		t.Errorf("%d of %d pages that declare nothing are detected, want 19 of 20", detected, all)
	}
}
