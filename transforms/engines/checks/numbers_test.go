package checks

import (
	"fmt"
	"testing"

	"sentweave/transforms/engines"
)

func TestLostNumber(t *testing.T) {
	for _, tt := range []struct {
		target, text, translation string
		lost                      bool
	}{
		{"deu", "It has 27 rooms.", "Es hat 27 Zimmer.", false}, {"deu", "It has 27 rooms.", "Es hat 72 Zimmer.", true},
		{"deu", "It has 27 rooms.", "Es hat Zimmer.", true},
		{"deu", "It has 2 rooms.", "Es hat zwei Zimmer.", false}, {"deu", "In 1999, 20 came.", "20 kamen 1999.", false},
		{"deu", "Since 1999 and 1999.", "Seit 1999.", false},
		// Groups, fractions, and scripts.
		{"deu", "It cost 1,234.50 dollars.", "Es kostete 1.234,5 Dollar.", false},
		{"deu", "It cost 1,234.50 dollars.", "Es kostete 1.234,60 Dollar.", true},
		{"deu", "It cost 12,345 dollars.", "Es kostete 12 345 Dollar.", false}, {"eng", "Il y en a 1 300.", "There are 1,300.", false},
		{"eng", "Il y en a 1 300.", "There are 1,400.", true},
		{"ara", "It has 2,750 rooms.", "فيه ٢٬٧٥٠ غرفة.", false}, {"hin", "In 2008.", "२००८ में।", false},
		{"tha", "Room 25.", "ห้อง ๒๕", false}, {"deu", "Section 9.2.1", "Abschnitt 9.2.2", true},
		// Zeros count.
		{"deu", "There were 100 of them.", "Es waren 10.", true}, {"deu", "In 2010.", "In 201.", true},
		{"deu", "It has 8,000 rooms.", "Es hat 8.100 Zimmer.", true}, {"deu", "It has 8,000 rooms.", "Es hat 8.", true},
		{"deu", "It cost 2,000 euros.", "Es kostete 2 Euro.", true}, {"deu", "It cost 2,000 euros.", "Es kostete 2 Tsd. Euro.", false},
		{"spa", "It has 27,000 rooms.", "Tiene 27 habitaciones.", true}, {"eus", "27,000 people", "27 mila pertsona", false},
		{"swa", "It has 27,000 rooms.", "Ina vyumba elfu 27.", false}, {"swa", "It has 27,000 rooms.", "Ina vyumba 27.", true},
		{"vie", "It has 27,000 rooms.", "Nó có 27 nghìn phòng.", false},
		{"bul", "27,000 people", "27 хиляди души", false}, {"ell", "27,000 people", "27 χιλιάδες άνθρωποι", false},
		{"ell", "27,000,000 euros", "27 εκ. ευρώ", false}, {"ell", "27,000 km", "27 χιλιόμετρα", true},
		{"tur", "27,000 people", "27 binden fazla kişi", false}, {"tur", "27,000 buildings", "27 bina", true},
		{"rus", "27,000,000,000,000", "27 трлн", false}, {"swa", "27 million dollars", "dola milioni 27 (2019)", false},
		{"ara", "27,000 dollars", "٢٧ أَلْف دولار", false}, {"ara", "It cost 27,000 in the hotel.", "كلف 27 دولارا في الفندق", true},
		{"ara", "27,000 and more", "27 بالألف", false}, {"hin", "27,000 people", "27 ह\u095bार लोग", false},
		{"ron", "27 million people", "27 de milioane", false}, {"ron", "27,000,000 people", "27 de milioane de oameni", false},
		{"fra", "€12,000", "12 k€", false}, {"fra", "€12,000,000", "12 M€", false}, {"eng", "15 000 000 $", "$15 M", false},
		{"fra", "12,000 families", "12 familles", true},
		{"zho", "15-20 million", "1500万至2000万", false}, {"jpn", "$10-$15 million", "1000万~1500万ドル", false},
		{"eng", "5.000.000 bis 10.000.000", "5-10 million", false}, {"eng", "15.000 bis 20.000", "15–20,000", false},
		{"eng", "5.000.000 bis 10.000.000", "5 to 10 million", false},
		{"tha", "200 billion baht", "2 แสนล้านบาท", false}, {"zho", "2 trillion", "2万亿", false},
		{"hin", "1.5 trillion", "1.5 लाख करोड़", false}, {"tha", "27,000 people", "27 พันคน", false},
		{"tha", "27,000 people", "27 ความสัมพันธ์", true},
		{"hin", "200,000 blue flowers", "2 लाख नीले फूल", false}, {"hin", "500,000 melons", "5 लाख खरबूजे", false},
		{"hin", "400 million Arabs", "40 करोड़ अरब", false}, {"hin", "27 billion", "27 अरब", false},
		{"tha", "27,000 employees", "พนักงาน 27 คน", true}, {"tha", "27,000 parking lots", "27 ลานจอดรถ", true},
		{"vie", "27,000 companies", "27 công ty", true}, {"vie", "27,000 banks", "27 ngân hàng", true},
		{"vie", "27 billion", "27 tỷ", false},
		{"deu", "2,000 m high", "2 m hoch", true}, {"fra", "27,000 t", "27 t", true}, {"cat", "27,000 km", "27 km", true},
		{"fra", "27 000 000 €", "27 m€", false}, {"eng", "27 000 000 $", "$27 m", false}, {"hun", "27,000 colonels", "27 ezredes", true},
		{"deu", "from 15,000,000 to about 20,000,000", "von 15 auf etwa 20 Millionen", false},
		{"swa", "15,000-20,000 people", "watu elfu 15-20", false}, {"hau", "27,000 people", "mutane dubu 27.", false},
		{"ron", "It has 27.000 rooms.", "Are 27 de camere.", true}, {"zho", "up to 100 bil. euros", "高达1000亿欧元", false},
		{"zho", "the $55B deal", "550亿美元交易", false},
		{"zho", "It has 10,000 rooms.", "它有1万个房间。", false}, {"jpn", "It cost $125 million.", "1億2500万ドルだった。", false},
		{"eng", "1億2500万ドルだった。", "It cost $125 million.", false},
		{"eng", "1億2500万ドルだった。", "It cost $124 million.", true}, {"zho", "More than 300,000 workers.", "30多万名工人。", false},
		{"hin", "1.5 million people", "15 लाख लोग", false},
		{"spa", "1.5 million people", "un millón y medio de personas", false}, {"spa", "10,000 people", "10 mil personas", false},
		{"deu", "1500000 people", "1,5 Millionen Menschen", false}, {"deu", "15 million people", "16 Millionen Menschen", true},
		// Sections apart.
		{"kor", "It cost 125 million won.", "1억 2,500만 원이었다.", false}, {"kor", "It cost 125 million won.", "1억 2,600만 원이었다.", true},
		{"eng", "1만 2,000명", "12,000 people", false}, {"eng", "1만 2,000명", "12,500 people", true},
		{"hin", "25 million people", "2 करोड़ 50 लाख लोग", false}, {"hin", "250,000 people", "2 लाख 50 हज़ार लोग", false},
		{"hin", "250,000 people", "2 लाख 60 हज़ार लोग", true}, {"urd", "25 million people", "2 کروڑ 50 لاکھ", false},
		{"zho", "It has 10,000 rooms and 27 doors.", "它有1万 27 个。", false}, {"hin", "2 million for 300,000", "20 लाख में 3 लाख", false},
		// Roman and Han numerals.
		{"spa", "The 21st century", "El siglo XXI", false}, {"fra", "The 19th century", "Le XIXe siècle", false},
		{"rus", "The 19th century", "ХІХ век", false}, {"spa", "The 21st century", "El siglo XX", true},
		{"spa", "The 21st century", "El siglo MAXXIMO", true},
		{"zho", "He is 25 years old.", "他二十五岁。", false}, {"zho", "Born in 2010.", "二零一零年出生。", false},
		{"zho", "More than 150 nations", "一百五十多个国家", false}, {"zho", "He is 25 years old.", "他二十六岁。", true},
		{"yue", "23 brothers", "廿三個兄弟", false},
		// Decades, centuries, ranges of years, dates, times.
		{"spa", "In the 1990s", "En los años 90", false}, {"rus", "In the 1990s", "В девяностых", false},
		{"eng", "В 60-х годах", "In the 1960s", false}, {"eng", "20世纪50年代", "In the 1950s", false}, {"spa", "In 1990", "En 90", true},
		{"eng", "2012-2013", "2012-13", false}, {"deu", "2010-11-12", "12.11.2010", false},
		{"eng", "12.11.2010", "November 12, 2010", false}, {"eng", "12月に", "In December", false},
		{"eng", "12.11.2010", "November 13, 2010", true},
		{"deu", "At 10:30 pm", "Um 22:30 Uhr", false}, {"eng", "Um 22 Uhr", "At 10 p.m.", false}, {"fra", "At 1:15 p.m.", "À 13h15", false},
		{"deu", "At 10:30 pm", "Um 22:40 Uhr", true}, {"deu", "At 7:30", "Um halb acht", false}, {"deu", "At 7:30", "Um 7:40", true},
		// Words, both ways.
		{"deu", "I have 20 cats.", "Ich habe zwanzig Katzen.", false}, {"deu", "I have 20 cats.", "Ich habe Katzen.", true},
		{"deu", "I have 20 cats.", "Ich habe 30 Katzen.", true}, {"deu", "I have twelve cats.", "Ich habe 12 Katzen.", false},
		{"eng", "Tengo 12 gatos.", "I have a dozen cats.", false}, {"rus", "I have $300.", "У меня есть триста долларов.", false},
		{"eus", "I have 20 cats.", "Hogei katu ditut.", false}, {"eus", "I have 20 cats.", "Hogei 2 katu ditut.", true},
	} {
		if got := lostNumber(engines.Pair{Source: "und", Target: tt.target}, tt.text, tt.translation, 2); got != tt.lost {
			t.Errorf("%s: %q -> %q: lost %t, want %t", tt.target, tt.text, tt.translation, got, tt.lost)
		}
	}
}

