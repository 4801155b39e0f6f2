package markup

import (
	"errors"
	"strings"

	"sentweave/schemas/fault"
)

// Validate implements Block.
func (t Text) Validate() error {
	if strings.TrimSpace(t.Body) == "" {
		return errors.New("a text is empty")
	}
	return nil
}

// paragraph is one, or a list.
type paragraph struct {
	Text  string
	Items []string
}

// View implements Block.
func (t Text) View() (string, any) {
	return "text", struct {
		Paragraphs []paragraph
	}{Paragraphs(t.Body)}
}

// Paragraphs cuts at empty lines, and where a list begins or ends.
func Paragraphs(body string) []paragraph {
	var list []paragraph
	var p paragraph
	end := func() {
		if p.Text != "" || p.Items != nil {
			list = append(list, p)
		}
		p = paragraph{}
	}
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		item, isItem := strings.CutPrefix(line, "- ")
		switch {
		case line == "":
			end()
		case isItem:
			if p.Text != "" {
				end()
			}
			p.Items = append(p.Items, item)
		case p.Items != nil: // an item goes on
			p.Items[len(p.Items)-1] += " " + line
		case p.Text == "":
			p.Text = line
		default:
			p.Text += " " + line
		}
	}
	end()
	return list
}

// Validate implements Block.
func (b SideBySide) Validate() error {
	if len(b) == 0 {
		return errors.New("there is nothing to put side by side")
	}
	var errs fault.List
	for i, block := range b {
		if block == nil {
			errs.Addf("block %d of those beside each other is nil", i+1)
		} else {
			errs.Add(block.Validate())
		}
	}
	return errs.Err()
}

// View implements Block.
func (b SideBySide) View() (string, any) { return "beside", []Block(b) }
