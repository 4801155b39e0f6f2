package recipe

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sentweave/schemas/fault"
	"sentweave/schemas/spelling"
	"sentweave/schemas/storage"
)

// Command is a step as a command line.
type Command struct {
	Step string
	// Out is the step's output folder.
	Out string
	// Needs are the steps whose output it reads.
	Needs []string
	// Args are the words of the verb and the flags.
	Args []string
	// Lone are the places in Args of flags with a single location, whose commas are
	// escaped if the flag takes several: see Escape.
	Lone []int
	// Own are the flags whose values the recipe gives, and of which the caller has set nothing.
	Own []string
}

// Verb returns the words of the verb: "corpus", "views synonym".
func (c Command) Verb() string {
	flags := slices.IndexFunc(c.Args, func(arg string) bool { return strings.HasPrefix(arg, "--") })
	return strings.Join(c.Args[:flags], " ")
}

// Escape escapes the commas of single locations of flags that take several. Where
// the flag takes one, a comma is a letter like others.
func (c *Command) Escape(severalOf func(flag string) bool) {
	for _, i := range c.Lone {
		flag, location, _ := strings.Cut(c.Args[i], "=")
		if severalOf(strings.TrimPrefix(flag, "--")) {
			c.Args[i] = flag + "=" + escape(location)
		}
	}
}

// Without takes out the flags for which drop is true, and returns those that the caller has set.
func (c *Command) Without(drop func(flag string) bool) (assigned []string) {
	c.Args = slices.DeleteFunc(slices.Clone(c.Args), func(arg string) bool {
		flag, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		dropped := strings.HasPrefix(arg, "--") && drop(flag)
		if dropped && !slices.Contains(c.Own, flag) {
			assigned = append(assigned, flag)
		}
		return dropped
	})
	return assigned
}

