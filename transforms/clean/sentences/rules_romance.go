package sentences

var french = rules{
	never: " m mm mme mmes mlle mlles dr pr prof me mgr st ste sts cf ex p.ex c.-à-d c.à.d c-à-d env resp av apr boul bd gén col" +
		" cap lt éd dir trad hab ",
	maybe:  " etc inc ltée jr j.-c al s.a ",
	number: " n no nos art p pp vol t fig chap sect tab al ",
	words:  "ayà",
	starters: " Le La Les L Un Une Des Du De Ce Cet Cette Ces Il Elle Ils Elles On Nous Vous Je Tu En Dans Sur Pour Par Avec Sans Sous" +
		" Au Aux À A Et Mais Ou Or Donc Car Si Quand Lorsque Comme Que Qui Où Pourquoi Comment Puis Ensuite Alors Ainsi Après" +
		" Avant Depuis Pendant Cependant Toutefois Son Sa Ses Leur Leurs Notre Nos Mon Ma Tous Toutes Chaque Aucun Ne Plus C D J S ",
}

var spanish = rules{
	never: " sr sra sres sras srta dr dra prof profa lic ing arq d dña dn gral cnel cap tte sgto st sto sta p.ej p ej excmo excma ilmo" +
		" mons fr vs cf aprox ej esp ",
	maybe:  " etc ee.uu ee uu cía s.a s.l jr a.c d.c a.m p.m al ud uds vd vds av avda ",
	number: " n núm núms no nº art arts pág págs pp vol vols cap fig figs tab t ",
	words:  "aeouy",
	starters: " El La Los Las Lo Un Una Unos Unas Este Esta Esto Estos Estas Ese Esa Eso Aquel En De Del Al A Por Para Con Sin Sobre" +
		" Entre Desde Hasta Y E O Pero Sino Si Cuando Como Donde Que Quien Cuál Qué Quién Cómo Dónde Cuándo Él Ella Ellos Ellas" +
		" Yo Tú Usted Nosotros Su Sus Mi Mis Nuestro Nuestra No Se Ya También Además Luego Después Antes Ahora Entonces Así" +
		" Todos Todas Cada Ningún Hay Es Son Fue ",
}

var catalan = rules{
	never:  " sr sra srs sres dr dra prof st sta p.ex ex aprox cf mn mons pl ",
	maybe:  " etc s.a s.l jr a.c d.c a.m p.m al av ",
	number: " n núm núms art arts pàg pàgs pp vol vols cap fig figs t ",
	words:  "aeioàé",
	starters: " El La Els Les L Un Una Uns Unes Aquest Aquesta Aquests Aquestes Això En De Del Al A Per Amb Sense Sobre Entre Des" +
		" Fins I O Però Si Quan Com On Que Qui Què Ell Ella Ells Elles Jo Tu Vostè Nosaltres El Seu No Es Ja També A Després" +
		" Abans Ara Llavors Així Tots Totes Cada Cap Hi És Són Va ",
}

var portuguese = rules{
	never: " sr sra srs sras srta dr dra drs prof profa eng arq d dom gen cel cap ten sgt sto sta s exmo exma p.ex ex aprox cf vs" +
		" min máx ",
	maybe:  " etc cia ltda s.a jr a.c d.c a.m p.m al av ",
	number: " n nº núm no art arts pág págs p pp vol vols cap fig figs tab ",
	words:  "aeoàé",
	starters: " O A Os As Um Uma Uns Umas Este Esta Isto Estes Estas Esse Essa Isso Aquele Em No Na Nos Nas De Do Da Ao À Por Para Com" +
		" Sem Sobre Entre Desde Até E Ou Mas Se Quando Como Onde Que Quem Qual Ele Ela Eles Elas Eu Tu Você Nós Seu Sua Seus" +
		" Suas Meu Minha Nosso Nossa Não Já Também Além Depois Antes Agora Então Assim Todos Todas Cada Nenhum Há É São Foi ",
}

var italian = rules{
	never: " sig sigg sig.ra sig.na dott dott.ssa dr prof prof.ssa ing avv arch geom rag on sen gen col cap ten mons s ss st es p.es" +
		" cfr ca circa c.d cd vs ecc.mo ",
	maybe:  " ecc etc s.p.a s.r.l spa srl jr a.c d.c al v mln mld ",
	number: " n nn num art artt pag pagg p pp vol voll cap fig figg tab ",
	words:  "aeioèé",
	starters: " Il Lo La I Gli Le L Un Uno Una Questo Questa Questi Queste Quello In Nel Nella Nei Di Del Della Da Dal Dalla A Al Alla" +
		" Per Con Senza Su Sul Tra Fra E Ed O Ma Se Quando Come Dove Che Chi Cosa Quale Egli Ella Lui Lei Essi Loro Io Tu Noi Voi" +
		" Suo Sua Nostro Non Si Già Anche Inoltre Poi Dopo Prima Ora Adesso Allora Così Tutti Tutte Ogni Nessun È Sono Fu ",
}

var romanian = rules{
	never:  " dl dna d-l d-na dra dr prof ing av gen col cpt lt sf st conf lect asist ex cca aprox vs ș.a ş.a ",
	maybe:  " etc ș.a.m.d ş.a.m.d jr s.a s.r.l î.hr d.hr al mil mld ",
	number: " nr art alin pag p pp vol cap fig tab lit ",
	words:  "aeo",
	starters: " Un O Acest Această Aceasta Acesta Acești Aceste El Ea Ei Ele Noi Voi Eu Tu Se În Din De La Pe Pentru Cu Fără Despre Între" +
		" Până După Înainte Și Sau Dar Însă Dacă Când Cum Unde Ce Cine Care Nu Mai Și Apoi Atunci Acum Astfel Toți Toate Fiecare" +
		" Este Sunt A Au Al Ai ",
}
