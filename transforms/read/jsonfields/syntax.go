package jsonfields

func (p *Picker) spaces() {
	for p.at < len(p.line) {
		switch p.line[p.at] {
		case ' ', '\t', '\r', '\n':
			p.at++
		default:
			return
		}
	}
}

// peek returns the next byte, or 0 at the end.
func (p *Picker) peek() byte {
	if p.at < len(p.line) {
		return p.line[p.at]
	}
	return 0
}

func (p *Picker) literal(word string) bool {
	if len(p.line)-p.at < len(word) || string(p.line[p.at:p.at+len(word)]) != word {
		return false
	}
	p.at += len(word)
	return true
}

// string moves past a string that starts at the next byte.
func (p *Picker) string() bool {
	for i := p.at + 1; i < len(p.line); i++ {
		switch c := p.line[i]; {
		case c == '"':
			p.at = i + 1
			return true
		case c < ' ':
			p.at = i
			return false
		case c == '\\':
			i++
			if i == len(p.line) {
				p.at = i
				return false
			}
			switch p.line[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if hex(p.line[i+1:]) < 0 {
					p.at = i
					return false
				}
				i += 4
			default:
				p.at = i
				return false
			}
		}
	}
	p.at = len(p.line)
	return false
}

func (p *Picker) number() bool {
	if p.peek() == '-' {
		p.at++
	}
	switch {
	case p.peek() == 'I':
		return p.literal("Infinity")
	case p.peek() == '0':
		p.at++
	case !p.digits():
		return false
	}
	if p.peek() == '.' {
		p.at++
		if !p.digits() {
			return false
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		return p.digits()
	}
	return true
}

func (p *Picker) digits() bool {
	start := p.at
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		p.at++
	}
	return p.at > start
}
