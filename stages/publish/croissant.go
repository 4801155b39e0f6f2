package publish

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"

	"sentweave/schemas/dataset"
	"sentweave/schemas/spelling"
	"sentweave/stages/inspect"
	"sentweave/stages/publish/hub"
)

// vocabulary is the context of Croissant 1.1 (https://docs.mlcommons.org/croissant): short names of schema.org and of Croissant itself.
var vocabulary = func() map[string]any {
	context := map[string]any{
		"@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/", "cr": "http://mlcommons.org/croissant/",
		"rai": "http://mlcommons.org/croissant/RAI/", "dct": "http://purl.org/dc/terms/",
		"data":     map[string]string{"@id": "cr:data", "@type": "@json"},
		"dataType": map[string]string{"@id": "cr:dataType", "@type": "@vocab"},
		"examples": map[string]string{"@id": "cr:examples", "@type": "@json"},
	}
	for _, name := range []string{"arrayShape", "citeAs", "column", "extract", "field", "fileObject", "fileProperty", "fileSet", "format",
		"includes", "isArray", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex",
		"repeated", "replace", "separator", "source", "subField", "transform"} {
		context[name] = "cr:" + name
	}
	context["conformsTo"] = "dct:conformsTo"
	return context
}()

// recordSet is the name of the rows.
const recordSet = "rows"

// types are those of Croissant by the kinds of columns.
var types = map[string]string{"text": "sc:Text", "binary": "sc:Text", "integer": "sc:Integer", "unsigned": "sc:Integer",
	"float": "sc:Float", "double": "sc:Float", "boolean": "sc:Boolean", "time": "sc:DateTime", "date": "sc:Date"}

// croissant describes a dataset: its files with their hashes, and its columns. The cost is one reading of the data.
func croissant(ctx context.Context, files []hub.File, m *dataset.Manifest, table inspect.Table, c Config) ([]byte, error) {
	type object = map[string]any
	var distribution []object
	for i := range files {
		f := &files[i] // which keeps the hash for an upload
		if !strings.HasPrefix(f.Name, dataFolder) {
			continue
		}
		sum, err := f.SHA256(ctx)
		if err != nil {
			return nil, err
		}
		distribution = append(distribution, object{"@type": "cr:FileObject", "@id": f.Name, "name": path.Base(f.Name), "contentUrl": f.Name,
			"contentSize": strconv.FormatInt(f.Size, 10) + " B", "encodingFormat": "application/x-parquet", "sha256": sum})
	}
	distribution = append(distribution, object{"@type": "cr:FileSet", "@id": "shards", "name": "shards",
		"encodingFormat": "application/x-parquet", "includes": dataFolder + "*.parquet"})
	var fields []object
	for _, column := range table.Columns {
		fields = append(fields, fieldOf(column, recordSet, "", ""))
	}
	description := object{"@context": vocabulary, "@type": "sc:Dataset", "conformsTo": "http://mlcommons.org/croissant/1.1",
		"name": c.Title, "version": "1.0.0", "distribution": distribution,
		"description": fmt.Sprintf("%s rows of %s, made by %s.", spelling.Thousands(m.Rows), m.Schema(), m.Plan.Pipeline),
		"recordSet":   []object{{"@type": "cr:RecordSet", "@id": recordSet, "name": recordSet, "field": fields}}}
	if c.License != "" {
		description["license"] = c.License
	}
	if list := tags(languagesOf(m, c)); len(list) > 0 {
		description["inLanguage"] = list
	}
	data, err := json.MarshalIndent(description, "", " ")
	return append(data, '\n'), err
}

// fieldOf describes a column of the shards. Of a field of a group, column is that of the group, and inside the path to the field.
func fieldOf(c *inspect.Column, parent, column, inside string) map[string]any {
	id := parent + "/" + c.Name
	if column == "" {
		column = c.Name
	} else {
		inside = strings.TrimPrefix(inside+"."+c.Name, ".")
	}
	field := map[string]any{"@type": "cr:Field", "@id": id, "name": strings.TrimPrefix(id, recordSet+"/")}
	if c.List {
		field["isArray"], field["arrayShape"] = true, "-1"
	}
	if !c.Leaf() {
		var fields []map[string]any
		for _, f := range c.Fields {
			fields = append(fields, fieldOf(f, id, column, inside))
		}
		field["subField"] = fields
		return field
	}
	source := map[string]any{"fileSet": map[string]string{"@id": "shards"}, "extract": map[string]string{"column": column}}
	if inside != "" {
		source["transform"] = []map[string]string{{"jsonPath": inside}}
	}
	field["dataType"], field["source"] = types[c.Kind.String()], source
	return field
}
