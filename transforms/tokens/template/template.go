// Package template reads the post-processor of a tokenizer.json: what is put around a text.
package template

import (
	"encoding/json"
	"errors"

	"sentweave/schemas/jsonfile"
)

// PostProcessor is the part of the file.
type PostProcessor struct {
	Type   string            `json:"type"`
	Single []part            `json:"single"`
	Sep    []json.RawMessage `json:"sep"`
	Cls    []json.RawMessage `json:"cls"`
}

type part struct {
	SpecialToken *struct {
		ID string `json:"id"`
	}
	Sequence *struct {
		ID string `json:"id"`
	}
}

// Around returns the tokens that are put before and behind a text.
func (p *PostProcessor) Around() (opening, closing string, err error) {
	switch {
	case p == nil:
	case p.Type == "TemplateProcessing" && len(p.Single) == 3 && p.Single[0].SpecialToken != nil && p.Single[1].Sequence != nil &&
		p.Single[2].SpecialToken != nil:
		return p.Single[0].SpecialToken.ID, p.Single[2].SpecialToken.ID, nil
	case (p.Type == "BertProcessing" || p.Type == "RobertaProcessing") && len(p.Sep) == 2 && len(p.Cls) == 2:
		if err := errors.Join(jsonfile.Unmarshal(p.Cls[0], &opening), jsonfile.Unmarshal(p.Sep[0], &closing)); err == nil {
			return opening, closing, nil
		}
	}
	return "", "", errors.New("its post_processor is not supported: only one that puts a token before a text and one behind it, as [CLS] and [SEP]")
}
