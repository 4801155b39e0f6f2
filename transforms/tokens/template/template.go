// Package template reads the post-processor of a tokenizer.json: what is put around a text.
package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"sentweave/schemas/jsonfile"
)

// PostProcessor is the part of the file.
type PostProcessor struct {
	Type   string            `json:"type"`
	Single []part            `json:"single"`
	Sep    []json.RawMessage `json:"sep"`
	Cls    []json.RawMessage `json:"cls"`
	// Tokens are those of a template by their names.
	Tokens map[string]struct {
		IDs []int `json:"ids"`
	} `json:"special_tokens"`
}

type part struct {
	SpecialToken, Sequence *struct {
		ID   string `json:"id"`
		Kind int    `json:"type_id"`
	}
}

// Around returns the tokens that are put before and behind a text.
func (p *PostProcessor) Around() (opening, closing string, err error) {
	switch {
	case p == nil:
	case p.Type == "TemplateProcessing" && len(p.Single) == 3 && p.Single[0].SpecialToken != nil && p.Single[1].Sequence != nil &&
		p.Single[2].SpecialToken != nil && p.Single[0].SpecialToken.Kind|p.Single[1].Sequence.Kind|p.Single[2].SpecialToken.Kind == 0:
		return p.Single[0].SpecialToken.ID, p.Single[2].SpecialToken.ID, nil
	case (p.Type == "BertProcessing" || p.Type == "RobertaProcessing") && len(p.Sep) == 2 && len(p.Cls) == 2:
		if err := errors.Join(jsonfile.Unmarshal(p.Cls[0], &opening), jsonfile.Unmarshal(p.Sep[0], &closing)); err == nil {
			return opening, closing, nil
		}
	}
	return "", "", errors.New("its post_processor is not supported: only one that puts a token before a text and one behind it, as [CLS] and [SEP], all of the kind 0")
}

// CheckIDs returns an error for a token that is put before or behind a text by another id than its place among the pieces.
func (p *PostProcessor) CheckIDs(pieces []string) error {
	opening, closing, err := p.Around()
	if err != nil {
		return err
	}
	ids := map[string][]int{}
	for name, token := range p.Tokens {
		ids[name] = token.IDs
	}
	if p.Type != "TemplateProcessing" {
		for _, token := range [][]json.RawMessage{p.Sep, p.Cls} {
			var name string
			list := make([]int, 1)
			if err := errors.Join(jsonfile.Unmarshal(token[0], &name), jsonfile.Unmarshal(token[1], &list[0])); err != nil {
				return fmt.Errorf("its post_processor: %w", err)
			}
			ids[name] = list
		}
	}
	for _, name := range []string{opening, closing} {
		if id := slices.Index(pieces, name); id >= 0 && len(ids[name]) > 0 && !slices.Equal(ids[name], []int{id}) {
			return fmt.Errorf("its post_processor puts the ids %v around a text for %s, whose id is %d", ids[name], name, id)
		}
	}
	return nil
}