// Commands returns the command lines of the steps under the folder output, with
// the parameters set, and with the flags of single steps, which set names as STEP.FLAG.
// The error joins all unknown and missing parameters.
func (r *Recipe) Commands(output string, set map[string]string) ([]Command, error) {
	variant, err := r.Chosen(set)
	if err != nil {
		return nil, err
	}
	values, flags, _, err := r.values(set)
	if err != nil {
		return nil, err
	}
	caller := func(value string) bool {
		return slices.ContainsFunc(reference.FindAllStringSubmatch(value, -1), func(m []string) bool { _, ok := set[m[1]]; return ok })
	}
	var commands []Command
	for _, s := range variant.Steps {
		folder := storage.Join(output, s.Name)
		assigned := map[string]bool{} // by the caller
		c := Command{Step: s.Name, Out: folder, Args: append(strings.Fields(s.Run), "--out="+folder)}
		for _, input := range s.From {
			var locations []string
			for _, ref := range input.From {
				c.Needs = append(c.Needs, ref.Step)
				location := storage.Join(output, ref.Step, ref.File)
				if ref.Label != "" {
					location = ref.Label + "=" + location
				}
				locations = append(locations, location)
			}
			if len(locations) == 1 {
				c.Lone = append(c.Lone, len(c.Args))
			}
			c.Args = append(c.Args, "--"+input.Flag+"="+join(locations))
		}
		for _, setting := range s.With {
			parts := make([]string, len(setting.Values))
			for i, value := range setting.Values {
				parts[i] = expanded(value, values)
			}
			value := join(parts)
			if chosen, ok := flags[s.Name+"."+setting.Flag]; ok {
				value = chosen
			} else if slices.ContainsFunc(setting.Values, caller) {
				assigned[setting.Flag] = true
			}
			if value != "" {
				c.Args = append(c.Args, "--"+setting.Flag+"="+value)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(flags)) {
			if flag, ok := strings.CutPrefix(name, s.Name+"."); ok && !s.sets(flag) && flags[name] != "" {
				c.Args = append(c.Args, "--"+flag+"="+flags[name])
			}
		}
		for _, arg := range c.Args[len(strings.Fields(s.Run))+1+len(s.From):] {
			flag, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
			if _, ok := set[s.Name+"."+flag]; !ok && !assigned[flag] {
				c.Own = append(c.Own, flag)
			}
		}
		commands = append(commands, c)
	}
	return commands, nil
}

// sets says whether a flag is among the step's settings.
func (s Step) sets(flag string) bool {
	return slices.ContainsFunc(s.With, func(w Setting) bool { return w.Flag == flag })
}

// flagOf says whether name is STEP.FLAG, a flag that the caller may set.
func (r *Recipe) flagOf(name string) (ok bool, err error) {
	step, flag, dotted := strings.Cut(name, ".")
	s, exists := r.Find(step)
	if !dotted || !exists {
		return false, nil
	}
	if noSetting(flag) {
		return true, fmt.Errorf("%s is not a setting of step %s", name, step)
	}
	if flag == "out" || slices.ContainsFunc(s.From, func(input Input) bool { return input.Flag == flag }) {
		return true, fmt.Errorf("%s is given by the recipe, which says what step %s reads and writes", name, step)
	}
	return true, nil
}

// Setting is the name by which a caller of the recipe sets a flag of a step: that of the
// parameter which is its value, or STEP.FLAG. It is empty if the recipe itself says what
// the flag is.
func (r *Recipe) Setting(step, flag string) string {
	s, _ := r.Find(step)
	if parameter := s.parameterOf(flag); parameter != "" {
		return parameter
	}
	if _, err := r.flagOf(step + "." + flag); err != nil {
		return ""
	}
	return step + "." + flag
}

// Find returns the step of a name; false if there is none.
func (r *Recipe) Find(name string) (Step, bool) {
	for _, s := range r.Steps {
		if s.Name == name {
			return s, true
		}
	}
	return Step{}, false
}

func stepNames(steps []Step) (names []string) {
	for _, s := range steps {
		names = append(names, s.Name)
	}
	return names
}

// StepsNamed lists steps in a sentence.
func StepsNamed(names []string) string {
	if last := len(names) - 1; last > 0 {
		return "steps " + strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return "step " + names[0]
}

func noStep(name string, names []string) error {
	return fmt.Errorf("the recipe has no step %q%s; it has %s", name, spelling.Proposal(name, names), strings.Join(names, ", "))
}

// noSetting says of the flags of all verbs that they end one before it does anything.
func noSetting(flag string) bool { return flag == "help" || flag == "version" }

// Choose returns the commands of the steps in only, or of the step from and all
// after it, in their order; all commands if both are empty.
func Choose(commands []Command, only []string, from string) ([]Command, error) {
	var names []string
	for _, c := range commands {
		names = append(names, c.Step)
	}
	var errs fault.List
	requested := slices.Clone(only)
	if from != "" {
		requested = append(requested, from)
	}
	for _, name := range requested {
		if !slices.Contains(names, name) {
			errs.Add(noStep(name, names))
		}
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	if from != "" {
		commands = commands[slices.Index(names, from):]
	}
	if len(only) == 0 {
		return commands, nil
	}
	if !slices.ContainsFunc(commands, func(c Command) bool { return slices.Contains(only, c.Step) }) {
		return nil, fmt.Errorf("nothing to run: no step of --only is at or after %s", from)
	}
	var chosen []Command
	for _, c := range commands {
		if slices.Contains(only, c.Step) {
			chosen = append(chosen, c)
		}
	}
	return chosen, nil
}

// Result is a step that was run.
type Result struct {
	Command
	Took time.Duration
	// Err is why the step failed, nil if it did not.
	Err error
}

// Run runs commands one after another until one fails. The results are those of the
// steps that were run, the last of which may have failed. Errors name the step.
func Run(ctx context.Context, commands []Command, run func(context.Context, Command) error) ([]Result, error) {
	var results []Result
	for _, c := range commands {
		if err := ctx.Err(); err != nil {
			return results, err
		}
		started := time.Now()
		err := run(ctx, c)
		results = append(results, Result{c, time.Since(started), err})
		if err != nil {
			return results, fmt.Errorf("step %s: %w", c.Step, err)
		}
	}
	return results, nil
}
