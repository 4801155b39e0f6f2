package main

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestPinned(t *testing.T) {
	hash := strings.Repeat("0f", 32)
	for name, test := range map[string]struct {
		file, text string
		want       []string
	}{
		"pip":                   {"x.sh", "set -e\npip install a==1", []string{"x.sh:2 runs pip"}},
		"pip of an interpreter": {"Makefile", "all:\n\tpython3 -m pip download \\\n\t  a==1", []string{"Makefile:2 runs pip"}},
		"pip at a path": {"a/Dockerfile", "FROM scratch\nRUN x && \"/opt/bin/pip3\" install a",
			[]string{"a/Dockerfile:2 runs pip"}},
		"a command of pip": {".ci/run", `"$python" -m pip "$command" a`, []string{".ci/run:1 runs pip"}},
		"hashes":           {"x.sh", "pip install \\\n --require-hashes -r a.txt", nil},
		"about pip":        {"x.sh", "# pip install a\nfail 'pip cannot install'\nrunners/wheels/pip.sh python3 install a", nil},
		"curl":             {"x.sh", "(curl -O a)", []string{"x.sh:1 fetches by curl"}},
		"the latest":       {"Makefile", "a:\n\tgo run x/y@latest", []string{"Makefile:2 fetches by y@latest"}},
		"a version":        {"Makefile", "a:\n\tgo run x/y@v1.2.3", nil},
		"a tag": {"Dockerfile", "FROM golang:1.26 AS build\nFROM build",
			[]string{"Dockerfile:1 takes the image golang:1.26"}},
		"a digest": {"Dockerfile.x", "FROM --platform=linux/amd64 golang:1.26@sha256:" + hash +
			" AS build\nFROM scratch\nCOPY --from=build /a /b", nil},
		"a digest that is not": {"Dockerfile", "FROM golang@sha256:0f", []string{"Dockerfile:1 takes the image"}},
		"a digest to be given": {"Dockerfile", "ARG GOLANG\nFROM golang:1.26@${GOLANG}", nil},
		"a digest by default": {"Dockerfile", "ARG GOLANG=sha256:1\nFROM golang:1.26@${GOLANG}",
			[]string{"Dockerfile:2 takes the image"}},
		"an image to be given": {"Dockerfile", "ARG GOLANG\nFROM ${GOLANG}", []string{"Dockerfile:2 takes the image"}},
		"copied from a tag": {"Dockerfile", "FROM scratch\nCOPY --chown=1 --from=debian:12 /a /b",
			[]string{"Dockerfile:2 takes the image debian:12"}},
		"actions": {".github/workflows/a.yml",
			"- uses: a/b@v4\n- uses: ./local\n- uses: a/b@0123456789012345678901234567890123456789 # v4\n",
			[]string{".github/workflows/a.yml:1 uses the action a/b@v4"}},
		"YAML": {"a/b.yaml", "a:\n  - image: flink:1.19\n  - {image: \"x\"}",
			[]string{"a/b.yaml:2 takes the image flink:1.19", "a/b.yaml:3 takes the image x"}},
		"YAML by digest":    {"b.yml", "image: flink@sha256:" + hash + "\nimage: IMAGE\n- image: flink:1.19@FLINK_DIGEST", nil},
		"folders of others": {".build/x.sh", "pip install a", nil},
		"no hash":           {"runners/wheels/b.txt", "", []string{"runners/wheels/b.in:2 a==1 is not in b.txt"}},
		"a hash": {"runners/wheels/b.txt", "a==1 ; python_version < '3.12' \\\n  --hash=sha256:" + hash +
			"\nd==2 \\\n --hash=sha256:1", nil},
		"one has no hash": {"runners/wheels/b.txt", "a==1 \\\n  --hash=sha256:" + hash + "\nc==2\n",
			[]string{"runners/wheels/b.txt:3 c has no version"}},
		"no version": {"runners/wheels/b.txt", "a \\\n  --hash=sha256:" + hash,
			[]string{"runners/wheels/b.txt:1 a has no version", "runners/wheels/b.in:2 a==1 is not"}},
		"another version": {"runners/wheels/b.txt", "a==2 --hash=sha256:" + hash, []string{"runners/wheels/b.in:2 a==1 is not"}},
	} {
		tree := fstest.MapFS{test.file: {Data: []byte(test.text)}}
		if strings.HasPrefix(test.file, wheels) {
			tree[wheels+"/b.in"] = &fstest.MapFile{Data: []byte("# about\na==1")}
		}
		faults, err := pinned(tree)
		if err != nil || !slices.EqualFunc(faults, test.want, strings.HasPrefix) {
			t.Errorf("%s: %q, %v, want %q", name, faults, err, test.want)
		}
	}
}
