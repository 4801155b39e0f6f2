package charset

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// passages are a passage in many languages, each in the character sets that it is written in.
var passages = []struct{ language, sets, text string }{
	{"ara", "windows-1256 iso-8859-6", "ظل النهر مرتفعا بعد الشتاء الطويل. أغلقت القرية الجسر القديم، وبقيت المدرسة بلا تدفئة حتى الربيع."},
	{"bul", "windows-1251 iso-8859-5",
		"След дългата зима реката остана висока. Селото затвори стария мост, а училището беше без отопление до пролетта."},
	{"ces", "windows-1250 iso-8859-2",
		"Po dlouhé zimě zůstala řeka vysoká. Vesnice uzavřela starý most a škola byla až do jara bez topení."},
	{"cym", "iso-8859-14", "Ar ôl y gaeaf hir arhosodd yr afon yn uchel, a’r dŵr yn oer. Caeodd y pentref yr hen bont tan y gwanwyn.’"},
	{"dan", "windows-1252 iso-8859-15",
		"Efter den lange vinter stod åen højt. Landsbyen lukkede den gamle bro, og skolen var uden varme, til foråret kom."},
	{"deu", "windows-1252 iso-8859-15 macintosh",
		"Nach dem langen Winter führte der Fluss viel Wasser. Das Dorf schloss die alte Brücke, und die Schule blieb kühl, bis es Frühling wurde."},
	{"ell", "windows-1253 iso-8859-7",
		"Μετά τον μακρύ χειμώνα ο ποταμός έμεινε ψηλός. Το χωριό έκλεισε την παλιά γέφυρα. Άλλοι έφυγαν ως την άνοιξη."},
	{"epo", "iso-8859-3",
		"Post la longa vintro la rivero restis alta. La vilaĝo fermis la malnovan ponton, kaj ĉiuj atendis ĝis la ŝtormo foriris antaŭ printempo."},
	{"est", "windows-1257 windows-1252", "Pärast pikka talve püsis jõgi kõrge. Küla sulges vana silla ning kool oli kevadeni kütteta."},
	{"fin", "windows-1252 iso-8859-15",
		"Pitkän talven jälkeen joki pysyi korkealla. Kylä sulki vanhan sillan, ja koulu oli lämmittämättä kevääseen. Lippu maksoi 5 €."},
	{"fra", "windows-1252 iso-8859-15 macintosh",
		"Après le long hiver, la rivière est restée haute. Le village a fermé le vieux pont, et les sœurs de l'école ont attendu le printemps sans chauffage."},
	{"heb", "windows-1255 iso-8859-8", "אחרי החורף הארוך נשאר הנהר גבוה. הכפר סגר את הגשר הישן, ובית הספר היה בלי חימום עד האביב."},
	{"hrv", "windows-1250 iso-8859-2",
		"Nakon duge zime rijeka je ostala visoka. Selo je zatvorilo stari most, a škola je bila bez grijanja još i u ožujku, uz malo žara iz peći."},
	{"hun", "windows-1250 iso-8859-2",
		"A hosszú tél után magas maradt a folyó. A falu lezárta a régi hidat, és az iskola tavaszig fűtés nélkül volt, őszi szünetig pedig üres."},
	{"isl", "windows-1252", "Eftir langan vetur stóð áin hátt. Þorpið lokaði gömlu brúnni og skólinn var án hita fram á vor."},
	{"jpn", "shift_jis euc-jp", "長い冬のあと、川の水は高いままでした。村は古い橋を閉じ、学校は春まで暖房がありませんでした。"},
	{"kor", "euc-kr", "긴 겨울이 지난 뒤에도 강물은 높았습니다. 마을은 낡은 다리를 닫았고, 학교는 봄까지 난방이 없었습니다."},
	{"lav", "windows-1257 iso-8859-13 iso-8859-4",
		"Pēc garās ziemas upe palika augsta. Ciems slēdza veco tiltu, un skola līdz pavasarim bija bez apkures."},
	{"lit", "windows-1257 iso-8859-13",
		"Po ilgos žiemos upė liko aukšta. Kaimas uždarė senąjį tiltą, o mokykla iki pavasario buvo be šildymo."},
	{"mkd", "windows-1251 iso-8859-5",
		"По долгата зима реката остана висока. Селото го затвори стариот мост, а училиштето беше без греење сѐ до пролетта, иако луѓето ќе помогнеа."},
	{"nld", "windows-1252", "Na de lange winter bleef de rivier hoog, en de zeeën waren ruw. Het dorp sloot de oude brug één jaar lang."},
	{"pol", "windows-1250 iso-8859-2",
		"Po długiej zimie rzeka wciąż była wysoka. Wieś zamknęła stary most, a szkoła aż do wiosny nie miała ogrzewania."},
	{"por", "windows-1252",
		"Depois do longo inverno, o rio não baixou. A aldeia fechou a ponte velha, e a escola ficou sem aquecimento até à estação seguinte."},
	{"ron", "windows-1250 iso-8859-2",
		"După iarna lungă, râul a rămas umflat. Satul a închis podul vechi, iar şcoala a fost fără căldură până în primăvară, când toţi s-au întors."},
	{"rus", "windows-1251 koi8-r iso-8859-5 ibm866 x-mac-cyrillic",
		"После долгой зимы вода в реке стояла высоко. Деревня закрыла старый мост, и школа до весны была без отопления."},
	{"slk", "windows-1250 iso-8859-2",
		"Po dlhej zime zostala rieka vysoká. Dedina zatvorila starý most a škola bola až do jari bez kúrenia, hoci ľudia ponúkali ťažké drevo."},
	{"slv", "windows-1250 iso-8859-2",
		"Po dolgi zimi je reka ostala visoka. Vas je zaprla stari most, šola pa je bila vse do pomladi brez kurjave in še čez."},
	{"spa", "windows-1252 macintosh",
		"Después del largo invierno el río siguió alto. El pueblo cerró el puente viejo, y los niños de la escuela pasaron frío hasta la primavera."},
	{"srp", "windows-1251 iso-8859-5",
		"После дуге зиме река је остала висока. Село је затворило стари мост, а школа је била без грејања све до пролећа."},
	{"swe", "windows-1252", "Efter den långa vintern stod ån högt. Byn stängde den gamla bron, och skolan var utan värme till våren."},
	{"tha", "windows-874",
		"หลังจากฤดูหนาวอันยาวนาน แม่น้ำยังคงสูงอยู่ หมู่บ้านปิดสะพานเก่า และโรงเรียนไม่มีเครื่องทำความร้อนจนถึงฤดูใบไม้ผลิ"},
	{"tur", "windows-1254",
		"Uzun kıştan sonra nehir hâlâ yüksekti. Köy eski köprüyü kapattı, okul da ilkbahara kadar ısıtılmadı. İşçiler şaşırdı."},
	{"ukr", "windows-1251 koi8-u iso-8859-5",
		"Після довгої зими вода в річці стояла високо. Село закрило старий міст, і школа до весни була без опалення, а її діти вчилися вдома."},
	{"vie", "windows-1258", "Sau mùa đông dài, nước sông vẫn còn cao. Làng đóng cây cầu cũ, và trường học không có sưởi cho đến mùa xuân."},
	{"zho", "gb18030 big5", "漫长的冬天过后，河水仍然很高。村里关闭了旧桥，学校直到春天都没有暖气。"},
}

