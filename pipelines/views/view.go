package views

import (
	"context"
	"slices"
	"strings"

	"sentweave/pipelines/texts"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
)

// The funnel has one chain, of texts.
const (
	chainTexts = "texts"
	// stepLanguage drops texts in other languages than the wanted one.
	stepLanguage = "language"
	// stepSplit drops texts of splits of benchmarks that were not asked for.
	stepSplit = "split"
	// stepView drops texts without a view.
	stepView = "view"

	// ReasonLanguage: the text is in another language than the wanted one.
	ReasonLanguage = "other_language"
	// ReasonSplit: the text is of a split that was not asked for.
	ReasonSplit = "other_split"
	// ReasonCopy: the view is the text itself.
	ReasonCopy = "copy"
	// reasonRepeated: an earlier text gives the same pair.
	reasonRepeated = "repeated"
)

// writer makes pairs of texts and their views, and counts what gives none.
type writer struct {
	attempt *dataset.Attempt[schemas.Pair]
	// kind is that of the views. Identities are derived from it.
	kind string
	// origin is that of the pair; if it is empty, the kind, with the task and split of a
	// benchmark's text.
	origin string
}

// drop counts a text that gives no pair, and offers it to the sample.
func (w *writer) drop(t texts.Text, step, reason, sample string) error {
	if rejects := w.attempt.Rejects(); rejects.Wants(step, reason, t.Language, t.ID) {
		detail := ""
		if t.Side != "" {
			detail = "side " + t.Side
		}
		rejects.Add(schemas.Reject{
			ID: t.ID, Source: t.Document, Step: step, Reason: reason, Language: t.Language, Detail: detail, Sample: sample,
		})
	}
	return w.attempt.Funnel().Drop(chainTexts, t.Language, step, reason, 1)
}

// put writes a text with its view, unless that is a copy.
func (w *writer) put(ctx context.Context, t texts.Text, view, language string) error {
	return w.putScored(ctx, t, view, language, nil)
}

// sameWords says whether texts differ in white space alone.
func sameWords(a, b string) bool {
	return a == b || slices.Equal(strings.Fields(a), strings.Fields(b))
}

// putScored is put with a score of the pair.
func (w *writer) putScored(ctx context.Context, t texts.Text, view, language string, score *float32) error {
	if sameWords(view, t.Text) {
		return w.drop(t, stepView, ReasonCopy, t.Text)
	}
	if err := w.attempt.Funnel().Keep(chainTexts, t.Language, 1); err != nil {
		return err
	}
	group, kind := t.Meaning(), schemas.KindView
	origin := w.origin
	if origin == "" {
		origin = strings.TrimSpace(w.kind + " " + schemas.Origin(t.Task, t.Split))
	}
	if t.Language != language {
		kind = schemas.KindBitext
	}
	return w.attempt.Write(ctx, schemas.Pair{
		ID: schemas.DerivedID("view", w.kind, t.ID), Kind: kind,
		TextA: t.Text, TextB: view, LanguageA: t.Language, LanguageB: language,
		DocumentA: t.Document, DocumentB: t.Document, PositionA: t.Position, PositionB: t.Position,
		Score: score, Origin: origin, Group: &group,
	})
}
