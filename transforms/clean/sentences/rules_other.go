package sentences

import "strings"

var greek = rules{
	never:  " κ κα κος κ.κ δρ καθ αγ π.χ δηλ λ.χ βλ πρβλ περ αρχ στρ ταγμ ",
	maybe:  " κ.λπ κλπ κτλ κ.ά κ.α μ.χ π.χ α.ε ε.ε κ.ο.κ ",
	number: " αρ αριθ σ σελ σσ τ τόμ κεφ εικ πίν άρθρ παρ ",
	words:  "οηήω",
	starters: " Ο Η Το Οι Τα Τον Την Των Του Της Ένας Μία Μια Ένα Αυτός Αυτή Αυτό Αυτοί Αυτά Αυτές Εγώ Εσύ Εμείς Σε Στο Στη Στην Στον" +
		" Από Για Με Χωρίς Μετά Πριν Και Αλλά Ή Αν Όταν Όπως Πού Τι Ποιος Γιατί Δεν Όμως Έτσι Τότε Τώρα Επίσης Όλοι Όλα Κάθε" +
		" Είναι Ήταν ",
	mark: ';',
}

var turkish = rules{
	never: " dr prof doç yrd öğr gör av müh mim gen org korg alb yzb sn hz örn bkz krş vb yy çev haz yay ed ing fr alm ar far lat cad sok mah" +
		" apt bl ",
	maybe:  " vb vs a.ş ltd şti t.c m.ö m.s jr t.l ",
	number: " no nu s sf cilt c böl şek tab md ",
	words:  "o",
	starters: " Bu Şu O Bir Biz Siz Ben Sen Onlar Bunlar Ve Ama Fakat Ancak Ya Eğer Ne Nasıl Nerede Neden Kim Hangi İçin Daha En Çok" +
		" Her Bütün Tüm Sonra Önce Şimdi Burada Orada Böylece Ayrıca Çünkü Bunun Onun Bizim Değil Evet Hayır Kaç Niçin Niye ",
	ordinals: true,
}

var hungarian = rules{
	never:  " dr prof ifj id özv gróf br st pl ill kb stb tel vö ld lásd ún uo szerk ford ang ném lat gör ui ",
	maybe:  " stb jr kft rt zrt nyrt bt i.e i.sz u ",
	number: " sz old o ábra tábl fej köt évf ",
	words:  "aősé",
	starters: " A Az Egy Ez Ezek Azok Ő Ők Mi Ti Én Te És De Vagy Ha Amikor Mikor Hogy Hol Ki Miért Hogyan Itt Ott Most Akkor Majd Ezért" +
		" Azonban Is Nem Már Még Csak Minden Mindenki Van Volt Itt Így Tehát Mert Később Mennyi Hány Melyik ",
	ordinals: true,
}

var finnic = rules{
	never:  " dr prof toht ins mm esim ts eli ns ks vrt nk nn hra rva nti st jne nt s.t v.a k.a ",
	maybe:  " jne yms ym jpm jms jr oy ab eaa jaa ekr jkr e.kr m.a.j tk min milj mrd ",
	number: " nro n:o s siv luku kuva taul nr lk ptk joon tab ",
	starters: " Se Ne Hän He Me Te Minä Sinä Tämä Nämä Tuo Nuo Ja Mutta Tai Vai Jos Kun Kuin Missä Mitä Mikä Kuka Miksi Miten Tässä" +
		" Siellä Täällä Nyt Sitten Silloin Siksi Kuitenkin Myös Hänen Heidän Meidän Kaikki Joka Ei On Oli Ta Nad Ma Sa Meie Teie" +
		" See Need Aga Või Kui Kus Mis Kes Miks Kuidas Siin Seal Nüüd Siis Seejärel Kõik Iga Ka Oli Kuinka Milloin Montako Mitu Millal ",
	ordinals: true,
}

var indonesian = rules{
	never:  " dr drs dra prof ir hj h tn ny sdr jl jln kol kpt letjen dsb a.n u.p d.a s.d yth ",
	maybe:  " dll dsb dst tbk pt s.h m.m s.e s.t jr m s.m ",
	number: " no hal hlm vol bab gbr tab ps pasal ",
	starters: " Ini Itu Di Ke Dari Pada Dalam Untuk Dengan Tanpa Oleh Dan Tetapi Tapi Namun Atau Jika Bila Ketika Saat Bagaimana Apa Siapa" +
		" Mengapa Dia Ia Mereka Kami Kita Saya Anda Aku Kamu Kemudian Lalu Sekarang Maka Karena Juga Semua Setiap Tidak Sudah Akan" +
		" Ada Adalah Setelah Sebelum Sebuah Seorang ",
}

