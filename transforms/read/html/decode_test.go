package html

import (
	endian "encoding/binary"
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"
)

// inUTF32 returns a text in UTF-32.
func inUTF32(order endian.ByteOrder, text string) string {
	var b []byte
	for _, r := range text {
		b = append(b, 0, 0, 0, 0)
		order.PutUint32(b[len(b)-4:], uint32(r))
	}
	return string(b)
}

func TestDecode(t *testing.T) {
	encode := func(name, text string) string {
		e, err := htmlindex.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := e.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	russian := "Это предложение написано на русском языке, чтобы определить кодировку страницы. "
	polish := "Zażółć gęślą jaźń, a potem źrebię pójdzie śladem łosia na łąkę."
	japanese := "これは文字コードを調べるための日本語の文章です。とても短いです。"
	thai := "หน้านี้เขียนเป็นภาษาไทย เพื่อให้โปรแกรมหารหัสอักขระ"
	korean := "긴 겨울이 지난 뒤에도 강물은 높았습니다."
	chinese := "这是用来检测字符编码的中文句子，内容不多。"
	for _, c := range []struct{ name, data, header, charset, text string }{
		{"ASCII", "<p>plain", "", "utf-8", "plain"},
		{"UTF-8, nothing declared", "<p>" + russian, "", "utf-8", russian},
		{"UTF-8 against the header", "<p>" + russian, "text/html; charset=ISO-8859-1", "utf-8", russian},
		{"UTF-8 against the meta element", "<meta charset=windows-1251><p>" + russian, "", "utf-8", russian},
		{"little UTF-8 does not outweigh a declaration", "<meta charset=gbk><p>\xc1\xaa\xcd\xa8", "", "gbk", "联通"},
		{"UTF-8 with mark against the header", "\ufeff<p>é", "text/html; charset=windows-1252", "utf-8", "é"},
		{"UTF-16", "\xff\xfe" + encode("utf-16le", "<p>"+japanese), "", "utf-16le", japanese},
		{"UTF-16BE without mark", encode("utf-16be", "<p>"+japanese), "", "utf-16be", japanese},
		{"UTF-32", "\xff\xfe\x00\x00" + inUTF32(endian.LittleEndian, "<p>"+japanese+"😀"), "", "utf-32le", japanese + "😀"},
		{"UTF-32BE", "\x00\x00\xfe\xff" + inUTF32(endian.BigEndian, "<p>"+russian), "text/html; charset=utf-8", "utf-32be", russian},
		{"UTF-32 without mark", inUTF32(endian.LittleEndian, "<p>"+japanese), "", "utf-32le", japanese},
		{"UTF-32BE without mark", inUTF32(endian.BigEndian, "\n<p>"+japanese), "", "utf-32be", japanese},
		{"UTF-32 in the header alone", "<p>" + russian, "text/html; charset=utf-32le", "utf-8", russian},
		{"header", "<p>" + encode("koi8-r", russian), "text/html; charset=KOI8-R", "koi8-r", russian},
		{"header before meta", "<meta charset=windows-1252><p>" + encode("koi8-r", russian), "text/html; charset=koi8-r", "koi8-r",
			russian},
		{"unknown name in the header", "<meta charset=koi8-r><p>" + encode("koi8-r", russian), "text/html; charset=none", "koi8-r",
			russian},
		{"meta charset", `<meta charset="Shift_JIS"><p>` + encode("shift_jis", japanese), "", "shift_jis", japanese},
		{"meta http-equiv", `<meta http-equiv="Content-Type" content="text/html; charset=euc-jp"><p>` + encode("euc-jp", japanese), "",
			"euc-jp", japanese},
		{"ISO-2022-JP", `<meta charset=iso-2022-jp><p>` + encode("iso-2022-jp", japanese), "", "iso-2022-jp", japanese},
		{"XML declaration", `<?xml version="1.0" encoding='GB18030'?><p>` + encode("gb18030", chinese), "", "gb18030", chinese},
		{"declared windows-1252", "<meta charset=iso-8859-1><p>na\xefve", "", "windows-1252", "naïve"},
		{"meta far into the head", "<script>" + strings.Repeat("x", 5000) +
			"<meta charset=gbk></script><!-- <meta charset=gbk> --><style>" + strings.Repeat("y", 100_000) +
			"</style><meta charset=koi8-r><p>" + encode("koi8-r", russian), "", "koi8-r", russian},
		{"meta in the body", "<body class=x><div></div><meta charset=koi8-r><p>" + encode("koi8-r", russian), "", "koi8-r", russian},
		{"the first meta that is known",
			"<meta charset=none><meta name=description content='charset=gbk'><meta content='text/html;charset = \"KOI8-R\"' http-equiv=content-type><meta charset=gbk><p>" + encode("koi8-r",
				russian), "", "koi8-r", russian},
		{"meta before the XML declaration", `<?xml version="1.0" encoding="iso-8859-1"?><meta charset=koi8-r><p>` +
			encode("koi8-r", russian), "text/html", "koi8-r", russian},
		{"the XML declaration of XHTML", `<?xml version="1.0" encoding = "koi8-r" ?><html><meta charset=iso-8859-1><p>` +
			encode("koi8-r", russian), "application/xhtml+xml", "koi8-r", russian},
		{"late meta against UTF-8", "<script>" + strings.Repeat("x", 5000) + "</script><meta charset=koi8-r><p>" + russian, "", "utf-8",
			russian},
		{"late meta against the mark", "\ufeff<script>" + strings.Repeat("x", 5000) + "</script><meta charset=koi8-r><p>é", "", "utf-8",
			"é"},
		{"late meta against the header", "<script>" + strings.Repeat("x", 5000) + "</script><meta charset=gbk><p>" +
			encode("koi8-r", russian), "text/html; charset=koi8-r", "koi8-r", russian},
		{"ISO-8859-2", "<meta charset=iso-8859-2><p>" + encode("iso-8859-2", polish), "", "iso-8859-2", polish},
		{"ISO-8859-2 that is windows-1250", "<meta charset=iso-8859-2><p>" + encode("windows-1250", polish), "", "windows-1250", polish},
		{"UTF-16 declared in ASCII", `<meta charset="utf-16"><p>` + russian, "", "utf-8", russian},
		{"detected Russian", "<p>" + encode("windows-1251", strings.Repeat(russian, 5)), "", "windows-1251", strings.Repeat(russian, 5)},
		{"detected Japanese", "<p>" + encode("shift_jis", strings.Repeat(japanese, 5)), "", "shift_jis", strings.Repeat(japanese, 5)},
		{"detected against a false UTF-8", "<meta charset=utf-8><p>" + encode("euc-jp", strings.Repeat(japanese, 5)), "", "euc-jp",
			strings.Repeat(japanese, 5)},
		{"detected ISO-2022-JP", "<meta charset=utf-8><p>" + encode("iso-2022-jp", japanese), "", "iso-2022-jp", japanese},
		{"detected Thai", "<p>" + encode("windows-874", thai), "", "windows-874", thai},
		{"capitals that are not Thai", "<p>\xc9T\xc9 \xc0 NO\xcbL: \xd6\xc4\xdc\xdf", "", "windows-1252", "ÉTÉ À NOËL: ÖÄÜß"},
		{"nothing to go by", "<p>caf\xe9", "", "windows-1252", "café"},

		{"UTF-8 with one character, declared otherwise", "<meta charset=iso-8859-1><p>naïve", "", "utf-8", "naïve"},
		{"UTF-8 with one character in GBK by the header", "<p>don’t", "text/html; charset=gb2312", "utf-8", "don’t"},
		{"damaged UTF-8, declared otherwise", "<meta charset=iso-8859-1><p>" + strings.Repeat("Grüße. ", 70) + "\xe9!", "", "utf-8",
			strings.Repeat("Grüße. ", 70) + "\ufffd!"},
		{"damaged UTF-8, not declared", "<p>" + strings.Repeat("Grüße. ", 70) + "\xe9!", "", "utf-8", strings.Repeat("Grüße. ", 70) +
			"\ufffd!"},
		{"UTF-8 that was cut", "<meta charset=utf-8><p>naïve caf\xc3", "", "utf-8", "naïve caf"},
		{"a false UTF-8 in the header", "<meta charset=koi8-r><p>" + encode("koi8-r", russian), "text/html; charset=utf-8", "koi8-r",
			russian},
		{"a mark of UTF-8 before another encoding", "\ufeff<meta charset=koi8-r><p>" + encode("koi8-r", strings.Repeat(russian, 5)), "",
			"koi8-r", strings.Repeat(russian, 5)},
		{"the server's default", "<meta charset=koi8-r><p>" + encode("koi8-r", strings.Repeat(russian, 5)), "text/html; charset=iso-8859-1",
			"koi8-r", strings.Repeat(russian, 5)},
		{"a bad parameter", "<p>" + encode("koi8-r", russian), "text/html; =x; charset=koi8-r", "koi8-r", russian},
		{"several headers", "<p>" + encode("koi8-r", russian), `text/plain, text/html; charset="koi8-r"`, "koi8-r", russian},
		{"UTF-16 in the header alone", "<p>" + russian, "text/html; charset=utf-16", "utf-8", russian},
		{"UTF-16 without mark, after a line end", encode("utf-16le", "\r\n<html><body><p>"+russian), "", "utf-16le", russian},
		{"x-user-defined", "<meta charset=x-user-defined><p>caf\xe9", "", "windows-1252", "café"},
		{"HZ", "<meta charset=hz-gb-2312><p>~{VPND~}", "", "hz-gb-2312", "中文"},
		{"HZ that is GBK", "<meta charset=hz-gb-2312><p>" + encode("gbk", chinese), "", "gb18030", chinese},
		{"ISO-2022-KR that is EUC-KR", "<meta charset=iso-2022-kr><p>" + encode("euc-kr", korean), "", "euc-kr", korean},
		{"Shift_JIS that is EUC-JP", "<meta charset=shift_jis><p>" + encode("euc-jp", japanese), "", "euc-jp", japanese},
		{"EUC-JP that is Shift_JIS", "<meta charset=euc-jp><p>" + encode("shift_jis", japanese), "", "shift_jis", japanese},
		{"ASCII that is KOI8-R", "<meta charset=us-ascii><p>" + encode("koi8-r", russian), "", "koi8-r", russian},
		{"ASCII that is windows-1252", "<p>caf\xe9", "text/html; charset=ascii", "windows-1252", "café"},
		{"Latin-1 that is Shift_JIS", "<meta charset=iso-8859-1><p>" + encode("shift_jis", "はい、そうです。"), "", "shift_jis", "はい、そうです。"},
		{"GBK in the header, UTF-8 in the page", "<meta charset=utf-8><p>é", "text/html; charset=gbk", "utf-8", "é"},
		{"the language of the page", "<html lang=lt><p>" + encode("windows-1257", "Žuvis."), "", "windows-1257", "Žuvis."},
		{"the language in a meta element", "<meta http-equiv=content-language content=pl><p>" + encode("iso-8859-2", "Dziś."), "",
			"iso-8859-2", "Dziś."},
		{"the language of the body", "<body lang=tr><p>" + encode("windows-1254", "Kış."), "", "windows-1254", "Kış."},
	} {
		for range 3 { // the detector runs goroutines: the result must not depend on them
			page, reason, detail := Parse([]byte(c.data), Origin{ContentType: c.header}, DefaultConfig())
			if reason != "" {
				t.Errorf("%s: %s: %s", c.name, reason, detail)
				break
			}
			if page.Charset != c.charset || page.Blocks[0].Text != strings.TrimSpace(c.text) {
				t.Errorf("%s: %s %q, want %s %q", c.name, page.Charset, page.Blocks[0].Text, c.charset, c.text)
				break
			}
		}
	}
}

// Pages that are declared in a set that cannot decode them, makes rare characters of them, or Latin letters in no language, are read as if
// nothing was declared.
func TestContradictedDeclarations(t *testing.T) {
	for _, c := range []struct{ language, set, text, declared string }{
		{"ru", "koi8-r", "Вчера вечером мы долго гуляли по старому городу и говорили о том, что будет дальше. Никто не знал ответа.",
			"shift_jis euc-jp euc-kr gb2312 big5 iso-8859-1 windows-1252 us-ascii utf-8"},
		{"ru", "windows-1251",
			"Вчера вечером мы долго гуляли по старому городу и говорили о том, что будет дальше. Никто не знал ответа, ещё бы.",
			"iso-8859-11 shift_jis euc-kr gbk iso-8859-1 windows-1252 us-ascii"},
		{"th", "windows-874", "เมื่อวานตอนเย็นเราเดินเล่นในเมืองเก่าเป็นเวลานานและพูดคุยกันว่าจะเกิดอะไรขึ้นต่อไป",
			"big5 gb2312 euc-kr euc-jp shift_jis iso-8859-1 windows-1252 us-ascii"},
		{"zh", "gb18030", "昨天晚上我们在老城区走了很久，谈论以后会发生什么事。没有人知道答案，但是大家都很高兴，也很安静。",
			"euc-kr iso-8859-11 shift_jis iso-8859-1 windows-1252 us-ascii"},
		{"zh-TW", "big5", "昨天晚上我們在老城區走了很久，談論以後會發生什麼事。沒有人知道答案，但是大家都很高興。", "shift_jis euc-kr iso-8859-1 windows-1252 us-ascii"},
		{"ja", "euc-jp", "昨日の夜、私たちは古い町を長い間歩いて、これからどうなるかを話しました。", "euc-kr iso-8859-1 windows-1252 us-ascii"},
		{"ko", "euc-kr", "어제 저녁 우리는 오래된 도시를 오랫동안 걸으며 앞으로 어떻게 될지 이야기했습니다.", "shift_jis iso-8859-1 windows-1252 us-ascii"},
		{"el", "iso-8859-7", "Χθες το βράδυ περπατήσαμε για ώρα στην παλιά πόλη και μιλούσαμε για το τι θα γίνει.",
			"iso-8859-1 windows-1252 us-ascii shift_jis gbk"},
		{"tr", "windows-1254", "Dün akşam eski şehirde uzun süre yürüdük ve bundan sonra ne olacağını konuştuk.", "us-ascii gbk"},
		{"pl", "iso-8859-2", "Wczoraj wieczorem długo chodziliśmy po starym mieście i mówiliśmy, co będzie dalej.", "us-ascii big5"},
		{"", "windows-1252", "Gestern Abend gingen wir lange durch die alte Stadt und sprachen darüber, was später wäre.",
			"us-ascii shift_jis"},
	} {
		e, err := htmlindex.Get(c.set)
		if err != nil {
			t.Fatal(err)
		}
		data, err := e.NewEncoder().String(c.text)
		if err != nil {
			t.Fatal(err)
		}
		for declared := range strings.FieldsSeq(c.declared) {
			page, reason, detail := Parse([]byte("<html lang="+c.language+"><meta charset="+declared+"><p>"+data), Origin{},
				DefaultConfig())
			if reason != "" || page.Blocks[0].Text != c.text {
				t.Errorf("%s, declared as %s: %s %s", c.set, declared, reason, detail)
				if page != nil {
					t.Errorf("%s: %q", page.Charset, page.Blocks[0].Text)
				}
			}
		}
	}
}
