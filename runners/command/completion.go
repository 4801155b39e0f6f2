package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completeVerb is what the scripts below call: it is not a verb of the user's.
const completeVerb = "__complete"

// completionCommand prints the script of a shell.
type completionCommand struct {
	Shell string `arg:"" help:"Shell (${enum})." enum:"bash,zsh,fish"`
}

// Help says how to install it.
func (completionCommand) Help() string {
	return `In bash, also for later sessions:

  source <(sentweave completion bash)
  sentweave completion bash > ~/.local/share/bash-completion/completions/sentweave

In zsh, in a folder of $fpath:

  sentweave completion zsh > ~/.zfunc/_sentweave

In fish:

  sentweave completion fish > ~/.config/fish/completions/sentweave.fish`
}

// Run implements the verb.
func (c *completionCommand) Run(p *Program) error {
	function := "_" + strings.ReplaceAll(p.Name, "-", "_")
	_, err := io.WriteString(p.Stdout, strings.NewReplacer("NAME", p.Name, "FUNCTION", function, "COMPLETE", completeVerb).Replace(
		scripts[c.Shell]))
	return err
}

// scripts ask the program for the words. Where it knows none, as for files, the shell
// completes files.
var scripts = map[string]string{
	"bash": `FUNCTION() {
  local IFS=$'\n'
  COMPREPLY=($(NAME COMPLETE "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=.] ]] && compopt -o nospace
}
complete -o default -o bashdefault -F FUNCTION NAME
`,
	"zsh": `#compdef NAME
FUNCTION() {
  local -a lines words_ shown
  local line
  lines=("${(@f)$(NAME COMPLETE "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "${lines[@]}"; do
    [[ -n $line ]] || continue
    words_+=("${line%%$'\t'*}")
    shown+=("${line/$'\t'/  }")
  done
  local -a end
  [[ ${words_[1]} == *[=.] ]] && end=(-S '')
  if (( ${#words_} )); then compadd $end -l -d shown -- "${words_[@]}"; else _files; fi
}
if [[ $funcstack[1] == FUNCTION ]]; then FUNCTION "$@"; else compdef FUNCTION NAME; fi
`,
	"fish": `complete -c NAME -f -n 'NAME COMPLETE (commandline -opc)[2..] (commandline -ct) 2>/dev/null | string length -q' -a '(NAME COMPLETE (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
}

// Value is what a flag may be, and what that is. One that ends in = or . is not complete.
type Value struct{ Word, Help string }

// Completer is a verb that knows more words than its flags tell.
type Completer interface {
	// Complete returns what may be in the place of a word that is the value of a flag, or an
	// argument if flag is empty, where some arguments are given.
	Complete(p *Program, flag string, arguments []string, word string) []Value
}

// complete prints the words that may be in the place of the last one, a line each,
// with what they are after a tab.
func (p *Program) complete(words []string) error {
	parser, err := p.Parser()
	if err != nil {
		return err
	}
	for _, w := range p.completions(parser.Model.Node, words) {
		fmt.Fprintln(p.Stdout, w)
	}
	return nil
}

// completions are what complete prints. The last of the words is the one at the cursor,
// which may be empty.
func (p *Program) completions(node *kong.Node, words []string) (list []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	cursor := words[len(words)-1]
	if len(words) > 1 && words[0] == "help" {
		words = words[1:]
	}
	words = unsplit(words)
	last := words[len(words)-1]
	flag := func(word string) *kong.Flag {
		name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		for current := node; current != nil; current = current.Parent {
			for _, f := range current.Flags {
				if strings.HasPrefix(word, "--") && f.Name == name {
					return f
				}
			}
		}
		return nil
	}
	var awaits *kong.Flag // a value
	var arguments []string
	for _, word := range words[:len(words)-1] {
		f := flag(word)
		switch {
		case awaits != nil:
			awaits = nil
		case f != nil:
			if !f.IsBool() && !strings.Contains(word, "=") {
				awaits = f
			}
		case !strings.HasPrefix(word, "-"):
			if i := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == word }); i >= 0 {
				node = node.Children[i]
			} else {
				arguments = append(arguments, word)
			}
		}
	}
	add := func(prefix, word, help string) {
		if strings.HasPrefix(word, last) {
			list = append(list, prefix+word+"\t"+help)
		}
	}
	values := func(v *kong.Value, prefix string) {
		for _, value := range v.EnumSlice() {
			if value != "" {
				add(prefix, value, "")
			}
		}
	}
	complete := func(flag, prefix string) {
		if verb, ok := node.Target.Addr().Interface().(Completer); ok {
			for _, v := range verb.Complete(p, flag, arguments, last) {
				add(prefix, v.Word, v.Help)
			}
		}
	}
	name, value, assigned := strings.Cut(last, "=")
	switch {
	case awaits != nil:
		values(awaits.Value, "")
		complete(awaits.Name, "")
	case strings.HasPrefix(last, "-") && assigned:
		prefix := name + "="
		if !strings.Contains(cursor, "=") || cursor == "=" { // a shell that cuts words there
			prefix = ""
		}
		if f := flag(last); f != nil {
			last = value
			values(f.Value, prefix)
			complete(f.Name, prefix)
		}
	case strings.HasPrefix(last, "-"):
		for current := node; current != nil; current = current.Parent {
			for _, f := range current.Flags {
				if !f.Hidden {
					add("", "--"+f.Name, f.Help)
				}
			}
		}
	default:
		for _, c := range node.Children {
			if !c.Hidden {
				add("", c.Name, c.Help)
			}
		}
		for _, a := range node.Positional {
			values(a, "")
		}
		complete("", "")
	}
	return list
}

// unsplit joins --flag, = and value, which bash takes for three words.
func unsplit(words []string) (joined []string) {
	for i, w := range words {
		switch {
		case i > 0 && w == "=" && strings.HasPrefix(words[i-1], "--"):
			joined[len(joined)-1] += "="
		case i > 1 && words[i-1] == "=" && strings.HasPrefix(words[i-2], "--"):
			joined[len(joined)-1] += w
		default:
			joined = append(joined, w)
		}
	}
	return joined
}
