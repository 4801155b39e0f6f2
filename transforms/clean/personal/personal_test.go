package personal

import (
	"cmp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMask(t *testing.T) {
	masker, err := New(Kinds())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ region, text, want string }{ // "" wants the text
		{"", "No numbers.", ""},
		{"", "Write to jane.doe+x@mail.debian.org.", "Write to email@example.com."},
		{"", "a@b.de,c@d.fr <mailto:e@f.it> Müller:i@x.co.uk", "EMAIL,EMAIL <mailto:EMAIL> Müller:EMAIL"},
		{"", "jürgen.klein@web.de, josé@correo.es, info@müller-bau.de; иван@почта.рф.", "EMAIL, EMAIL, EMAIL; EMAIL."},
		{"", "„hélène@x.fr“ na\u0308he@x.de é@ü ä@x.notatld", "„EMAIL“ EMAIL é@ü ä@x.notatld"},
		{"PL", "Bank udzielił 664 120 350 złotych, 608 215 340 osób.", ""},
		{"DK", "Det koster 45 67 89 12 kroner.", ""},
		{"", "联系info@test.cn吧 http://a.org/b/Pine.1@c.org", "联系EMAIL吧 http://a.org/b/EMAIL"},
		{"", "git@github.com:a/b root@host.org:~# icon@2x.png user@example.com a@b @me x@localhost a@-.de", ""},
		{"", "from 8.131.9.4, 2a00:1450:4001::1.", "from 192.0.2.1, 2001:db8::1."},
		{"", "10.1.2.3 192.168.1.77 1.2.3.4 Lucee 5.3.4.80 v1.2.3.99 version 80.1.2.3 1.2.3.99-1 1.2.3.99.5 255.255.255.0", ""},
		{"", "12:30:45 fe80::1 std::vector 2001:db8::7", ""},
		{"", "IBAN DE89 3704 0044 0532 0130 00, GB82WEST12345698765432.", "IBAN XX00 0000 0000 0000 0000, XX00 0000 0000 0000 0000."},
		{"", "DE88 3704 0044 0532 0130 00 or XDE89370400440532013000", ""},
		{"", "4111 1111 1111 1111 12/25, 378282246310005, 3782-822463-10005", "CARD 12/25, CARD, CARD"},
		{"", "4111 1111 1111 1112, 9111111111111111, 41111111111111111", ""},
		{"", "+49 30 901820, (+44) 20 7946 0018 and +1-202-456-1111.", "PHONE, PHONE and PHONE."},
		{"US", "(202) 456-1111 (202-456-1111) 1 202.456.1111", "PHONE (PHONE) PHONE"},
		{"DE", "030/901820 und 0049 30 901820, 030 901820; 030 901821", "PHONE und PHONE, PHONE; PHONE"},
		{"DE", "Tel: 030901820, +49 (0)30 901820", "Tel: PHONE, PHONE"},
		{"FR", "01 42 92 81 00", "PHONE"},
		{"FR", "0142928100 12 34 56 78 90 2023-11-24 10:00", ""},
		{"", "030 901820, 202-456-1111", ""},
		{"US", "ISBN 0-13-110362-8, 978-3-16-148410-0, 2024567890, 202 456 1111 bytes, $202-456-1111, 202-456-1111-5", ""},
		{"US", `C++2024561111 {"name":"Microphone","id":"2266981011"} "Phone","id":"12097489011"`, ""},
		{"DE", "/dev/sda1 2048 4095, 6276 3928 pts/0", ""},
		{"SG", "1990-1995 6500-6600 6500 6600", "1990-1995 PHONE PHONE"},
		{"ES", "612.345.678 habitantes", ""},
		{"UY", "2123 5198, ISSN 2123-5198", "PHONE, ISSN 2123-5198"},
		{"AR", "011 15-2157-5111", "PHONE"},
		{"LT", "(0-312) 31602; 0-312-31602", "PHONE; 0-312-31602"},
	} {
		tt.want = strings.NewReplacer("EMAIL", placeholders[email], "CARD", placeholders[card], "PHONE", placeholders[phone]).
			Replace(cmp.Or(tt.want, tt.text))
		var counts Counts
		got := masker.Mask(tt.text, tt.region, &counts)
		if got != tt.want {
			t.Errorf("%s %q:\n got %q\nwant %q", tt.region, tt.text, got, tt.want)
		}
		var again Counts
		if twice := masker.Mask(got, tt.region, &again); twice != got || again != (Counts{}) {
			t.Errorf("%q became %q", got, twice)
		}
	}
	if _, err := New([]string{"email", "fax"}); err == nil || err.Error() != `"fax" is not one of email, ip, iban, card, phone` {
		t.Error(err)
	}
}

func TestChosen(t *testing.T) {
	masker, err := New([]string{"phone"})
	if err != nil {
		t.Fatal(err)
	}
	var counts Counts
	got := masker.Mask("a@b.de DE89 3704 0044 0532 0130 00 +49 30 901820", "DE", &counts)
	if got != "a@b.de DE89 3704 0044 0532 0130 00 +00 000 000 000" || counts != (Counts{phone: 1}) {
		t.Errorf("%q, %v", got, counts)
	}
}

func TestRegion(t *testing.T) {
	for _, tt := range []struct{ address, code, want string }{
		{"https://www.bbc.co.uk/x", "deu", "GB"}, {"https://a.at/", "deu", "AT"}, {"https://a.com:80/", "deu", "DE"}, {"", "eng", "US"},
		{"https://a.io", "zho_Hant", "TW"}, {"https://a.eu", "und", ""}, {"%", "epo", ""}, {"", "por", "BR"},
	} {
		if got := Region(tt.address, tt.code); got != tt.want {
			t.Errorf("%q %q: %q, want %q", tt.address, tt.code, got, tt.want)
		}
	}
}

func FuzzMask(f *testing.F) {
	for _, text := range []string{"+49 (0)30/901820, (202) 456-1111", "a@b.de 2a00::1 8.131.9.4", "((+((1\u00a0\u2013)",
		"DE89 3704 0044 0532 0130 00 4111-1111-1111-1111"} {
		f.Add(text, "DE")
	}
	masker, err := New(Kinds())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text, region string) {
		var counts Counts
		got := masker.Mask(text, region, &counts)
		if (got == text) != (counts == Counts{}) || utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q became %q, %v", text, got, counts)
		}
	})
}

// BenchmarkMask masks an English page of 5 kB with five items, and one without digits.
func BenchmarkMask(b *testing.B) {
	masker, err := New(Kinds())
	if err != nil {
		b.Fatal(err)
	}
	prose := strings.Repeat("The installer asks for a name, and in 2024 the release 12.4 had 59,551 packages for 9 machines. ", 50)
	for name, text := range map[string]string{
		"items": prose + "Write to jane@debian.org, call (202) 456-1111 or +49 30 901820, pay to DE89 3704 0044 0532 0130 00.",
		"prose": strings.NewReplacer("2024", "this year", "12.4", "", "59,551", "many", "9", "nine").Replace(prose),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				masker.Mask(text, "US", new(Counts))
			}
		})
	}
}
