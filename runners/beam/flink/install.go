package flink

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"sentweave/schemas/fault"
)

// The versions that are installed. Beam's newest job server that can be put
// together from Maven's central repository is this one; it takes jobs of newer
// SDKs of Go.
const (
	BeamVersion  = "2.62.0"
	FlinkVersion = "1.19"
)

// pom lists what the job server needs; Maven resolves the rest.
const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>sentweave</groupId><artifactId>flink-job-server</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.beam</groupId><artifactId>beam-runners-flink-` + FlinkVersion + `</artifactId><version>` + BeamVersion + `</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.30</version></dependency>
  </dependencies>
</project>
`

const (
	installLimit = 20 * time.Minute
	// strict has Maven refuse what differs from the checksum that its server gives.
	strict   = "--strict-checksums"
	copyGoal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
	// beamJar must be among what Maven brought.
	beamJar = "beam-runners-flink-" + FlinkVersion + "-" + BeamVersion + ".jar"
	install = "`sentweave doctor --install flink` fetches it by Maven; or give --flink-job-server, the jar beam-runners-flink-1.19-job-server (or another Flink's) of Apache Beam"
)

// jars are the files that Maven must bring, as sha256sum prints them:
// `cd FOLDER && sha256sum *.jar` of a folder whose origin was looked at.
//
//go:embed jars.sha256
var jars string

// installFolder is where Install puts the job server and where it is looked for.
func installFolder() (string, error) {
	cache := os.Getenv("SENTWEAVE_CACHE")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("find the folder for caches: %w; name one by SENTWEAVE_CACHE", err)
		}
		cache = filepath.Join(user, "sentweave")
	}
	cache, err := filepath.Abs(cache)
	return filepath.Join(cache, "flink-"+FlinkVersion+"-beam-"+BeamVersion), err
}

// Installed returns the folder of the installed job server.
func Installed() (string, error) {
	folder, err := installFolder()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(folder, beamJar)); err != nil {
		return "", fmt.Errorf("there is not a job server of Flink: %s", install)
	}
	return folder, nil
}

// Install fetches the job server by Maven, some 150 MB, and returns its folder.
// What is there already is kept. Maven's output goes to the log. Every file is as it
// was when its checksum was written down here, or nothing is installed.
func Install(ctx context.Context, log io.Writer) (string, error) { return installJars(ctx, log, jars) }

func installJars(ctx context.Context, log io.Writer, jars string) (string, error) {
	folder, err := installFolder()
	if err != nil {
		return "", err
	}
	if _, err := Installed(); err == nil {
		return folder, nil
	}
	if _, _, err := Java(ctx); err != nil {
		return "", err
	}
	maven, err := exec.LookPath("mvn")
	if err != nil {
		return "", errors.New("maven fetches Flink's job server, and there is no mvn on PATH; install it (Debian: maven), or give --flink-job-server")
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o777); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(filepath.Dir(folder), ".flink-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	if err := os.WriteFile(filepath.Join(work, "pom.xml"), []byte(pom), 0o666); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, installLimit)
	defer cancel()
	lib := filepath.Join(work, "lib")
	c := exec.CommandContext(ctx, maven, "-q", "-B", strict, "-Dstyle.color=never", "-f", filepath.Join(work, "pom.xml"), copyGoal,
		"-DoutputDirectory="+lib, "-DincludeScope=runtime")
	c.Stdout, c.Stderr = log, log
	c.WaitDelay = 10 * time.Second
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("fetch Flink's job server by Maven: %w; run the same again, or give --flink-job-server", err)
	}
	if _, err := os.Stat(filepath.Join(lib, beamJar)); err != nil {
		return "", fmt.Errorf("maven brought no %s", beamJar)
	}
	if err := verify(lib, jars); err != nil {
		return "", fmt.Errorf("what Maven brought is not what it was: %w; it is not installed; look at Maven's settings and its local repository, or give --flink-job-server",
			err)
	}
	if err := os.RemoveAll(folder); err != nil { // what an older version left half
		return "", err
	}
	return folder, os.Rename(lib, folder)
}

// verify returns all differences between the files of a folder and a list of their
// checksums, as sha256sum prints it.
func verify(folder, list string) error {
	var errs fault.List
	listed := map[string]bool{}
	for line := range strings.Lines(list) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		listed[name] = true
		if got, err := sumOf(filepath.Join(folder, name)); errors.Is(err, os.ErrNotExist) {
			errs.Addf("%s is missing", name)
		} else if err != nil {
			errs.Add(err)
		} else if got != sum {
			errs.Addf("%s has the SHA-256 %s, not %s", name, got, sum)
		}
	}
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		errs.Check(listed[e.Name()], "%s is not in the list", e.Name())
	}
	errs.Add(err)
	return errs.Err()
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// flinkPom names the version of Flink inside of a job server's jar.
var flinkPom = regexp.MustCompile(`^META-INF/maven/org\.apache\.flink/flink-(core|runtime)/pom\.properties$`)

// flinkOf returns the version of Flink, as in 1.19.0, that a job server has:
// a jar, or a folder of jars. It is empty where it cannot be told.
func flinkOf(server string) (string, error) {
	if info, err := os.Stat(server); err != nil {
		return "", err
	} else if info.IsDir() {
		jars, err := filepath.Glob(filepath.Join(server, "flink-core-*.jar"))
		if err != nil || len(jars) == 0 {
			return "", err
		}
		return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(jars[0]), "flink-core-"), ".jar"), nil
	}
	archive, err := zip.OpenReader(server)
	if err != nil {
		return "", fmt.Errorf("flink-job-server %s is not a jar: %w", server, err)
	}
	defer archive.Close()
	driver := false
	version := ""
	for _, f := range archive.File {
		driver = driver || f.Name == driverFile
		if version == "" && flinkPom.MatchString(f.Name) {
			if version, err = propertyOf(f, "version"); err != nil {
				return "", fmt.Errorf("flink-job-server %s: %w", server, err)
			}
		}
	}
	if !driver {
		return "", fmt.Errorf("%s is not a job server of Flink: it has no %s; %s", server, driverClass, install)
	}
	if version == "" { // official jars are named for it
		if m := regexp.MustCompile(`flink-([0-9]+\.[0-9]+)-job-server`).FindStringSubmatch(filepath.Base(server)); m != nil {
			version = m[1]
		}
	}
	return version, nil
}

// propertyOf reads a property of a file in an archive.
func propertyOf(f *zip.File, name string) (string, error) {
	r, err := f.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, 1<<16))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return strings.TrimSpace(value), nil
		}
	}
	return "", nil
}