var vietnamese = rules{
	never:  " ts pgs gs ths bs ks tp tx tt ô v.d vd đ.c ",
	maybe:  " v.v vv jr tcn scn ",
	number: " số tr trg ch hình bảng q đ ",
	words:  "aàáảạơờởồôốổởyýỷỳỹìíỉóòỏởớềừứ",
	starters: " Các Những Một Đây Đó Này Ông Bà Anh Chị Em Tôi Chúng Họ Nó Trong Trên Dưới Từ Đến Với Và Nhưng Hoặc Nếu Khi Sau Trước Vì" +
		" Do Để Cho Tại Ở Ai Gì Sao Thế Vậy Tuy Không Có Là Đã Sẽ Mọi Mỗi Tất Hiện ",
}

var armenian = rules{
	never:    " դր պրոֆ ակադ տ տիկ փ պ օր օրինակ ",
	maybe:    " այլն թ թթ դ ",
	number:   " հ էջ գլ նկ աղ ",
	starters: " Այս Այդ Այն Նա Նրանք Մենք Դուք Ես Դու Եվ Բայց Կամ Եթե Երբ Ինչ Ով Որտեղ Ինչու Հետո Այժմ ",
	mark:     ':',
}

// Devanagari ends sentences with the danda; the full stop comes after titles.
var hindi = rules{
	never:    " डॉ डा श्री श्रीमती पं प्रो सुश्री ई कु मो रा dr mr mrs ",
	maybe:    " आदि ",
	number:   " सं पृ क्र रु ",
	starters: " ",
}

// Korean writes dates with full stops (2024. 3. 5.), and no sentence of it ends with a number of one or two digits.
var korean = rules{
	never:    generic.never,
	maybe:    generic.maybe,
	number:   generic.number,
	starters: generic.starters,
	ordinals: true,
}

// indic serves other languages of India and its neighbours: titles, and rupees.
var indic = rules{
	never:    " ড ডা ডাঃ মো মি ଡ ଡା ਡਾ ਸ ਪ੍ਰੋ ડો ડૉ પ્રો રૂ શ્રી திரு திருமதி ரூ డా ప్రొ రూ ಡಾ ಪ್ರೊ ರೂ ಶ್ರೀ ഡോ പ്രൊഫ രൂ ശ്രീ රු dr mr mrs ",
	maybe:    " ",
	number:   " নং ",
	starters: " ",
}

// Arabic letters have no case: titles and "etc." are all that the lists can tell.
var arabic = rules{
	never:    " أ.د أ.م د.م ص.ب دكتور dr mr mrs prof e.g i.e ",
	maybe:    " إلخ الخ ",
	number:   " ص ج ",
	starters: " و في هذا هذه وقد ثم لكن این در و اما که او آن ",
}

var thaiLao = rules{
	never:    " ดร นพ พญ รศ ผศ ศ พล.อ พ.ต.อ จ อ ต ถ ซ น.ส ด.ช ด.ญ กทม โทร พ.ศ ค.ศ ม.ค ก.พ มี.ค เม.ย พ.ค มิ.ย ก.ค ส.ค ก.ย ต.ค พ.ย ธ.ค น ดร ທ ປ ສ.ປ.ປ dr mr mrs ",
	maybe:    " ฯลฯ ",
	number:   " ข้อ หน้า ",
	starters: " ",
	spaces:   true,
}

// Lengths of Thai and Lao clauses in bytes: 30 and 10 characters of three bytes.
const (
	minClause     = 90
	minNextClause = 30
)

// Words of Thai and Lao that decide at a space.
var (
	// finals are polite words that end what somebody says.
	finals = []string{"ครับ", "ค่ะ", "คะ", "จ้ะ", "จ้า", "ນະ", "ເດີ້"}
	// joiners begin clauses that belong to the one before.
	joiners = []string{"และ", "หรือ", "แต่", "ที่", "ซึ่ง", "โดย", "เพราะ", "เพื่อ", "ว่า", "จึง", "ทั้ง", "เช่น", "รวม", "กับ",
		"ແລະ", "ຫຼື", "ແຕ່", "ທີ່", "ເຊິ່ງ", "ໂດຍ", "ເພາະ", "ເພື່ອ", "ວ່າ", "ຈຶ່ງ", "ເຊັ່ນ", "ກັບ"}
	// repeaters are signs that a space follows by rule.
	repeaters = []string{"ๆ", "ฯ", "ໆ", "ຯ"}
)

func hasPrefix(text string, words []string) bool {
	for _, w := range words {
		if strings.HasPrefix(text, w) {
			return true
		}
	}
	return false
}

func hasSuffix(text string, words []string) bool {
	for _, w := range words {
		if strings.HasSuffix(text, w) {
			return true
		}
	}
	return false
}
