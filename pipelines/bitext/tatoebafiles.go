package bitext

import (
	"path"
	"slices"
	"strings"

	"sentweave/schemas/fault"
	"sentweave/transforms/read/compressed"
)

// takeTatoeba takes Tatoeba's files out of a list: links, and the sentences beside them.
func takeTatoeba(files []File) (sources []Source, rest []File, err error) {
	var errs fault.List
	for _, links := range files {
		if plainBase(links) != "links.csv" || links.Member != "" {
			continue
		}
		i := slices.IndexFunc(files, func(f File) bool {
			return f.Input == links.Input && f.Member == "" && path.Dir(f.Name) == path.Dir(links.Name) &&
				slices.Contains([]string{"sentences.csv", "sentences_detailed.csv"}, plainBase(f))
		})
		if i < 0 {
			errs.Addf("%s: the links of Tatoeba need its sentences.csv beside them", links.path())
			continue
		}
		sources = append(sources, Source{Name: tatoebaName, Format: formatSentences, Files: []File{files[i]}},
			Source{Name: tatoebaName, Format: formatLinks, Files: []File{links}})
	}
	errs.Check(len(sources) <= 2, "there are %d files of Tatoeba's links: give the folder of one", len(sources)/2)
	byLanguage, err := takeByLanguage(files)
	errs.Add(err)
	if len(sources) > 0 && len(byLanguage) > 0 {
		errs.Addf("%s and %s are both of Tatoeba: keep the files of all languages or those by language", sources[0].place(),
			byLanguage[0].place())
	}
	sources = append(sources, byLanguage...)
	used := map[fileKey]bool{}
	for _, s := range sources {
		used[key(s.Files[0])] = true
	}
	for _, f := range files {
		if !used[key(f)] {
			rest = append(rest, f)
		}
	}
	return sources, rest, errs.Err()
}

// takeByLanguage finds the files that Tatoeba has for each language and for each pair of them.
func takeByLanguage(files []File) (sources []Source, err error) {
	var errs fault.List
	var links []Source
	sentences := map[string]File{}
	for _, f := range files {
		switch tags := tatoebaLanguages(f); len(tags) {
		case 1:
			if existing, ok := sentences[tags[0]]; ok {
				errs.Addf("%s and %s both have Tatoeba's sentences in %s: keep one of them", existing.path(), f.path(), tags[0])
			}
			sentences[tags[0]] = f
			sources = append(sources, Source{Name: tatoebaName, Format: formatSentences, Files: []File{f}})
		case 2:
			links = append(links, Source{Name: tatoebaName, Format: formatLinks, Files: []File{f}})
		}
	}
	if len(links) == 0 { // files of such names are tables
		return nil, nil
	}
	if !slices.ContainsFunc(links, func(s Source) bool {
		return !slices.ContainsFunc(tatoebaLanguages(s.Files[0]), func(tag string) bool { return sentences[tag].Name == "" })
	}) {
		tags := tatoebaLanguages(links[0].Files[0])
		errs.Addf("%s: the links of Tatoeba need its %s_sentences.tsv and %s_sentences.tsv beside them", links[0].place(), tags[0], tags[1])
	}
	return append(sources, links...), errs.Err()
}

// tatoebaLanguages returns the language of a file of Tatoeba's sentences, or the two of one of
// links, as its name tells them.
func tatoebaLanguages(f File) (tags []string) {
	base := plainBase(f)
	if rest, ok := strings.CutSuffix(base, "_links.tsv"); ok && f.Member == "" {
		if prefix, pair := cutPair(rest); prefix == "" {
			return pair
		}
	}
	for _, end := range []string{"_sentences.tsv", "_sentences_detailed.tsv"} {
		if tag, ok := strings.CutSuffix(base, end); ok && f.Member == "" && isLanguage(tag) {
			return []string{tag}
		}
	}
	return nil
}

// plainBase is the name of a file without folders and compression.
func plainBase(f File) string {
	rest, _ := compressed.Cut(path.Base(f.Name))
	return rest
}
