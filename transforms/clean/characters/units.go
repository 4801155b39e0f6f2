package characters

// Unit is a stretch of a text: the bytes from Start to End, which are so many characters.
type Unit struct{ Start, End, Characters int }

// AppendUnits appends the units of a text: words, as white space separates them, with
// their punctuation. A letter of a script that does not separate words is a unit of its
// own, with the marks that follow it.
func AppendUnits(units []Unit, text string) []Unit {
	t := table()
	u, alone := Unit{}, false
	flush := func(end int) {
		if u.Characters > 0 {
			u.End = end
			units = append(units, u)
		}
		u, alone = Unit{}, false
	}
	for i, c := range text {
		switch k := classify(t, c); {
		case k == character(Space):
			flush(i)
			continue
		case k == character(Mark):
		case k.isLetter() && scripts[k].unspaced:
			flush(i)
			alone = true
		case alone:
			flush(i)
		}
		if u.Characters == 0 {
			u.Start = i
		}
		u.Characters++
	}
	flush(len(text))
	return units
}
