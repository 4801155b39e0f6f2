package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/goccy/go-yaml"

	"sentweave/runners/beam/worker"
)

// The cluster that the documents describe can be read, and starts worker pools
// with flags that there are.
func TestKubernetes(t *testing.T) {
	t.Setenv(worker.TokenVariable, "the token that the cluster's secret holds")
	text, err := os.ReadFile("../beam/flink/kubernetes/flink.yaml")
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	kinds := map[string]int{}
	pools, tokens := 0, 0
	for {
		var object struct {
			Kind string            `yaml:"kind"`
			Data map[string]string `yaml:"data"`
			Spec struct {
				Template struct {
					Spec struct {
						Containers []struct {
							Image string   `yaml:"image"`
							Args  []string `yaml:"args"`
							Env   []struct {
								Name      string `yaml:"name"`
								ValueFrom struct {
									Secret struct {
										Name, Key string
									} `yaml:"secretKeyRef"`
								} `yaml:"valueFrom"`
							} `yaml:"env"`
						} `yaml:"containers"`
					} `yaml:"spec"`
				} `yaml:"template"`
			} `yaml:"spec"`
		}
		if err := decoder.Decode(&object); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		kinds[object.Kind]++
		if config, ok := object.Data["config.yaml"]; ok {
			var settings map[string]any
			if err := yaml.Unmarshal([]byte(config), &settings); err != nil || settings["taskmanager.numberOfTaskSlots"] == nil {
				t.Errorf("Flink's configuration: %v, %v", settings, err)
			}
		}
		for _, c := range object.Spec.Template.Spec.Containers {
			if c.Image != "IMAGE" {
				continue
			}
			pools++
			for _, v := range c.Env {
				if v.Name == worker.TokenVariable && v.ValueFrom.Secret.Name == "sentweave-worker-pool" &&
					v.ValueFrom.Secret.Key == "token" {
					tokens++
				}
			}
			if err := newProgram(io.Discard, io.Discard).Check(c.Args); err != nil {
				t.Errorf("%v: %v", c.Args, err)
			}
		}
	}
	if kinds["Deployment"] != 2 || kinds["Service"] != 1 || kinds["ConfigMap"] != 1 || kinds["NetworkPolicy"] != 1 || pools != 1 ||
		tokens != 1 {
		t.Errorf("it has %v, %d pools and %d tokens", kinds, pools, tokens)
	}
}