// encoded returns a text in a character set; windows-1258 has some tones as marks of their own.
func encoded(t testing.TB, set, text string) []byte {
	t.Helper()
	if set == "big5" {
		text = "漫長的冬天過後，河水仍然很高。村裡關閉了舊橋，學校直到春天都沒有暖氣。"
	}
	encoder := Lookup(set).encoding.NewEncoder()
	var out []byte
	for _, r := range text {
		for _, form := range []string{string(r), norm.NFD.String(string(r))} {
			var b []byte
			var err error
			if runes := []rune(form); len(runes) == 3 { // a letter with two marks: the last is the tone, or the one before it
				b, err = encoder.Bytes([]byte(norm.NFC.String(string(runes[:2])) + string(runes[2])))
				if err != nil {
					b, err = encoder.Bytes([]byte(norm.NFC.String(string(runes[0])+string(runes[2])) + string(runes[1])))
				}
			} else {
				b, err = encoder.Bytes([]byte(form))
			}
			if err == nil {
				out = append(out, b...)
				break
			}
			if form != string(r) {
				if mark := strings.IndexRune("’", r); mark >= 0 {
					out = append(out, '\'')
				}
			}
		}
	}
	return out
}

// Each passage is read right, whether its language is told, not told, or told wrong as English.
func TestDetect(t *testing.T) {
	for _, p := range passages {
		for set := range strings.FieldsSeq(p.sets) {
			data := encoded(t, set, p.text)
			want := string(Lookup(set).Decode(data))
			if len(want) < len(p.text)*9/10 && set != "big5" {
				t.Fatalf("%s has no letters for %s: %q", set, p.language, want)
			}
			for _, stated := range []string{p.language, "", "eng"} {
				if c := Detect(data, stated); string(c.Decode(data)) != want {
					t.Errorf("%s in %s, said to be in %q, is read as %s: %q", p.language, set, stated, c.Name(), c.Decode(data))
				}
			}
		}
	}
}

