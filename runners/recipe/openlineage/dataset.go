package openlineage

import (
	"context"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/inspect"
)

// Dataset is what a step reads or makes: a dataset, or a folder or file of another kind, of which the place alone is told.
type Dataset struct {
	location string
	manifest *dataset.Manifest // nil of others
	columns  []*inspect.Column
}

// DatasetAt looks at what is at a location now. A dataset that cannot be read counts as another kind: the step says what is wrong.
func DatasetAt(ctx context.Context, location string) Dataset {
	d := Dataset{location: location}
	folder, err := storage.Locate(location)
	if err != nil {
		return d
	}
	rows, err := inspect.Open(ctx, folder)
	if err != nil || rows.Manifest == nil {
		return d
	}
	d.manifest = rows.Manifest
	if table, err := rows.Table(ctx); err == nil {
		d.columns = table.Columns
	}
	return d
}

// object is the dataset in an event; statistics is "input" or "output".
func (d Dataset) object(statistics string) object {
	space, name := nameOf(d.location)
	result := object{"namespace": space, "name": name}
	if d.manifest == nil {
		return result
	}
	result["facets"] = object{
		"version": facet("1-0-1", "DatasetVersionDatasetFacet", object{"datasetVersion": d.manifest.ContentXXH3}),
		"schema":  facet("1-2-0", "SchemaDatasetFacet", object{"fields": fields(d.columns)}),
	}
	version, schema := "1-0-0", "InputStatisticsInputDatasetFacet"
	if statistics == "output" {
		version, schema = "1-0-2", "OutputStatisticsOutputDatasetFacet"
	}
	result[statistics+"Facets"] = object{statistics + "Statistics": facet(version, schema,
		object{"rowCount": d.manifest.Rows, "size": d.manifest.Bytes, "fileCount": len(d.manifest.Shards)})}
	return result
}

func fields(columns []*inspect.Column) []object {
	list := []object{}
	for _, c := range columns {
		field := object{"name": c.Name, "type": c.Type()}
		if !c.Leaf() {
			field["fields"] = fields(c.Fields)
		}
		list = append(list, field)
	}
	return list
}
