package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"sentweave/schemas/storage"
	"sentweave/stages/inspect"
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
func croissant(ctx context.Context, d *inspect.Dataset, table inspect.Table, name string, c Config) ([]byte, error) {
	type object = map[string]any
	m := d.Manifest
	var distribution []object
	for _, s := range m.Shards {
		sum, err := hashOf(ctx, d.Folder, s.Name)
		if err != nil {
			return nil, err
		}
		distribution = append(distribution, object{"@type": "cr:FileObject", "@id": s.Name, "name": path.Base(s.Name), "contentUrl": s.Name,
			"contentSize": strconv.FormatInt(s.Bytes, 10) + " B", "encodingFormat": "application/x-parquet", "sha256": sum})
	}
	distribution = append(distribution, object{"@type": "cr:FileSet", "@id": "shards", "name": "shards",
		"encodingFormat": "application/x-parquet", "includes": "data/*.parquet"})
	var fields []object
	for _, column := range table.Columns {
		fields = append(fields, fieldOf(column, recordSet, "", ""))
	}
	description := object{"@context": vocabulary, "@type": "sc:Dataset", "conformsTo": "http://mlcommons.org/croissant/1.1",
		"name": c.title(name), "version": "1.0.0", "distribution": distribution,
		"description": fmt.Sprintf("%s rows of %s, made by %s.", thousands(m.Rows), m.Schema(), m.Plan.Pipeline),
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

// hashOf is the SHA-256 of a file.
func hashOf(ctx context.Context, folder storage.Folder, name string) (string, error) {
	object, err := folder.Open(ctx, name)
	if err != nil {
		return "", err
	}
	defer object.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(object, 0, object.Size())); err != nil {
		return "", fmt.Errorf("read %s in %s: %w", name, folder, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
