package pipelinetest

import (
	"fmt"
	"strings"
)

// Languages of the synthetic corpus, English first.
var Languages = []string{"eng", "spa", "fra", "deu", "jpn"}

// A sentence is put together from one choice of each of five lists; the n-th
// entries of a list mean the same in every language.
type words struct {
	times, subjects, verbs, objects, places []string
	// order makes the sentence.
	order func(time, subject, verb, object, place string) string
}

func list(s string) []string { return strings.Split(s, "|") }

var vocabularies = map[string]words{
	"eng": {
		list("In the morning|Last winter|On Sunday|Before the storm|After lunch|At midnight|During the festival|Two days later|In early spring|That summer|One evening"),
		list("the baker|the teacher|the old sailor|the young doctor|a curious child|the tired farmer|the painter|her brother|the watchman|our neighbour|the miller|the clockmaker|a stranger"),
		list("found|sold|repaired|painted|lost|carried|described|hid|bought|cleaned|drew|forgot|admired|photographed|weighed|wrapped|inspected"),
		list("a wooden boat|the broken clock|two silver spoons|an empty basket|the blue door|a heavy stone|the torn map|a small lantern|the green bicycle|three old letters|a copper kettle|the red umbrella|a bag of apples|the rusty key|a woollen coat|the glass bottle|a piano|the leather suitcase|a paper kite"),
		list("near the river|behind the church|in the garden|at the station|under the bridge|on the market square|by the mill|in the harbour|beside the well|at the edge of the forest|in the attic|on the roof|at the border|in the library|outside the theatre|on the island|in the cellar|near the lighthouse|at the hospital|along the canal|in the workshop|beyond the hills|beside the railway"),
		func(t, s, v, o, p string) string { return fmt.Sprintf("%s %s %s %s %s.", t, s, v, o, p) },
	},
	"spa": {
		list("Por la mañana|El invierno pasado|El domingo|Antes de la tormenta|Después de comer|A medianoche|Durante la fiesta|Dos días después|Al empezar la primavera|Aquel verano|Una tarde"),
		list("el panadero|la maestra|el viejo marinero|la joven doctora|un niño curioso|el campesino cansado|la pintora|su hermano|el vigilante|nuestro vecino|el molinero|el relojero|un forastero"),
		list("encontró|vendió|reparó|pintó|perdió|llevó|describió|escondió|compró|limpió|dibujó|olvidó|admiró|fotografió|pesó|envolvió|inspeccionó"),
		list("un barco de madera|el reloj roto|dos cucharas de plata|una cesta vacía|la puerta azul|una piedra pesada|el mapa rasgado|un farol pequeño|la bicicleta verde|tres cartas antiguas|una tetera de cobre|el paraguas rojo|una bolsa de manzanas|la llave oxidada|un abrigo de lana|la botella de vidrio|un piano|la maleta de cuero|una cometa de papel"),
		list("cerca del río|detrás de la iglesia|en el jardín|en la estación|debajo del puente|en la plaza del mercado|junto al molino|en el puerto|al lado del pozo|en el borde del bosque|en el desván|en el tejado|en la frontera|en la biblioteca|fuera del teatro|en la isla|en el sótano|cerca del faro|en el hospital|a lo largo del canal|en el taller|más allá de las colinas|al lado de las vías"),
		func(t, s, v, o, p string) string { return fmt.Sprintf("%s %s %s %s %s.", t, s, v, o, p) },
	},
	"fra": {
		list("Le matin|L'hiver dernier|Le dimanche|Avant l'orage|Après le repas|À minuit|Pendant la fête|Deux jours plus tard|Au début du printemps|Cet été|Un soir"),
		list("le boulanger|la maîtresse|le vieux marin|la jeune médecin|un enfant curieux|le paysan fatigué|la peintre|son frère|le gardien|notre voisin|le meunier|l'horloger|un étranger"),
		list("trouva|vendit|répara|peignit|perdit|porta|décrivit|cacha|acheta|nettoya|dessina|oublia|admira|photographia|pesa|emballa|inspecta"),
		list("un bateau en bois|l'horloge cassée|deux cuillères d'argent|un panier vide|la porte bleue|une pierre lourde|la carte déchirée|une petite lanterne|le vélo vert|trois vieilles lettres|une bouilloire de cuivre|le parapluie rouge|un sac de pommes|la clé rouillée|un manteau de laine|la bouteille de verre|un piano|la valise de cuir|un cerf-volant en papier"),
		list("près de la rivière|derrière l'église|dans le jardin|à la gare|sous le pont|sur la place du marché|près du moulin|dans le port|à côté du puits|au bord de la forêt|au grenier|sur le toit|à la frontière|dans la bibliothèque|devant le théâtre|sur l'île|dans la cave|près du phare|à l'hôpital|le long du canal|dans l'atelier|au-delà des collines|à côté des rails"),
		func(t, s, v, o, p string) string { return fmt.Sprintf("%s, %s %s %s %s.", t, s, v, o, p) },
	},
	"deu": {
		list("Am Morgen|Im letzten Winter|Am Sonntag|Vor dem Sturm|Nach dem Essen|Um Mitternacht|Während des Festes|Zwei Tage danach|Im frühen Frühling|In jenem Sommer|Eines Abends"),
		list("der Bäcker|die Lehrerin|der alte Seemann|die junge Ärztin|ein neugieriges Kind|der müde Bauer|die Malerin|ihr Bruder|der Wächter|unser Nachbar|der Müller|der Uhrmacher|ein Fremder"),
		list("fand|verkaufte|reparierte|bemalte|verlor|trug|beschrieb|versteckte|kaufte|putzte|zeichnete|vergaß|bewunderte|fotografierte|wog|verpackte|prüfte"),
		list("ein hölzernes Boot|die kaputte Uhr|zwei silberne Löffel|einen leeren Korb|die blaue Tür|einen schweren Stein|die zerrissene Karte|eine kleine Laterne|das grüne Fahrrad|drei alte Briefe|einen kupfernen Kessel|den roten Regenschirm|eine Tüte Äpfel|den rostigen Schlüssel|einen wollenen Mantel|die gläserne Flasche|ein Klavier|den ledernen Koffer|einen Drachen aus Papier"),
		list("am Fluss|hinter der Kirche|im Garten|am Bahnhof|unter der Brücke|auf dem Marktplatz|bei der Mühle|im Hafen|neben dem Brunnen|am Rand des Waldes|auf dem Dachboden|auf dem Dach|an der Grenze|in der Bücherei|vor dem Theater|auf der Insel|im Keller|beim Leuchtturm|im Krankenhaus|entlang des Kanals|in der Werkstatt|jenseits der Hügel|neben den Gleisen"),
		func(t, s, v, o, p string) string { return fmt.Sprintf("%s %s %s %s %s.", t, v, s, o, p) },
	},
	"jpn": {
		list("朝に|去年の冬に|日曜日に|嵐の前に|昼食の後で|真夜中に|祭りの間に|二日後に|早春に|あの夏に|ある晩に"),
		list("パン屋|先生|老いた船乗り|若い医者|好奇心の強い子供|疲れた農夫|画家|彼女の兄|番人|隣の人|粉屋|時計職人|旅人"),
		list("見つけた|売った|直した|塗った|失くした|運んだ|説明した|隠した|買った|洗った|描いた|忘れた|褒めた|撮影した|量った|包んだ|調べた"),
		list("木の舟|壊れた時計|二本の銀の匙|空の籠|青い扉|重い石|破れた地図|小さな提灯|緑の自転車|三通の古い手紙|銅のやかん|赤い傘|林檎の袋|錆びた鍵|毛織の外套|硝子の瓶|ピアノ|革の鞄|紙の凧"),
		list("川の近く|教会の裏|庭|駅|橋の下|市場の広場|水車のそば|港|井戸の横|森の端|屋根裏|屋根の上|国境|図書館|劇場の外|島|地下室|灯台の近く|病院|運河沿い|工房|丘の向こう|線路の横"),
		func(t, s, v, o, p string) string { return t + s + "は" + p + "で" + o + "を" + v + "。" },
	},
}

