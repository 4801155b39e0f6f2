package sentences

var russian = rules{
	never: " г-н г-жа гр тов им проф акад доц инж ген полк кап ул пр просп пер пл обл р-н пос дер с.-пб св см ср напр т.е т.н т.к" +
		" и.о др-р д-р англ нем фр лат греч рус букв ред сост изд ",
	maybe:  " т.д т.п др пр н.э г гг в вв руб коп тыс млн млрд мин сек ч стр ",
	number: " № рис табл гл разд ст п пп стр с т тт вып кв корп оф янв февр мар апр июн июл авг сент окт нояб дек ",
	words:  "аиоуявкс",
	starters: " В Во На С Со К Ко По За Из От До У О Об При Для Без Под Над Через После Перед И А Но Или Да Если Когда Как Где Что Кто" +
		" Почему Он Она Оно Они Мы Вы Я Ты Это Этот Эта Эти Тот Та Те Так Такой Там Тут Здесь Теперь Потом Затем Поэтому Однако" +
		" Также Его Её Ее Их Мой Наш Все Всё Каждый Не Ни Уже Ещё Еще Только Сейчас Тогда Сколько Какой Какая Какие ",
}

var ukrainian = rules{
	never:  " п пп проф акад доц інж ген вул просп пл обл р-н смт св див пор напр т.зв ім ред вид англ нім фр лат грец укр ",
	maybe:  " т.д т.п тощо ін н.е р рр ст грн коп тис млн млрд хв год ",
	number: " № рис табл гл розд ст п с т вип буд кв січ лют бер квіт трав черв лип серп верес жовт листоп груд ",
	words:  "аіїйоуяєвз",
	starters: " У В На З Зі Із До По За Від Для Без Під Над Через Після Перед І Й Та А Але Або Якщо Коли Як Де Що Хто Чому Він Вона Воно" +
		" Вони Ми Ви Я Ти Це Цей Ця Ці Той Ті Так Там Тут Тепер Потім Тому Однак Також Його Її Їх Мій Наш Усі Все Кожен Не Вже Ще Скільки Який Яка Які ",
}

var belarusian = rules{
	never:  " праф акад дац вул пл вобл р-н св гл напр т.зв імя рэд выд ",
	maybe:  " т.д т.п інш н.э г гг ст руб кап тыс млн млрд ",
	number: " № мал табл гл разд арт п с т вып ",
	words:  "аіяуўзё",
	starters: " У Ў На З Са Да Па За Ад Для Без Пад Над Праз Пасля Перад І А Але Або Калі Як Дзе Што Хто Чаму Ён Яна Яно Яны Мы Вы Я Ты" +
		" Гэта Гэты Гэтая Гэтыя Той Так Там Тут Цяпер Потым Таму Аднак Таксама Яго Яе Іх Мой Наш Усе Усё Кожны Не Ужо ",
}

var bulgarian = rules{
	never:  " г-н г-жа д-р проф акад доц инж ген ул бул пл обл св вж срв напр т.е т.нар им ред изд англ нем фр лат ",
	maybe:  " т.н и др н.е г в лв ст хил млн млрд мин сек ч ",
	number: " № фиг табл гл разд чл ал стр с т вип ",
	words:  "аеиосув",
	starters: " В Във На С Със От До По За Из При Без Под Над През След Преди И А Но Или Ако Когато Как Къде Какво Кой Защо Той Тя То Те" +
		" Ние Вие Аз Ти Това Този Тази Тези Така Там Тук Сега После Затова Обаче Също Неговият Нейният Всички Всеки Не Вече Още ",
}

var serboCroatian = rules{
	never: " dr prof mr ing dipl ul sv npr tj tzv br god st str odn i.e inž akad gosp gđa g gđica vidi usp engl njem lat" +
		" др проф мр инж дипл ул св нпр тј тзв бр одн госп гђа ",
	maybe:  " itd itsl sl d.d d.o.o pr.kr n.e god st иtd итд сл н.е год kn din eur tis mil mio mln mlrd млн млрд ",
	number: " br str čl tab pog бр стр чл сл таб ",
	words:  "aeiouskаеиоуск",
	starters: " U Na Za Iz Od Do Po S Sa O Pri Bez Pod Nad Kroz Nakon Prije Pre I A Ali Ili Ako Kada Kad Kako Gdje Gde Što Šta Tko Ko" +
		" Zašto On Ona Ono Oni Mi Vi Ja Ti To Ovo Ovaj Ova Ovi Taj Ta Tako Tamo Tu Ovdje Sada Zatim Zato Međutim Također Njegov" +
		" Njezin Njihov Moj Naš Svi Sve Svaki Ne Već Još Je Su У На За Из Од До По С Са О И А Али Или Ако Када Како Где Шта Ко" +
		" Он Она Оно Они Ми Ви Ја Ти То Ово Овај Ова Тај Та Тако Тамо Ту Сада Затим Зато Међутим Не Већ Koliko Koji Koja Kakav Kolika ",
	ordinals: true,
}

