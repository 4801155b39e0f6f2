package sentences

var english = rules{
	never: " mr mrs ms mx dr drs prof rev hon gen col maj capt cpt lt sgt sen rep gov pres supt messrs mt ft" +
		" e.g i.e eg ie viz vs cf ca approx incl esp resp bros pvt ps p.s ",
	maybe: " inc ltd co corp llc plc jr sr st ave blvd rd bldg al etc a.m p.m ph.d m.d b.c a.d dept univ assn est ed eds" +
		" trans dist hr hrs min deg tsp tbsp oz lb lbs sq cu ",
	number: " no nos fig figs tab p pp vol vols ch chap sec sect art arts eq eqs ref refs nr rm para ver jan feb mar apr jun jul" +
		" aug sep sept oct nov dec suppl supp appx chaps secs eqn eqns prop thm ",
	words: "a",
	starters: " The This That These Those A An He She It We They You I In On At As For But And Or So If When While Where Why How" +
		" What Who Which There Here However Then Now After Before Although Because Since Our Your His Her Its Their My Some" +
		" Many Most All Each Every No Not To From With By Also Both Is Are Was Were Do Does Did Can Could Will Would ",
	pronoun: true,
}

var german = rules{
	never: " dr prof hr fr frl hrn dipl dipl-ing ing med phil jur rer nat st sog bzw ca vgl inkl exkl insb insbes evtl ggf ggfs" +
		" zzgl gem geb gest hrsg bearb übers bes allg engl frz lat dt griech russ jap chin ehem mind max min tel vs einschl" +
		" entspr urspr verh gegr beispielsw röm kath ev kgl fa fam gebr d.h z.b u.a o.ä s.o s.u z.t z.zt v.a i.d.r m.e u.u ",
	maybe: " usw etc co jr sen n.chr v.chr u.dgl u.v.m str pl tsd mio mrd std ",
	number: " nr nrn abs art abb abschn tab kap bd bde s ff par ziff anm aufl jg jh lfd ver jan feb mär apr jun jul aug sep sept okt" +
		" nov dez ",
	starters: " Der Die Das Den Dem Ein Eine Einen Einem Einer Er Sie Es Wir Ihr Ich Du Man In Im Am An Auf Bei Mit Nach Von Vor Zu" +
		" Zum Zur Für Aus Und Aber Oder Doch Denn Dann Danach Da Dort Hier So Wenn Als Wie Was Wer Wo Warum Ob Obwohl Weil" +
		" Während Nun Jetzt Heute Auch Dies Diese Dieser Dieses Sein Seine Ihre Unser Unsere Mein Meine Alle Jede Jeder Jedes" +
		" Kein Keine Nicht Später Seit Trotzdem Dabei Dazu Damit Deshalb Daher Allerdings Außerdem Wann Welche Welcher Welches Wieviel Wohin Woher ",
	ordinals: true,
}

var dutch = rules{
	never: " dr drs mr mevr mw dhr ir ing prof ds st bijv bv m.a.w d.w.z o.a m.b.t i.p.v t.o.v t/m ca vgl incl excl resp zgn" +
		" evt z.g.n ",
	maybe:  " enz etc jr sr a.d n.chr v.chr e.d mln mld mrd ",
	number: " nr nrs art blz p pag afb tab hfst par dl jan feb mrt apr jun jul aug sep sept okt nov dec ",
	words:  "u",
	starters: " De Het Een Dit Dat Deze Die Er Hij Zij Ze Wij We Ik Jij Je U Men In Op Aan Bij Met Na Van Voor Uit Om Te En Maar Of Want" +
		" Dus Dan Daar Daarna Hier Nu Als Toen Wanneer Hoe Wat Wie Waar Waarom Ook Zijn Haar Hun Ons Onze Mijn Alle Elke Geen" +
		" Niet Toch Later Sinds ",
}

const nordicNever = " dr prof bl.a f.eks d.v.s dvs mv osv ca jf ifm mht vedr inkl ekskl evt kgl st hr fr stk m.fl o.l "

var danish = rules{
	never:  nordicNever + "skt cand mag ing adm dir iflg pga mht ekskl ift såk ",
	maybe:  " osv mv mm m.m o.s.v etc jr sr f.kr e.kr m.v mio mill mrd ",
	number: " nr s kap afsn fig tab bd art pkt kl jan feb mar apr jun jul aug sep sept okt nov dec ",
	words:  "iåø",
	starters: " Den Det De Der Dette Disse En Et Han Hun Vi Jeg Du I Man Og Men Eller Så Da Når Hvis Hvor Hvad Hvem Hvorfor Hvordan For" +
		" Fra Med På Til Ved Efter Før Under Om Som Her Nu Også Hans Hendes Deres Vores Min Alle Ingen Ikke Senere Siden Derfor Dog Hvornår Hvilken Hvilket Hvilke ",
	ordinals: true,
}

var norwegian = rules{
	never:  nordicNever + "skt cand mag siv ing adm dir iht pga mao bla feks ",
	maybe:  " osv mv mm m.m o.s.v etc jr sr f.kr e.kr m.v mio mill mrd ",
	number: " nr s kap avsn fig tab bd art pkt kl jan feb mar apr jun jul aug sep sept okt nov des ",
	words:  "iåø",
	starters: " Den Det De Der Dette Disse En Et Ei Han Hun Ho Vi Jeg Eg Du I Man Og Men Eller Så Da Når Hvis Hvor Hva Hvem Hvorfor" +
		" Hvordan For Fra Med På Til Ved Etter Før Under Om Som Her Nå Også Hans Hennes Deres Vår Våre Min Alle Ingen Ikke" +
		" Senere Siden Derfor Likevel Hvilken Hvilket Hvilke ",
	ordinals: true,
}

var swedish = rules{
	never:  " dr prof bl.a t.ex d.v.s dvs s.k resp inkl exkl ca jfr enl f.d kungl st tekn fil jur ev fr.o.m t.o.m p.g.a ",
	maybe:  " osv m.m etc jr sr o.s.v m.fl f.kr e.kr o.d milj mdr ",
	number: " nr s sid kap avsn fig tab bd art kl jan feb mar apr jun jul aug sep sept okt nov dec ",
	words:  "iåö",
	starters: " Den Det De Där Detta Dessa En Ett Han Hon Vi Jag Du I Man Och Men Eller Så Då När Om Var Vad Vem Varför Hur För Från Med" +
		" På Till Vid Efter Före Under Som Här Nu Också Hans Hennes Deras Vår Våra Min Alla Ingen Inte Senare Sedan Därför Dock ",
}

var icelandic = rules{
	never:  " dr prof t.d þ.e m.a sbr o.fl nk skv u.þ.b ca ",
	maybe:  " o.s.frv etc jr sr m.m ",
	number: " nr bls gr mgr kl jan feb mar apr jún júl ágú sep okt nóv des ",
	words:  "íáó",
	starters: " Það Þetta Þessi Þessir Hann Hún Þeir Þær Þau Við Ég Þú Í Á Og En Eða Svo Þá Þegar Ef Hvar Hvað Hver Hvernig Fyrir Frá" +
		" Með Til Eftir Um Sem Hér Nú Einnig Hans Hennar Tað Hetta Tey Vit ",
	ordinals: true,
}