// Sentence returns the n-th sentence of a language. The same n means the same in
// every language; about a million of them differ.
func Sentence(language string, n int) string {
	w := vocabularies[language]
	return w.order(
		w.times[n%len(w.times)], w.subjects[n%len(w.subjects)], w.verbs[n%len(w.verbs)],
		w.objects[n%len(w.objects)], w.places[n%len(w.places)], // the lengths are coprime
	)
}

// pieces returns a small WordPiece vocabulary that covers the sentences.
func pieces() []string {
	vocabulary := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	listed := map[string]bool{}
	add := func(piece string) {
		if piece != "" && !listed[piece] {
			listed[piece] = true
			vocabulary = append(vocabulary, piece)
		}
	}
	for _, language := range Languages {
		w := vocabularies[language]
		for _, entries := range [][]string{w.times, w.subjects, w.verbs, w.objects, w.places} {
			for _, entry := range entries {
				for _, word := range strings.Fields(strings.ToLower(entry)) {
					if language == "eng" {
						add(word)
					}
					for _, r := range word {
						add(string(r))
						add("##" + string(r))
					}
				}
			}
		}
	}
	for r := 'a'; r <= 'z'; r++ {
		add(string(r))
		add("##" + string(r))
	}
	for _, r := range ".,、。はでを0123456789" {
		add(string(r))
		add("##" + string(r))
	}
	return vocabulary
}
