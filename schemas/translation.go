package schemas

// Statuses of a translation.
const (
	TranslationOK       = "ok"
	TranslationRejected = "rejected" // failed the quality control twice
)

// Translation is one segment that an engine translated: the row of a translation memory.
type Translation struct {
	// Key is the identity of engine, model, options, languages and text.
	Key    string `parquet:"key"`
	Engine string `parquet:"engine,dict"`
	Model  string `parquet:"model,dict"`
	// OptionsXXH3 is the hash of the engine's options that change its output.
	OptionsXXH3    string `parquet:"options_xxh3,dict"`
	SourceLanguage string `parquet:"source_language,dict"`
	TargetLanguage string `parquet:"target_language,dict"`
	Text           string `parquet:"text"`
	Translation    string `parquet:"translation"`
	// Characters is the number for which the engine charges: the code points of Text.
	Characters int32  `parquet:"characters"`
	Status     string `parquet:"status,dict"`
	// Reason says why a rejected translation must not be used: the verdict of the
	// quality control, or why the engine gave no translation. The engine's answer is
	// kept in Translation even so.
	Reason string `parquet:"reason,optional,dict"`
}

// Schema implements Row.
func (Translation) Schema() Schema {
	return Schema{Name: "translation", Version: 1, RowGroup: rowGroup}
}

// Validate implements Row.
func (t Translation) Validate() error {
	var f faults
	f.id("key", t.Key)
	f.required("engine", t.Engine)
	f.text("model", t.Model)
	f.text("options_xxh3", t.OptionsXXH3)
	f.language("source_language", t.SourceLanguage)
	f.language("target_language", t.TargetLanguage)
	f.required("text", t.Text)
	f.text("translation", t.Translation)
	if t.Characters < 0 {
		f.Addf("characters %d is negative", t.Characters)
	}
	if t.Status != TranslationOK && t.Status != TranslationRejected {
		f.Addf("status %q is not %q or %q", clip(t.Status), TranslationOK, TranslationRejected)
	}
	f.text("reason", t.Reason)
	f.Check(t.Status != TranslationOK || t.Translation != "", "translation is empty")
	f.Check((t.Status == TranslationOK) == (t.Reason == ""), "a reason belongs to a rejected translation, and only to that")
	return f.Err()
}