var czech = rules{
	never: " p pí sl dr prof doc ing mgr bc mudr judr phdr rndr csc ph.d gen plk mjr kpt por ul nám sv např tj tzv tzn resp popř" +
		" příp vč cca angl něm lat řec red ed srov viz zejm ",
	maybe:  " atd apod aj a.s s.r.o jr n.l př.n.l kč tis mil mld hod min sek r st ",
	number: " č čl s str sv obr tab kap odst roč r ",
	words:  "aiouskvz",
	starters: " V Ve Na Do Z Ze S Se K Ke Po Od O U Za Při Bez Pod Nad Přes Před A I Ale Nebo Pokud Když Jak Kde Co Kdo Proč On Ona Ono" +
		" Oni My Vy Já Ty To Tento Tato Toto Tyto Ten Ta Tak Tam Tu Zde Teď Nyní Potom Pak Proto Však Také Jeho Její Jejich Můj" +
		" Náš Všichni Všechny Každý Ne Není Už Již Ještě Je Jsou Byl Byla Tady Kolik Který Která Které Jaký Jaká ",
	ordinals: true,
}

var slovak = rules{
	never: " p pani dr prof doc ing mgr bc mudr judr phdr rndr csc gen plk mjr kpt ul nám sv napr tj t.j tzv tzn resp príp vrát cca" +
		" angl nem lat gréc red ed porov pozri najmä ",
	maybe:  " atď apod a.s s.r.o jr n.l pr.n.l sk tis mil mld hod min sek r st ",
	number: " č čl s str zv obr tab kap ods roč r ",
	words:  "aiouskvz",
	starters: " V Vo Na Do Z Zo S So K Ku Po Od O U Za Pri Bez Pod Nad Cez Pred A I Ale Alebo Ak Keď Ako Kde Čo Kto Prečo On Ona Ono Oni" +
		" My Vy Ja Ty To Tento Táto Toto Tieto Ten Tá Tak Tam Tu Teraz Potom Preto Však Tiež Jeho Jej Ich Môj Náš Všetci Každý" +
		" Nie Už Ešte Je Sú Bol Bola Koľko Ktorý Ktorá Aký Aká ",
	ordinals: true,
}

var polish = rules{
	never: " dr prof hab mgr inż lek ks św gen płk mjr kpt por ul al pl os np tj tzw tzn wg ww ok zob por właśc ang niem łac gr fr red" +
		" wyd pt im dot m.in b.u ",
	maybe:  " itd itp in jr n.e p.n.e zł gr tys mln mld godz min sek r w wiek str ",
	number: " nr nry art s str ust pkt poz rys tab rozdz t dz ",
	words:  "aiouwz",
	starters: " W We Na Do Z Ze Po Od O U Za Przy Bez Pod Nad Przez Przed I A Ale Lub Albo Jeśli Jeżeli Gdy Kiedy Jak Gdzie Co Kto" +
		" Dlaczego On Ona Ono Oni One My Wy Ja Ty To Ten Ta Te Ci Tak Tam Tu Tutaj Teraz Potem Następnie Dlatego Jednak Także" +
		" Również Jego Jej Ich Mój Nasz Wszyscy Wszystkie Każdy Nie Już Jeszcze Jest Są Był Była Ile Który Która Jaki Jaka ",
	ordinals: true,
}

var baltic = rules{
	never:  " dr prof doc inž gen plk kun šv vad pvz t.y t.t žr plg ir kt g pr al tūkst angl vok lot piem t.i t.s sk sal u.c prof dzej ",
	maybe:  " pan ir kt utt u.c u.tml jr m.e pr.m.e eur ct min sek val g m mln mlrd milj mljrd ",
	number: " nr str psl p pav lent skyr sk tab att lpp nod ",
	starters: " Jis Ji Jie Jos Mes Jūs Aš Tu Tai Šis Ši Šie Tas Ta Tie Čia Ten Dabar Tada Todėl Tačiau Taip Ir O Bet Arba Jei Kai Kaip" +
		" Kur Kas Kodėl Iš Į Su Be Per Po Prieš Visi Viskas Ne Jau Dar Viņš Viņa Viņi Mēs Es Tas Tā Šis Šī Un Bet Vai Ja Kad Kā" +
		" Kur Kas Kāpēc No Uz Ar Pēc Pirms Visi Nē Jau Vēl ",
	ordinals: true,
}
