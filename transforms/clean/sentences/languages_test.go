package sentences

import (
	"strings"
	"testing"
)

// The sentences of each language, to be found in their concatenation. Each
// language has the traps of its own writing: abbreviations, initials, ordinals,
// quotes. All were written for this test.
var languageTests = map[string][]string{
	"ara": {
		"وصل د. سامي إلى المكتب في الساعة 9.30 صباحاً.",
		"هل قرأت الملف sources.list قبل التحديث؟",
		"نعم، قرأته!",
		"ثم قال: «لا داعي للقلق».",
	},
	"cat": {
		"El Sr. Puig va arribar a les 10.30 amb la Dra. Vila.",
		"Porta fruites, p. ex. peres i pomes.",
		"Que véns demà?",
		"«No ho sé.»",
		"Llegeix la pàg. 12 i l'art. 5 abans de sortir.",
	},
	"ces": {
		"Dne 3. Října otevřeli dveře a prof. Novák promluvil.",
		"Karel IV. Lucemburský tu založil školu.",
		"Viz soubor sources.list na str. 14.",
		"Kolik to stojí?",
		"Asi 3,5 mil. korun.",
	},
	"dan": {
		"Mødet er den 3. Oktober, og hr. Jensen kommer kl. 10.30.",
		"Vi tager bl.a. Bente og J. P. Holm med.",
		"Har du læst README.Debian?",
		"Nej!",
		"Det kan vente.",
	},
	"deu": {
		"Am 3. Oktober sprach Dr. Meier z. B. Über das Netz.",
		"Der 2. Versuch gelang, d. h. Alle waren froh.",
		"Ludwig XIV. Baute viel.",
		"„Kommst du?“, fragte sie.",
		"„Nein.“",
		"Er kaufte Äpfel, Birnen usw. und ging.",
		"Vgl. Nr. 5 auf S. 12.",
		"Das war 1990.", "Danach wurde es still.",
	},
	"ell": {
		"Ο κ. Παπάς ήρθε στις 9.30 με τον Γ. Σπύρου.",
		"Τι ώρα είναι;",
		"Δεν ξέρω, ίσως αργά.",
		"Πήρε φρούτα, π.χ. Μήλα και αχλάδια.",
	},
	"eng": {
		"Dr. Smith and Mrs. J. R. Jones met at 10.30 a.m. on Jan. 5.",
		"They read sources.list, e.g. Debian's, on www.debian.org.",
		"\"Why now?\" he asked.",
		"The U.S. Army moved to the U.S.",
		"The price is $3.50.",
		"It fell... slowly.",
		"It stopped...",
		"Nobody came.",
		"He works at Acme Inc.", "The firm is old.",
		"So do I.",
		"Try http://example.org/?q=One first!",
		"(Really.)",
		"See fig. 3 and No. 7.",
	},
	"spa": {
		"El Sr. García llegó a las 10.30 con la Dra. Ruiz.",
		"¿Vienes mañana?",
		"¡Claro que sí!",
		"Trae fruta, p. ej. Manzanas o peras.",
		"Vive en EE. UU. desde hace años.",
		"«Ya veremos», dijo.",
		"Lea la pág. 12.",
	},
	"fas": {
		"دکتر رضایی ساعت 9.30 رسید.",
		"آیا پروندهٔ sources.list را دیدی؟",
		"بله!",
		"«فردا می\u200cآیم.»",
		"این پایان کار است.",
	},
	"fra": {
		"M. Dupont est arrivé à 10.30 avec Mme. Petit et J.-P. Martin.",
		"« Pourquoi ? » demanda-t-il.",
		"Il y a des pommes, des poires, etc. dans le panier.",
		"Quelle heure est-il ?",
		"Voir la p. 12 et l'art. 5.",
		"« Rien ! »",
		"Elle partit.",
	},
	"hrv": {
		"Dana 3. Listopada dr. Horvat otvorio je vrata.",
		"Ivan Pavao II. Putovao je mnogo.",
		"Kupio je voće, npr. Jabuke.",
		"Što radiš?",
		"Vidi datoteku sources.list!",
	},
	"ind": {
		"Dr. Sari tiba pukul 10.30 bersama H. M. Yusuf.",
		"Apakah Anda sudah membaca sources.list?",
		"Sudah!",
		"\"Besok saja,\" katanya.",
		"Lihat hal. 12.",
	},
	"ita": {
		"Il sig. Rossi e il dott. G. Bianchi sono arrivati alle 10.30.",
		"Che ora è?",
		"Non lo so!",
		"Porta frutta, p.es. Mele e pere.",
		"Vedi pag. 12.",
		"«Domani», disse.",
	},
	"jpn": {
		"田中さんは午前9.30に着いた。",
		"「もう終わったの？」と彼は聞いた。",
		"sources.listを読みましたか？",
		"はい！",
		"（これは注です。）",
		"値段は3.5ドルだ。",
	},
	"kor": {
		"김 선생님은 9.30에 도착했다.",
		"sources.list를 읽었습니까?",
		"네!",
		"\"내일 가자.\"",
		"3월에 시작한다.",
	},
	"nob": {
		"Møtet er 3. Oktober, og hr. Hansen kommer kl. 10.30.",
		"Vi tar med f.eks. Anne og J. P. Berg.",
		"Har du lest sources.list?",
		"Nei!",
		"Kong Harald V. Møtte dem.",
	},
	"nld": {
		"Dhr. Jansen en mevr. De Vries kwamen om 10.30 uur.",
		"Neem fruit mee, bijv. Appels of peren.",
		"Heb je sources.list gelezen?",
		"Nee!",
		"Zie blz. 12, d.w.z. Het begin.",
	},
	"pol": {
		"Dr. Nowak i prof. J. Kowalski przyszli o 10.30.",
		"W 1990 r. Wszystko się zmieniło.",
		"Kup owoce, np. Jabłka.",
		"Czy czytałeś sources.list?",
		"Nie!",
		"Zob. str. 12.",
	},
	"por": {
		"O Sr. Silva chegou às 10.30 com a Dra. Souza.",
		"Você leu o sources.list?",
		"Não!",
		"Traga frutas, p.ex. Maçãs ou peras.",
		"Veja a pág. 12.",
		"“Amanhã”, disse ele.",
	},
	"ron": {
		"Dl. Popescu a venit la 10.30 cu dr. Ionescu.",
		"Ai citit sources.list?",
		"Nu!",
		"Adu fructe, de ex. Mere.",
		"Vezi pag. 12.",
		"„Mâine”, spuse el.",
	},
	"rus": {
		"А. С. Петров и г-н Иванов пришли в 10.30.",
		"Он родился в 1990 г.", "Потом уехал.",
		"Купи фрукты, т. е. яблоки и т. д. и иди домой.",
		"«Зачем?» — спросил он.",
		"Вы читали sources.list?",
		"Нет!",
		"См. рис. 3 на с. 12.",
	},
	"swe": {
		"Dr. Berg kom kl. 10.30 med bl.a. Eva och J. P. Holm.",
		"Har du läst sources.list?",
		"Nej!",
		"Ta med frukt, t.ex. Äpplen.",
		"Vart ska vi gå? undrade hon.",
		"”I morgon”, sade han.",
	},
	"tur": {
		"Dr. Yılmaz ve Prof. A. Kaya 10.30'da geldi.",
		"II. Mehmet bu kenti aldı.",
		"Bugün sources.list dosyasını okudun mu?",
		"Hayır!",
		"Meyve al, örn. Elma.",
		"Nereye gidiyoruz? diye sordu Org. Demir.",
		"Dur! dedi.",
	},
	"vie": {
		"TS. Minh và PGS. Lan đến lúc 10.30.",
		"Bạn đã đọc sources.list chưa?",
		"Rồi!",
		"\"Ngày mai\", anh nói.",
		"Xem tr. 12.",
	},
	"zho_Hans": {
		"张先生上午9.30到了。",
		"你读过sources.list吗？",
		"读过！",
		"“为什么？”",
		"他走了……后来又回来。",
		"价格是3.5元。",
	},
	"zho_Hant": {
		"陳先生上午9.30到了。",
		"你讀過sources.list嗎？",
		"「當然！」",
		"他走了。",
	},
	// Languages beyond the handbook.
	"hin": {"डॉ. शर्मा 9.30 बजे आए।", "क्या आपने sources.list पढ़ी?", "हाँ!", "यह अंत है।"},
	"urd": {"وہ صبح 9.30 پر آیا۔", "کیا آپ نے پڑھا؟", "جی ہاں۔"},
	"hye": {"Նա եկավ առավոտյան։", "Մենք սպասում էինք:", "Հետո գնացինք։"},
	"amh": {"እሱ መጣ።", "እኛ ጠበቅን፡፡ ከዚያ ሄድን።"},
	"khm": {"គាត់មកដល់ហើយ។", "យើងរង់ចាំ។"},
	"mya": {"သူ လာသည်။", "မောင်၊ မ၊ နှင့် ကျွန်ုပ် သွားသည်။"},
	"bod": {"ཁོང་ཕེབས་སོང་།", "ང་ཚོས་སྒུག་པ་ཡིན།"},
	"ukr": {"О. П. Коваль прийшов о 10.30.", "Він народився в 1990 р.", "Потім поїхав.", "Чому?"},
	"hun": {"Dr. Nagy október 3. Napján jött.", "Miért?", "IV. Béla király volt."},
	"kat": {"წიგნი მაგიდაზე დევს.", "ნ. კობახიძემ დაწერა?", "დიახ, 1990 წ. თბილისში.", "ყველამ წაიკითხა!"},
	"ben": {"ড. রহমান ও মো. আলী এলেন।", "বইটা কোথায়?"},
	"tel": {"డా. రావు వచ్చారు.", "ధర రూ. 350 మాత్రమే.", "అది ఎక్కడ ఉంది?"},
	"tam": {"திரு. குமார் வந்தார்.", "விலை ரூ. 350 ஆகும்.", "அது எங்கே?"},
	"tha": {"คุณมาหรือยังครับ", "ผมมาแล้วครับ"},
}

func TestLanguages(t *testing.T) {
	for code, want := range languageTests {
		t.Run(code, func(t *testing.T) {
			space := " "
			if code == "jpn" || strings.HasPrefix(code, "zho") {
				space = ""
			}
			if code == "amh" {
				want = []string{want[0], "እኛ ጠበቅን፡፡", "ከዚያ ሄድን።"}
			}
			check(t, code, strings.Join(want, space), want)
		})
	}
}

func check(t *testing.T, code, text string, want []string) {
	t.Helper()
	got := Split(nil, text, code)
	if len(got) != len(want) {
		t.Errorf("%s: %d sentences, want %d", code, len(got), len(want))
	}
	for i := range max(len(got), len(want)) {
		var g, w string
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("%s: sentence %d is\n\t%q, want\n\t%q", code, i, g, w)
			return
		}
	}
}
