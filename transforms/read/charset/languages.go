package charset

// writing is how a language is written in character sets of single bytes.
type writing struct {
	// codes are those of the languages that are written alike, as ISO 639-3.
	codes string
	// sets are the character sets in use for them. Where there are none, the letters speak for declared sets only.
	sets string
	// letters are the letters beyond ASCII, in small form, and after each how often it occurs in text,
	// beside the others of the row; without a number as often as the letter before it.
	letters string
	// words are some of the commonest words.
	words string
}

const (
	western  = "windows-1252 iso-8859-15 macintosh ibm850"
	central  = "windows-1250 iso-8859-2 ibm852"
	baltic   = "windows-1257 iso-8859-13 iso-8859-4"
	cyrillic = "windows-1251 koi8-r iso-8859-5 ibm866 x-mac-cyrillic"
)

// english is the number of the first of writings.
const english = 0

// writings are orthographies with rounded frequencies of letters, written down for this purpose.
var writings = []writing{
	{"eng", western, "é3 è1 ï1 ç ü ö ä á ó í ñ", "the and of to in is that for it with as was on be are this by not from or have you at"},
	{"deu ltz", western, "ü100 ä58 ö44 ß31 é3 à1 è ê ç",
		"der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat daß dass sie nach wird bei einer um am sind noch wie über war haben wir ich"},
	{"fra", western, "é190 à49 è27 ê22 ç9 ô6 û6 î5 â5 ù4 œ2 ï1 ë1 ÿ ü",
		"de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont la cette avec été même où être ou à nous vous mais ont aux son"},
	{"spa glg ast", western, "ó83 í73 á50 é43 ñ31 ú17 ü1 ç",
		"de la que el en y a los del se las por un para con no una su al es lo como más o pero sus le ha me si sin sobre este ya entre cuando todo esta ser son dos también fue había está muy años hasta desde está él"},
	{"por", western, "ã90 ç53 á50 é45 í35 ó30 ê35 õ25 ú18 â15 à12 ô8 ü1",
		"de a o que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu sua ou quando muito nos já eu também só pelo pela até isso ela entre depois sem mesmo aos seus são está você é"},
	{"ita", western, "à64 è40 ù17 ò20 ì5 é8 î1",
		"di e il la che in un a per è una con non si da del le i dei al della nel come più anche alla lo ma ha gli delle o sono se dal essere questo quello perché due così ed sul"},
	{"cat oci", western, "à60 é30 è25 ó50 í45 ò20 ú15 ç12 ï5 ü2",
		"de la i el a que en els un les per del amb una es no al és com més dels se o seu va aquest són també però ha al pel hi està"},
	{"nld afr", western, "ë15 é8 ï5 ê3 è2 ö2 ü1 ó1 á1 ô1",
		"de van het een en in is dat op te zijn met voor die niet aan er om ook als dan maar bij of uit nog naar heeft worden door wordt over hij was tot je wel wat geen"},
	{"swe", western, "ä180 å134 ö131 é5 ü1 à1",
		"och i att det som en på är av för med till den har de inte om ett han men var jag sig från vi så kan när år under också efter eller där nu sin här mot"},
	{"dan nor nob nno", western, "å130 ø95 æ70 é5 ö1 ü1 ä1 ò1 ô",
		"og i at det er en til på som for med de den av af ikke et har jeg om var fra han men ved sig kan der så vi også eller etter efter seg være blir bliver år over når når må"},
	{"fin", western, "ä358 ö44 å1 š1 ž é",
		"ja on ei se että oli hän en mutta kun niin ovat tai myös jos mitä minä sitä vain kuin sen ole nyt mukaan ole voi sekä tämä mitään sinä hyvä"},
	{"isl fao", western, "ð44 á40 í28 é10 ó20 æ12 þ15 ö15 ú10 ý5 ø5",
		"og að í á er sem til var um ekki við það en með hann af fyrir ég þetta eru hafa verið hún frá þá því ekki þar eftir sé upp tað við ikki eru tey"},
	{"gle gla", western, "á40 í35 é25 ó25 ú20 à20 ì12 ò10 è8 ù8",
		"an na a ar i go agus is le do bhí sé ag tá mar air gun cha tha aig nach ach ní bhfuil gach sin seo"},
	{"cym", "windows-1252 iso-8859-14", "ŵ4 ŷ2 â8 ê4 î3 ô6 û2 ï2 ë1",
		"y yn a i o r ar ei fod gan wedi mae am ac oedd ond cael ddim eu nid hyn bod wrth yr ym"},
	{"eus", western, "ñ2 ü1 ç1 é1", "eta da ez bat du dira baina egin zen izan beste zuen ere dute nahi hau bere edo dela den egiten duen"},
	{"sqi als", "windows-1252 windows-1250 iso-8859-2 iso-8859-15", "ë70 ç5",
		"e të në për me dhe një që i nga ka u është së janë si do më se ai por te ky kjo nuk"},
	{"est ekk", "windows-1257 iso-8859-13 windows-1252 iso-8859-15 iso-8859-4", "ä95 õ80 ü60 ö20 š1 ž1",
		"ja on ei et see ta oli kui ka ning aga mis oma siis ma nii või kes välja üle mida veel seda pole olid nagu tema mille üks eesti ära"},
	{"lit", baltic, "ė170 š130 ž85 ų130 į60 ą75 č45 ū47 ę22",
		"ir kad į yra su tai iš buvo o bet kaip ne jis savo ar dar tik jau už per dėl po labai prie taip nuo apie gali kai būti jo metų jos lietuvos šis mūsų mes nėra"},
	{"lav lvs", baltic, "ā400 ī190 ē165 š110 ū50 ņ55 ļ45 ž32 ķ20 ģ15 č10 ŗ1",
		"un ir ka no ar par uz kas tas bija to ka viņš kā bet pie arī tā es vai lai pēc kad savu tikai gan nav jau vēl šo gada var bez būs viņa ļoti latvijas visi"},
	{"pol", central, "ę111 ą99 ł182 ó85 ż83 ś66 ć40 ń20 ź6",
		"w i na z do się nie to że jest o a jak po za od przez co dla tego był przy ale może ze tym lub już czy jego oraz tylko są pod także być jako bardzo które który która dzień ich tak"},
	{"ces", central, "í310 á224 é117 ě162 ř120 č95 ž92 š80 ý100 ů56 ú10 ň4 ó3 ť4 ď2",
		"a v se na je že s z o do i to ve ale jako za by pro si po tak od jsem byl které který která jeho jsou nebo bylo při však také už není podle jen aby může být když až"},
	{"slk", central, "á190 í100 é90 ý100 č120 ž90 š80 ú110 ľ40 ť50 ň10 ď20 ô20 ä10 ó10 ĺ1 ŕ1",
		"a v sa na je že s z o do aj to vo ale ako za by pre si po tak od som bol ktoré ktorý ktorá jeho sú alebo bolo pri však už nie podľa len aby môže byť keď až nám"},
	{"slv", central, "č150 š100 ž65 ć2 đ1",
		"je in v na da se za so ki z s ne pa bi po kot tudi še od pri ni že iz o do ali bo kar to sem jih le lahko smo ter ko več nam"},
	{"hrv srp bos hbs cnr", central, "č110 š100 ž60 ć80 đ22",
		"je i u na se da za su od s a iz o ne kao koji to po ali bi ili do što nije sa koje koja sam će bio kako biti te već više bila samo još nam ga"},
	{"hun", central, "á340 é390 ö110 ó105 ő100 ü60 í50 ú30 ű20",
		"a az és hogy nem egy is volt meg van de csak ez el mint azt már ki még ha kell mert így vagy vele amely lehet minden után első nagy magyar ezt lesz be"},
	{"ron mol", "windows-1250 iso-8859-2 iso-8859-16", "ă240 î110 ş155 ţ118 â60 ș155 ț118",
		"de şi în a la cu care pe nu o din un se că mai pentru este sau al ca am fost lui au prin ce le ale ar dar sunt fi iar această după ne și că"},
	{"tur", "windows-1254 iso-8859-3", "ı510 ş180 ü185 ö78 ğ110 ç116 İ12 â4 î1 û1",
		"ve bir bu da de için ile çok olarak daha olan gibi kadar en ne ama o sonra var mı mi her ya değil olduğu diye oldu iki ancak yeni büyük"},
	{"hsb dsb", central, "ě204 ó268 ł196 ś188 š177 ź102 ž85 ć52 ń28 č40 ř20 ŕ4",
		"a w jo na je so se z to do za ale tež ja my wón ma sy był by při pśi po nje njejo njej kak što"},
	{"kur kmr", "windows-1254", "ê356 î324 û60 ş40 ç30", "ez ji li bi di ne tu ew û ku wê wî jî vê bû xwe ye min me"},
	{"bre", western, "ñ323 ù72 ê10 â2 ô2 é2", "ar an ur eo zo da eus gant hag evit ket ha eur ema met ouzh bet war"},
	{"tuk", "", "ý105 ň98 ä90 ş44 ü32 ö29 ç28 ž1", "men ol bu bir we bilen meniň seniň üçin hem bar däl ýok näme"},
	{"lat", "", "ō38 ē33 ā31 ī22 ū11 ë1 æ1 œ1", "et in est non ad quod cum ut sed sunt ex qui mihi"},
	{"mlt", "iso-8859-3", "ħ200 ż100 ġ80 ċ60 à20 è1", "li u ta il f għal ma huwa dan kien fil mill hija minn bil jew dwar din biex"},
	{"epo", "iso-8859-3", "ŭ52 ĉ66 ĝ69 ŝ38 ĵ6 ĥ2", "la de kaj en estas al por kun ne ke mi li ĝi sed el pri ĉi ili estis oni aŭ kiu ankaŭ"},
	{"vie", "windows-1258", "đ24 ư40 ơ20 ô30 ê20 â25 ă10 à30 á20 ó8 í8 é2 è2 ù3 ú5 ý2 \u030060 \u030180 \u030930 \u030320 \u032380",
		"và là có cho không trong các này khi như khác theo hay thì trên"},
	{"ind msa zsm tgl swa", western, "é2",
		"yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke karena tersebut bisa ada ang ng sa na mga kwa ya wa"},

	{"rus", cyrillic + " koi8-u",
		"о110 е85 а80 и74 н67 т63 с55 р47 в45 л44 к35 м32 д30 п28 у26 я20 ы19 ь17 г17 з17 б16 ч14 й12 х10 ж9 ш7 ю6 ц5 щ4 э3 ф3 ъ1 ё1",
		"и в не на я что он с как это но а по к из у за то так же от для бы было его вы только о все мы или до если ещё еще при уже"},
	{"ukr", "windows-1251 koi8-u iso-8859-5 x-mac-cyrillic",
		"о94 а72 н65 и61 і57 в55 т53 р48 е45 с44 к40 у33 д31 л39 м30 п28 я22 з22 ь17 г16 б17 ч12 х11 й14 ж8 ш7 ю9 ц8 ї8 є6 щ5 ф3 ґ1",
		"і в не на що з та у до як за це й він але від його про я для так або вони ми ви був при є також"},
	{"bel", "windows-1251 koi8-u iso-8859-5",
		"а150 н60 і55 р47 с45 к40 л37 д38 т35 ў16 ы40 ц33 е37 п27 в28 з28 м26 у30 о30 я35 ь16 б17 г16 ш9 й10 э14 х9 ж8 ч14 ю6 ф2 ё4",
		"і у не на што з як да ён але за гэта па для ад яго мы яны быў ці пра"},
	{"bul", "windows-1251 iso-8859-5 koi8-r x-mac-cyrillic",
		"а120 и92 о87 е85 т75 н68 р50 с49 в47 д36 л36 к31 п27 м22 я20 ъ18 з20 у15 г14 б14 ч13 ж7 щ5 й6 х6 ц6 ш4 ю2 ф2 ь1",
		"на и да се в от за не е с са по като до си че ще след но той които през има или към през това най ни ги"},
	{"mkd", "windows-1251 iso-8859-5 x-mac-cyrillic",
		"а125 о100 и92 е95 т75 н68 р48 с48 в42 д36 к36 л31 п28 м24 з19 у20 ј17 г17 б14 ч9 ш8 ж8 ц7 љ4 њ4 ќ5 ѓ3 х2 џ1 ѕ1 ф2",
		"на и во да се од за не е со по што ќе но ги го тој како или ја ни ги беше сè"},
	{"srp bos hbs cnr", "windows-1251 iso-8859-5 x-mac-cyrillic",
		"а118 о92 и95 е88 н56 р50 с48 т45 у42 ј45 в38 к38 д36 л32 м35 п28 з18 г17 б16 њ7 ч10 ш10 ж6 ц8 љ5 ћ7 ђ2 х7 џ1 ф2",
		"и у је да се на за су од не са а као који из о то ће али или би што нам га по"},
	{"ell", "windows-1253 iso-8859-7",
		"α105 ο88 ι80 ε80 τ80 ν63 σ50 η44 υ37 ρ43 π40 κ41 μ34 λ28 ς39 ω20 ά20 ί22 ό22 έ18 ή15 ώ8 ύ9 δ17 γ18 χ12 θ12 φ8 β7 ξ4 ζ4 ψ2 ϊ1 ΐ1 ϋ1 ΰ1",
		"και το να του η της με για την από που στο τα είναι ο των οι δεν θα σε τον στην τη τις ότι ή ένα αυτό"},
	{"heb yid", "windows-1255 iso-8859-8",
		"י110 ו103 ה92 ל70 א62 ר60 ת55 ב50 מ50 ש48 נ37 ע34 ם31 ד28 ק23 פ22 ח24 ט13 כ22 ג14 ן15 ס15 צ12 ז10 ך8 ף3 ץ2 \u05b01 \u05b71 \u05b81 \u05b41 \u05b61 \u05b51 \u05b91",
		"של את על לא הוא עם זה היא כי גם אל אני או כל יש אם אין בין מה היה רק אך"},
	{"ara arb", "windows-1256 iso-8859-6",
		"ا130 ل115 ي75 م63 و60 ن60 ر50 ت48 ب42 ع36 ه34 د32 ف31 س29 ة26 ك22 ق24 أ25 ح20 ج13 ش12 ط11 ص10 خ9 إ8 ذ7 ض7 ى12 ث6 غ5 ز7 ئ5 ء6 آ2 ؤ2 ظ2 ،5 َ1 ُ1 ِ1 ً2 ّ2 ْ1",
		"في من على أن إلى التي عن لا ما هذا هذه مع الذي كان كل بعد قد لم أو بين ذلك هو و كما به"},
	{"fas pes prs urd pus", "windows-1256 iso-8859-6",
		"ا140 ر75 ن72 د65 ي90 ه62 م58 و60 ت50 ب48 س40 ش38 ك35 ل30 ز25 گ20 ف20 پ14 ع14 خ17 ق12 ج13 ح13 آ10 چ6 غ5 ص8 ط7 ذ4 ض4 ث3 ظ3 ژ2 ئ3 ں5 ے10 ہ20 ٹ3 ڑ2 ڈ2 أ1 ء1",
		"و در به از که این را با است برای آن يک خود تا بر هم نیز كه اين مي کے میں"},
	{"tha", "windows-874",
		"า75 น62 ร60 อ52 ก50 เ50 ง45 ม40 ย40 ว35 ล35 ท30 ด30 ต28 ส30 ค25 บ25 ป22 ห22 พ20 ช15 แ20 ไ15 จ17 ข15 โ8 ใ12 ะ20 ผ8 ธ6 ณ5 ศ6 ซ6 ถ8 ภ5 ญ4 ฟ3 ฐ2 ษ3 ฉ2 ฝ1 ฮ1 ฎ1 ฏ1 ฒ1 ฬ1 ฆ1 ฤ1 ๆ2 ฯ1 ั40 ่45 ้42 ิ32 ี33 ื15 ุ15 ู12 ็9 ์11 ำ9 ึ6 ๊1 ๋1",
		""},
}
