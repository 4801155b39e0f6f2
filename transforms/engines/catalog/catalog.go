// Package catalog lists all engines.
package catalog

import (
	"strings"

	"sentweave/transforms/engines"
	"sentweave/transforms/engines/apertium"
	"sentweave/transforms/engines/apy"
	"sentweave/transforms/engines/chat"
	"sentweave/transforms/engines/command"
	"sentweave/transforms/engines/deepl"
	"sentweave/transforms/engines/google"
	"sentweave/transforms/engines/identity"
	"sentweave/transforms/engines/libretranslate"
)

// Settings are those of every engine. A new engine is a line here, which gives the
// command line its flags, and one in All. The prefix is its name.
type Settings struct {
	Google         google.Settings       `embed:"" prefix:"google-" group:"Engine google"`
	DeepL          deepl.Config          `embed:"" prefix:"deepl-" group:"Engine deepl"`
	LibreTranslate libretranslate.Config `embed:"" prefix:"libretranslate-" group:"Engine libretranslate"`
	Apertium       apertium.Config       `embed:"" prefix:"apertium-" group:"Engine apertium"`
	APY            apy.Config            `embed:"" prefix:"apy-" group:"Engine apy"`
	Chat           chat.Config           `embed:"" prefix:"chat-" group:"Engine chat"`
	Command        command.Config        `embed:"" prefix:"command-" group:"Engine command"`
	Identity       identity.Settings     `embed:"" prefix:"identity-" group:"Engine identity"`
}

// All returns the settings of each engine, in the order of the help.
func (s *Settings) All() []engines.Settings {
	return []engines.Settings{
		&s.Google,
		&s.DeepL,
		&s.LibreTranslate,
		&s.Apertium,
		&s.APY,
		&s.Chat,
		&s.Command,
		&s.Identity,
	}
}

// Named returns the settings of an engine, or nil if there is none of that name.
func (s *Settings) Named(name string) engines.Settings {
	for _, settings := range s.All() {
		if settings.Describe().Name == name {
			return settings
		}
	}
	return nil
}

// Help lists the engines for people: "google, apy (a server of Apertium)".
func Help() string {
	var list []string
	for _, s := range new(Settings).All() {
		text := s.Describe().Name
		if help := s.Describe().Help; help != "" {
			text += " (" + help + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}
