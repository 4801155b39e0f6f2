package flink

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Flink 1.19 and 1.20 run on these; older ones lack what the flags below name.
const (
	oldestJava = 11
	newestJava = 21
)

// opens are packages of Java that Flink and Beam look into.
var opens = []string{
	"--add-exports=java.base/sun.net.util=ALL-UNNAMED",
	"--add-opens=java.base/java.lang=ALL-UNNAMED", "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
	"--add-opens=java.base/java.net=ALL-UNNAMED", "--add-opens=java.base/java.io=ALL-UNNAMED",
	"--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
	"--add-opens=java.base/java.text=ALL-UNNAMED", "--add-opens=java.base/java.time=ALL-UNNAMED",
	"--add-opens=java.base/java.util=ALL-UNNAMED", "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
	"--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED", "--add-opens=java.base/java.util.concurrent.locks=ALL-UNNAMED",
}

// JavaOpens are the flags that let Flink and Beam look into Java's own packages.
func JavaOpens() []string { return slices.Clone(opens) }

// Java finds a Java that Flink runs on: that of JAVA_HOME, else the one on PATH.
// It returns the program and its version.
func Java(ctx context.Context) (program string, version int, err error) {
	const help = "install a JRE (Debian: openjdk-17-jre-headless), or name one by JAVA_HOME"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		program = filepath.Join(home, "bin", "java")
		if _, err := os.Stat(program); err != nil {
			return "", 0, fmt.Errorf("JAVA_HOME names no Java: %w; %s", err, help)
		}
	} else if program, err = exec.LookPath("java"); err != nil {
		return "", 0, fmt.Errorf("flink needs Java %d to %d, and there is none on PATH; %s", oldestJava, newestJava, help)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	output, err := exec.CommandContext(ctx, program, "-version").CombinedOutput()
	if err != nil {
		return "", 0, fmt.Errorf("%s -version: %w; %s", program, err, help)
	}
	version, err = javaVersion(string(output))
	if err != nil {
		return "", 0, fmt.Errorf("%s: %w", program, err)
	}
	if version < oldestJava || version > newestJava {
		return "", version, fmt.Errorf("flink needs Java %d to %d, %s is Java %d; %s", oldestJava, newestJava, program, version, help)
	}
	return program, version, nil
}

var versionLine = regexp.MustCompile(`version "(1\.)?([0-9]+)`)

// javaVersion reads the number of the release from what java -version prints.
func javaVersion(printed string) (int, error) {
	m := versionLine.FindStringSubmatch(printed)
	if m == nil {
		first, _, _ := strings.Cut(strings.TrimSpace(printed), "\n")
		return 0, fmt.Errorf("it does not tell its version, but: %.100q", first)
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return 0, errors.New("its version is not a number")
	}
	return n, nil
}
