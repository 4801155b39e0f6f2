package flink

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// localConf configures a Flink inside of the job server: what it exchanges is
// small, so that small buffers let it do many units at once in little memory. The
// number of buffers that it needs grows with the square of the parallelism.
const localConf = `taskmanager.memory.segment-size: 4kb
taskmanager.memory.network.min: 128mb
taskmanager.memory.network.max: 128mb
taskmanager.network.memory.buffers-per-channel: 0
`

// loopback are settings that keep it from listening to other machines: if it is not
// told otherwise, Flink does, and takes the files of anybody there.
var loopback = map[string]string{
	"rest.address": loopbackHost, "rest.bind-address": loopbackHost,
	"jobmanager.rpc.address": loopbackHost, "jobmanager.bind-host": loopbackHost,
	"taskmanager.host": loopbackHost, "taskmanager.bind-host": loopbackHost,
}

const loopbackHost = "127.0.0.1"

// confFiles are the names of Flink's configuration, since 1.19 and before.
var confFiles = []string{"config.yaml", "flink-conf.yaml"}

// prepareConf makes the folder of configuration of a job server: for a cluster the
// given one as it is, for a local Flink a copy of it, or localConf without one, that
// keeps to the loopback.
func prepareConf(folder string, o Options) error {
	source := o.Conf
	if source != "" {
		var err error
		if source, err = filepath.Abs(source); err != nil {
			return err
		}
		if !o.isLocal() {
			return os.Symlink(source, folder)
		}
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	files := map[string]string{}
	if source == "" {
		for _, name := range confFiles {
			files[name] = localConf
		}
	}
	entries, err := entriesOf(source)
	if err != nil {
		return err
	}
	for _, e := range entries {
		file := filepath.Join(source, e.Name())
		if !slices.Contains(confFiles, e.Name()) {
			if err := os.Symlink(file, filepath.Join(folder, e.Name())); err != nil {
				return err
			}
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		files[e.Name()] = string(text)
	}
	if len(files) == 0 { // Flink would ask for one
		files[confFiles[1]] = ""
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(onLoopback(text)), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// entriesOf lists a folder; none is empty.
func entriesOf(folder string) ([]os.DirEntry, error) {
	if folder == "" {
		return nil, nil
	}
	return os.ReadDir(folder)
}

// onLoopback returns a configuration with the settings of loopback instead of its own.
// They are at its end, where they also overrule those of a nested form.
func onLoopback(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		name, _, _ := strings.Cut(line, ":")
		if _, ours := loopback[strings.Trim(name, `"' `)]; !ours {
			b.WriteString(strings.TrimRight(line, "\r\n") + "\n")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(loopback)) {
		fmt.Fprintf(&b, "%s: %s\n", name, loopback[name])
	}
	return b.String()
}
