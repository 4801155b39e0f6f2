# Checks events of OpenLineage, a line each, and their facets by the schemas in the folder spec of OpenLineage's repository.
import json
import pathlib
import sys

import jsonschema
import referencing

registry = referencing.Registry()
for path in [pathlib.Path(sys.argv[1], "OpenLineage.json"), *pathlib.Path(sys.argv[1], "facets").glob("*.json")]:
    schema = json.loads(path.read_text())
    registry = registry.with_resource(schema["$id"], referencing.Resource.from_contents(schema))


def faults(value, reference):
    checker = jsonschema.Draft202012Validator({"$ref": reference}, registry=registry,
                                              format_checker=jsonschema.FormatChecker())
    return list(checker.iter_errors(value))


def facets(value):
    if isinstance(value, dict):
        if "_schemaURL" in value:
            yield value
        for v in value.values():
            yield from facets(v)
    elif isinstance(value, list):
        for v in value:
            yield from facets(v)


events = [json.loads(line) for line in open(sys.argv[2])]
parts = [f for e in events for f in facets(e)]
for value, url in [(e, e["schemaURL"]) for e in events] + [(f, f["_schemaURL"]) for f in parts]:
    for fault in faults(value, url):
        print(url, fault.message, fault.json_path)
for value, url, field in [(e, e["schemaURL"], "producer") for e in events] + [(f, f["_schemaURL"], "_producer") for f in parts]:
    del value[field]
    if not faults(value, url):
        print(url, "takes a value without", field)
print(f"{len(events)} events and {len(parts)} facets are valid, and without their producer none")
