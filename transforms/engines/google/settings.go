package google

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sentweave/schemas/language"
	"sentweave/transforms/engines"
)

// Settings are the flags of the engine.
type Settings struct {
	Project  string `help:"Project that pays." placeholder:"PROJECT"`
	Location string `help:"Region of a glossary or of a model of one's own." default:"global"`
	// A model of one's own is named by its identifier.
	Model           string `help:"general/nmt, general/translation-llm, or a model of one's own." default:"general/nmt"`
	Glossary        string `help:"Glossary." placeholder:"ID"`
	IgnoreCase      bool   `help:"Find terms of the glossary in any case."`
	CredentialsFile string `name:"credentials" help:"File of a service account; the default credentials if not given." placeholder:"FILE"`
	// PerMillion is 0 for the list price of the model.
	PerMillion float64 `name:"price" placeholder:"DOLLARS" help:"Dollars for a million characters; the list price if not given."`
	// Endpoint is, for instance, that of the European Union, "translate-eu.googleapis.com:443".
	Endpoint string `help:"Another address of the service." placeholder:"HOST:PORT"`

	// Codes are languages that the service has learned since, or knows by another code.
	Codes map[string]string `help:"Languages that the program does not know it to have, with Google's code, as in fao=fo." placeholder:"OURS=THEIRS,…" mapsep:","`

	// Batch names files that the service reads, and answers by files beside them. It
	// takes minutes, and costs the same. Location must be a region, and the model no
	// language model, which batches do not have. The account that translates must be let into
	// the folder to read and write, as must that of the environment, by which it is
	// reached here whatever CredentialsFile says. Its bucket must have no retention
	// policy, which would keep the service from updating the index of its answers.
	Batch        string        `help:"Folder in Cloud Storage, gs://BUCKET/FOLDER, by which texts go in batches in the place of requests; needs --google-location." placeholder:"gs://…"`
	BatchTimeout time.Duration `help:"What a batch may take, which --request-timeout says of requests." default:"24h"`
	// KeepBatches has later processes that ask for the very same texts read them from there.
	KeepBatches bool `help:"Leave the files of batches in the folder."`
}

// config returns the configuration for an engine that is called as call says.
func (s Settings) config(call engines.Config) Config {
	c := DefaultConfig(s.Project)
	s.Location, s.Model = cmp.Or(s.Location, c.Location), cmp.Or(s.Model, c.Model)
	codes := map[string]string{}
	for _, code := range slices.Sorted(maps.Keys(s.Codes)) {
		ours, _ := language.Parse(code)
		codes[cmp.Or(ours, code)] = s.Codes[code] // Validate finds what is not a language
	}
	s.Codes = codes
	c.Settings, c.Characters = s, min(cmp.Or(call.Limits.Characters, c.Characters), maxCharacters)
	return c
}

// Describe implements engines.Settings.
func (s Settings) Describe() engines.Description {
	a := engines.Description{Name: name, Faults: engines.Needs(name, "project", s.Project)}
	if err := s.config(engines.Config{}).Validate(); err != nil && a.Faults == nil {
		a.Faults = fmt.Errorf("engine google: %w", err)
	}
	if s.BatchTimeout < 0 {
		a.Faults = errors.Join(a.Faults, fmt.Errorf("google-batch-timeout %v: want 0, which is the default, or more", s.BatchTimeout))
	}
	if s.Batch != "" {
		a.Batch = cmp.Or(s.BatchTimeout, BatchTimeout)
	}
	return a
}

// Open implements engines.Settings. An estimate needs no credentials.
func (s Settings) Open(ctx context.Context, call engines.Config) (engines.Engine, error) {
	if call.Estimate {
		return describe(s.config(call))
	}
	return Open(ctx, s.config(call))
}
