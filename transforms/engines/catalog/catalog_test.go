package catalog

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/transforms/engines"
)

// Every field is in All, at its place, and its flags begin with the engine's name.
func TestAll(t *testing.T) {
	var s Settings
	value, all := reflect.ValueOf(&s).Elem(), s.All()
	if value.NumField() != len(all) {
		t.Fatalf("%d fields, and %d engines in All", value.NumField(), len(all))
	}
	for i, engine := range all {
		field, about := value.Type().Field(i), engine.Describe()
		if value.Field(i).Addr().Interface() != any(engine) {
			t.Errorf("%s is not at its place in All", field.Name)
		}
		if prefix := field.Tag.Get("prefix"); prefix != about.Name+"-" || field.Tag.Get("group") != "Engine "+about.Name {
			t.Errorf("%s: the tag is %s", about.Name, field.Tag)
		}
		if s.Named(about.Name) != engine || !strings.Contains(", "+Help(), ", "+about.Name) {
			t.Errorf("%s is not found", about.Name)
		}
	}
	if s.Named("nothing") != nil {
		t.Error("an engine that there is none of was found")
	}
}

// Settings come to a worker as they were given.
func TestSettingsTravel(t *testing.T) {
	var sent, come Settings
	sent.Google.Codes, sent.Google.BatchTimeout = map[string]string{"fao": "fo"}, 1e9
	sent.Apertium.Data, sent.Chat.PerMillion, sent.Chat.Limits = "data", 1.5, engines.Limits{Items: 3}
	sent.Command.Arguments = []string{"-x"}
	data, err := json.Marshal(sent)
	if err == nil {
		err = json.Unmarshal(data, &come)
	}
	if diff := cmp.Diff(sent, come); diff != "" || err != nil {
		t.Errorf("%s, error %v", diff, err)
	}
}