// A text in capitals throughout is read by its letters, as one in small letters is.
func TestDetectCapitals(t *testing.T) {
	for _, p := range passages {
		for set := range strings.FieldsSeq(p.sets) {
			data := encoded(t, set, strings.ToUpper(p.text))
			want := string(Lookup(set).Decode(data))
			for _, stated := range []string{p.language, ""} {
				if c := Detect(data, stated); string(c.Decode(data)) != want {
					t.Errorf("%s in %s, said to be in %q, is read as %s: %q", p.language, set, stated, c.Name(), c.Decode(data))
				}
			}
		}
	}
}

// What decides where letters do not.
func TestDetectFewCharacters(t *testing.T) {
	for _, c := range []struct{ language, set, text string }{
		{"", "windows-1252", "café"},
		{"", "windows-1252", ""},
		{"", "windows-1252", "ÉTÉ À NOËL: ÖÄÜß"},
		{"eng", "windows-1252", "It’s the mayor’s boat – a “ferry” for £5 a day."},
		{"fin", "iso-8859-15", "Lippu maksaa 5 €."},
		{"fra", "iso-8859-15", "Le cœur de l'œuvre."},
		{"fra", "windows-1252", "Il faut ½ litre de lait."},
		{"pol", "iso-8859-2", "Dziękuję."},
		{"tur", "windows-1254", "Kısım."},
		{"lit", "windows-1257", "Šeši šuniukai."},
		{"rus", "koi8-r", "Да, конечно."},
		{"jpn", "shift_jis", "お知らせ"},
		{"kor", "euc-kr", "공지 사항"},
		{"zho_Hant", "big5", "最新消息"},
		{"zho_Hans", "gb18030", "最新消息"},
	} {
		data := encoded(t, c.set, c.text)
		if c.set == "big5" {
			data, _ = Lookup("big5").encoding.NewEncoder().Bytes([]byte(c.text))
		}
		if got := Detect(data, c.language); string(got.Decode(data)) != c.text {
			t.Errorf("%q in %s is read as %s: %q", c.text, c.set, got.Name(), got.Decode(data))
		}
	}
}

func TestBetter(t *testing.T) {
	koi, latin := Lookup("koi8-r"), Lookup("windows-1252")
	russian := encoded(t, "koi8-r", "После долгой зимы вода в реке стояла высоко.")
	french := encoded(t, "windows-1252", "Après le long hiver, la rivière est restée haute.")
	for _, c := range []struct {
		data  []byte
		first Charset
		then  Charset
		want  string
	}{
		{russian, koi, latin, "koi8-r"},
		{russian, latin, koi, "koi8-r"},
		{french, latin, koi, "windows-1252"},
		{french, koi, latin, "windows-1252"},
		{french, Lookup("iso-8859-15"), latin, "iso-8859-15"},
		{[]byte("x"), koi, latin, "koi8-r"},
	} {
		if got := Better(c.data, "", []Charset{c.first, c.then}); got.Name() != c.want {
			t.Errorf("Better(%q, %s, %s) = %s, want %s", c.data, c.first.Name(), c.then.Name(), got.Name(), c.want)
		}
	}
}

func TestReadsAsUTF8(t *testing.T) {
	const longText = "Зима была долгой, и река замёрзла до дна."
	for _, c := range []struct {
		said, data string
		want       bool
	}{
		{"", "abc", false},
		{"", "é", true},
		{"windows-1252", "na\xc3\xafve", true},
		{"windows-1252", "na\xefve", false},
		{"koi8-r", "© 2024", true},
		{"windows-1251", "don’t", true},
		{"gbk", "don’t", true},
		{"gbk", "© 2024", true},
		{"gbk", "café", true},
		{"big5", "café au lait – here", true},
		{"shift_jis", "naïve", true},
		{"euc-kr", "Zoë’s", true},
		{"gbk", "50 m² here", true},
		{"big5", "a 3 µm filter", true},
		{"euc-kr", "from ¥5 on", true},
		{"euc-jp", "10 kΩ, ±5", true},
		{"gbk", "he said и then", true},
		{"shift_jis", "he said Да then", true},
		{"shift_jis", "the word дом", true},
		{"gb18030", "in Łódź", true},
		{"shift_jis", "in łódź", true},
		{"gbk", string(encoded(t, "gbk", "谢谢")), false}, // лл
		{"gbk", "20" + string(encoded(t, "gbk", "元 8时 5楼")), false},
		{"gbk", "Linux" + string(encoded(t, "gbk", "目录")), false},
		{"euc-jp", "2024" + string(encoded(t, "euc-jp", "年")), false},
		{"shift_jis", "a" + string(encoded(t, "shift_jis", "ﾊｲ")), false},
		{"gbk", string(encoded(t, "gbk", "联通")), false},  // which Notepad took for UTF-8
		{"gbk", string(encoded(t, "gbk", "谩庐")), false},  // valid UTF-8, of two letters
		{"gbk", string(encoded(t, "gbk", "你好啊")), false}, // most is invalid
		{"utf-8", "é\xe9.", false},
		{"utf-8", strings.Repeat("é", 4) + "\xe9", true},
		{"", strings.Repeat("é", 4) + "\xe9 ", true},
		{"windows-1252", longText + " \xe9 ", true},
		{"windows-1252", strings.Repeat("é", 4) + "\xe9 ", false},
		{"utf-8", "é \xed\xa0\xbd", true}, // half a character of UTF-16
		{"", "\xed\xa0\xbd\xed\xb8\x80", true},
		{"utf-8", "é\xe2\x82", true},    // cut
		{"koi8-r", longText[:19], true}, // cut
	} {
		if got := Lookup(c.said).ReadsAsUTF8([]byte(c.data)); got != c.want {
			t.Errorf("%q, said to be in %q: %v", c.data, c.said, got)
		}
	}
}