func TestNumerals(t *testing.T) {
	for text, want := range map[string]string{
		"二十五": "[{25 0}]", "十五": "[{15 0}]", "两百": "[{2 2}]", "三千四百": "[{34 2}]", "二〇一〇年": "[{201 1}]", "一万五千": "[{15 3}]",
		"1万5000":  "[{15 3}]",
		"1億2500万": "[{125 6}]", "6億5,900万": "[{659 6}]", "1.5 crore": "[{15 6}]", "25 cats": "[{25 0}]", "1.000 lakh": "[{1 8}]",
		"2 แสนล้าน": "[{2 11}]", "1万5000亿": "[{15 11}]", "1亿2500万": "[{125 6}]", "2万亿": "[{2 12}]", "1.5 lakh crore": "[{15 11}]",
		"1억 2,500만": "[{125 6}]", "3조 5000억 2만": "[{350000002 4}]", "1만 2,000명": "[{12 3}]", "1만 200명": "[{1 4} {2 2}]",
		"2 crore 5 lakh": "[{205 5}]", "2 lakh 5 crore": "[{2 5} {5 7}]", "2 lakh 50 thousand": "[{25 4}]", "三月十日": "[{3 0} {1 1}]",
		"no": "[]",
	} {
		found := []decimal{}
		for _, n := range numerals(text) {
			found = append(found, n.value)
		}
		if got := fmt.Sprint(found); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func FuzzNumbers(f *testing.F) {
	f.Add("1.234,50 or 12 345 in 2010-11", "1億2500万")
	f.Add("٢٬٧٥٠ XIX 9.2.1", "10:30 pm")
	f.Fuzz(func(t *testing.T, a, b string) {
		found := numbers(a, "eng")
		digits := 0
		for _, n := range found {
			if digits += n.digits; n.digits == 0 || len(n.whole) == 0 || !n.is(n) || n.from < 0 || n.from >= len(a) {
				t.Fatalf("%q: %+v", a, n)
			}
		}
		for _, n := range numerals(a) {
			if n.from < 0 || n.to <= n.from || n.to > len(a) {
				t.Fatalf("%q: %+v", a, n)
			}
		}
		// What is added loses nothing.
		if lostNumber(engines.Pair{Source: "eng", Target: "eng"}, a, a+" | "+b, 1) {
			t.Errorf("%q is lost in %q", a, a+" | "+b)
		}
	})
}
