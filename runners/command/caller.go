package command

import (
	"encoding/json"
	"regexp"
	"strings"

	"sentweave/schemas/jsonfile"
)

// flagInText is a flag in a text, with its value if that is behind it. What a parser
// quotes is left as it is.
var flagInText = regexp.MustCompile("(^|[^\"\\w-])--([a-z][a-z0-9-]*[a-z0-9])(?:=([^\\s;,`]+))?")

// RewriteFlags writes the flags that a text names as a caller of the verb sets them: setting returns
// that for a flag, as in "--set steps=…", or "" for one that stays. A value that is behind the flag takes the place of
// the one there.
func RewriteFlags(text string, setting func(flag string) string) string {
	return flagInText.ReplaceAllStringFunc(text, func(match string) string {
		m := flagInText.FindStringSubmatch(match)
		written := setting(m[2])
		switch name, _, _ := strings.Cut(written, "="); {
		case written == "":
			return match
		case m[3] != "":
			written = name + "=" + m[3]
		}
		return m[1] + written
	})
}

// CallerVariable is the environment variable by which a program that runs another one says how its own caller sets the
// flags, in JSON by flag.
const CallerVariable = "SENTWEAVE_CALLER"

// CallerText is the content of CallerVariable for flags, "" where the caller sets them as they are.
func (p *Program) CallerText(flags []string) string {
	if p.Caller == nil {
		return ""
	}
	settings := map[string]string{}
	for _, flag := range flags {
		if written := p.Caller("--" + flag); written != "--"+flag {
			settings[flag] = written
		}
	}
	text, _ := json.Marshal(settings) // of strings
	return string(text)
}

// CallerOf reads the content of CallerVariable; nil where there is none.
func CallerOf(text string) func(string) string {
	var settings map[string]string
	if jsonfile.Unmarshal([]byte(text), &settings) != nil {
		return nil
	}
	return func(text string) string {
		return RewriteFlags(text, func(flag string) string { return settings[flag] })
	}
}