// Japanese in the other set is valid in Shift_JIS, as katakana of half width.
func TestSiblings(t *testing.T) {
	const japanese = "長い冬のあと、川の水は高いままでした。"
	for _, c := range []struct{ said, is, text string }{
		{"shift_jis", "euc-jp", japanese}, {"euc-jp", "shift_jis", japanese}, {"shift_jis", "shift_jis", japanese},
		{"gbk", "big5", "村裡關閉了舊橋，學校直到春天都沒有暖氣。"}, {"gbk", "gbk", "村里关闭了旧桥，学校直到春天都没有暖气。"},
	} {
		data, _ := Lookup(c.is).encoding.NewEncoder().Bytes([]byte(c.text))
		said := Lookup(c.said)
		if got := Better(data, "", append([]Charset{said}, said.Siblings()...)); got.Name() != c.is {
			t.Errorf("%s that is said to be in %s is read in %s", c.is, c.said, got.Name())
		}
	}
	if got := Lookup("koi8-r").Siblings(); got != nil {
		t.Errorf("siblings of koi8-r: %v", got)
	}
}

func TestContradicts(t *testing.T) {
	const japanese = "長い冬のあと、川の水は高いままでした。"
	for _, c := range []struct {
		set, data string
		want      bool
	}{
		{"shift_jis", string(encoded(t, "shift_jis", japanese)), false},
		{"euc-jp", string(encoded(t, "shift_jis", japanese)), true},
		{"utf-8", string(encoded(t, "koi8-r", "зима")), true},
		{"koi8-r", "\xff\xfe\x80", false},
		{"windows-1252", string(encoded(t, "shift_jis", "はい、そうです。")), true},
		{"windows-1252", string(encoded(t, "windows-1252", "Après l’hiver")), false},
	} {
		if got := Lookup(c.set).Contradicts([]byte(c.data)); got != c.want {
			t.Errorf("%q in %s: %v", c.data, c.set, got)
		}
	}
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		set, is, text string
		want          bool
	}{
		{"shift_jis", "shift_jis", "長い冬のあと、川の水は高いままでした。", true},
		{"gb18030", "gb18030", "漫长的冬天过后，河水仍然很高。", true},
		{"windows-1251", "windows-1251", "После долгой зимы", true},
		{"shift_jis", "koi8-r", "после долгой зимы вода", false},
		{"big5", "windows-874", "หลังจากฤดูหนาวอันยาวนาน", false},
		{"euc-kr", "gb18030", "漫长的冬天过后，河水仍然很高。", false},
		{"windows-874", "windows-1251", "После долгой зимы пришла весна, и вся вода", false},
	} {
		if got := Lookup(c.set).Fits(encoded(t, c.is, c.text)); got != c.want {
			t.Errorf("%s as %s: %v", c.text, c.set, got)
		}
	}
}

func BenchmarkDetect(b *testing.B) {
	for _, set := range []string{"windows-1251", "windows-1252", "gb18030"} {
		b.Run(set, func(b *testing.B) {
			for _, p := range passages {
				if !strings.Contains(p.sets, set) {
					continue
				}
				data := []byte(strings.Repeat(string(encoded(b, set, p.text))+" ", 64<<10/len(p.text)))
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					Detect(data, "")
				}
				return
			}
		})
	}
}
