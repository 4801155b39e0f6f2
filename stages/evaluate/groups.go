package evaluate

import (
	"fmt"
	"slices"
	"strings"

	"sentweave/schemas/storage"
)

// languageGroup is languages over which a mean is given, such as a family.
type languageGroup struct {
	name  string
	codes []string
}

// readGroups reads the file of --groups: a name, a tab, and codes between spaces. Lines that
// are empty or begin with # do not count. It is no part of the hash of the data.
func (in *input) readGroups() (groups []languageGroup, err error) {
	if in.Groups == "" {
		return nil, nil
	}
	data, err := storage.ReadLocation(in.ctx, in.Groups, maxFile)
	if err != nil {
		return nil, fmt.Errorf("read --groups: %w", err)
	}
	for i, line := range strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, codes, ok := strings.Cut(line, "\t")
		g := languageGroup{strings.TrimSpace(name), strings.Fields(codes)}
		if !ok || g.name == "" || len(g.codes) == 0 || strings.Contains(g.name, "/") {
			return nil, fmt.Errorf("%s line %d, %q, is not a name, a tab, and codes of languages between spaces", in.Groups, i+1, line)
		}
		for k, code := range g.codes {
			if slices.Contains(g.codes[:k], code) {
				return nil, fmt.Errorf("%s line %d: %s stands twice in the group %s", in.Groups, i+1, code, g.name)
			}
		}
		if slices.ContainsFunc(groups, func(other languageGroup) bool { return other.name == g.name }) {
			return nil, fmt.Errorf("%s line %d: the group %s stands twice", in.Groups, i+1, g.name)
		}
		groups = append(groups, g)
	}
	if len(groups) == 0 {
		return nil, fmt.Errorf("%s has no group: want lines of a name, a tab, and codes of languages", in.Groups)
	}
	return groups, nil
}
