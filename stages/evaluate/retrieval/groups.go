package retrieval

import (
	"fmt"
	"slices"
	"strings"

	"sentweave/schemas/storage"
	"sentweave/stages/evaluate/protocol"
)

// languageGroup is languages over which a mean is given, such as a family.
type languageGroup struct {
	name  string
	codes []string
}

// readGroups reads the file of --groups: a name, a tab, and codes between spaces. Lines that
// are empty or begin with # do not count. It is not part of the hash of the data.
func readGroups(reader *protocol.Input) (groups []languageGroup, err error) {
	if reader.Groups == "" {
		return nil, nil
	}
	data, err := storage.ReadLocation(reader.Context, reader.Groups, protocol.MaxFile)
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
			return nil, fmt.Errorf("%s line %d, %q, is not a name, a tab, and codes of languages between spaces", reader.Groups, i+1, line)
		}
		for k, code := range g.codes {
			if slices.Contains(g.codes[:k], code) {
				return nil, fmt.Errorf("%s line %d: %s occurs twice in the group %s", reader.Groups, i+1, code, g.name)
			}
		}
		if slices.ContainsFunc(groups, func(earlier languageGroup) bool { return earlier.name == g.name }) {
			return nil, fmt.Errorf("%s line %d: the group %s occurs twice", reader.Groups, i+1, g.name)
		}
		groups = append(groups, g)
	}
	if len(groups) == 0 {
		return nil, fmt.Errorf("%s has no group: want lines of a name, a tab, and codes of languages", reader.Groups)
	}
	return groups, nil
}
