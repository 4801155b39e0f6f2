package flink

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const goodJava = `echo 'openjdk version "17.0.1"' >&2`

// What Maven brings becomes the installed job server, whole and as it was when its
// checksums were written down, or not at all.
func TestInstall(t *testing.T) {
	brings := `for a in "$@"; do case "$a" in -DoutputDirectory=*) d="${a#-DoutputDirectory=}";; esac; done; mkdir -p "$d"; : >"$d/` +
		beamJar + `"; printf flink >"$d/flink-core-1.19.0.jar"`
	// By sha256sum: of nothing, and of "flink".
	list := "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  " + beamJar + "\n" +
		"7f025323639628aa5e5d24bd56f43317552b140c71406d0eb5a555671bd534d2  flink-core-1.19.0.jar\n"
	for name, test := range map[string]struct{ java, maven, want string }{
		"brings it":      {goodJava, brings, ""},
		"fails":          {goodJava, "echo no network; exit 1", "fetch Flink's job server by Maven: exit status 1"},
		"brings little":  {goodJava, "exit 0", "maven brought no " + beamJar},
		"brings another": {goodJava, brings + `; printf x >>"$d/flink-core-1.19.0.jar"`, "flink-core-1.19.0.jar has the SHA-256 "},
		"brings more":    {goodJava, brings + `; : >"$d/more.jar"`, "more.jar is not in the list"},
		"brings less":    {goodJava, brings + `; rm "$d/flink-core-1.19.0.jar"`, "flink-core-1.19.0.jar is missing"},
		"wrong Java":     {`echo 'java version "1.8.0_1"' >&2`, brings, "needs Java 11 to 21"},
	} {
		t.Run(name, func(t *testing.T) {
			path := onlyPath(t)
			t.Setenv("SENTWEAVE_CACHE", filepath.Join(t.TempDir(), "cache"))
			script(t, path, "java", test.java)
			script(t, path, "mvn", test.maven)
			var log strings.Builder
			folder, err := installJars(t.Context(), &log, list)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Fatalf("%v, want %q", err, test.want)
			}
			installed, installedErr := Installed()
			if (installedErr == nil) != (err == nil) || err == nil && installed != folder {
				t.Errorf("installed: %q, %v", installed, installedErr)
			}
			if err == nil {
				script(t, path, "mvn", "exit 1")
				if _, err := Install(t.Context(), io.Discard); err != nil {
					t.Errorf("a second time: %v", err)
				}
			}
			cache, _ := filepath.Glob(filepath.Join(os.Getenv("SENTWEAVE_CACHE"), ".flink-*"))
			if len(cache) > 0 {
				t.Errorf("left: %v", cache)
			}
		})
	}
	t.Run("no Maven", func(t *testing.T) {
		folder := t.TempDir()
		t.Setenv("SENTWEAVE_CACHE", t.TempDir())
		t.Setenv("PATH", folder)
		t.Setenv("JAVA_HOME", t.TempDir())
		script(t, filepath.Join(os.Getenv("JAVA_HOME"), "bin"), "java", goodJava)
		if _, err := Install(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "there is no mvn on PATH") {
			t.Error(err)
		}
	})
}

// jar writes an archive of files by name.
func jar(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	for file, content := range files {
		entry, err := w.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(entry, content)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFlinkOf(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"flink-core-1.19.0.jar", "flink-core-other.txt"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text := filepath.Join(t.TempDir(), "x.jar")
	if err := os.WriteFile(text, []byte("hello"), 0o666); err != nil {
		t.Fatal(err)
	}
	const properties = "META-INF/maven/org.apache.flink/flink-core/pom.properties"
	for name, test := range map[string]struct{ server, version, want string }{
		"a folder of jars": {folder, "1.19.0", ""},
		"an empty folder":  {t.TempDir(), "", ""},
		"its properties":   {jar(t, "x.jar", map[string]string{driverFile: "", properties: "groupId=a\nversion=1.20.1\n"}), "1.20.1", ""},
		"its name":         {jar(t, "beam-runners-flink-1.18-job-server-2.60.0.jar", map[string]string{driverFile: ""}), "1.18", ""},
		"neither":          {jar(t, "server.jar", map[string]string{driverFile: ""}), "", ""},
		"another program":  {jar(t, "spark.jar", map[string]string{"a/B.class": ""}), "", "is not a job server of Flink"},
		"no archive":       {text, "", "is not a jar"},
	} {
		version, err := flinkOf(test.server)
		if version != test.version || (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %q, %v", name, version, err)
		}
	}
	for version, want := range map[string]string{"1.19.3": "1.19", "1.19": "1.19", "2.0.0": "2.0", "2.0-preview1": "2.0-preview1"} {
		if got := minor(version); got != want {
			t.Errorf("%s: %s", version, got)
		}
	}
}
