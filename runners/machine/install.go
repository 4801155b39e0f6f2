package machine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"sentweave/runners"
	"sentweave/runners/beam/flink"
	"sentweave/runners/child"
	"sentweave/runners/command"
	"sentweave/runners/libtorch"
	"sentweave/runners/locations"
	"sentweave/schemas/storage/cache"
)

// fetched are what `doctor --install` fetches by a script: its command, what is in the
// folder for caches afterwards, and how it is used.
var fetched = map[string]struct {
	script []string
	made   string
	use    string
}{
	"langid":   {[]string{"fetch.sh", "langid"}, locations.LangidName, "give it as --langid %s"},
	"apertium": {[]string{"fetch.sh", "apertium"}, "apertium/apertium", "--engine apertium finds it in %s"},
	"libtorch": {[]string{"sentweave-torch/libtorch.sh", "fetch"}, libtorch.Fetched, libtorch.Name + " finds it in %s"},
}

// install fetches something into the folder for caches, and says how it is used.
func install(ctx context.Context, p *command.Program, what string) error {
	if what == "flink" {
		fmt.Fprintf(p.Stderr, "fetching Flink %s and Beam's job server, 150 MB\n", flink.FlinkVersion)
		folder, err := flink.Install(ctx, p.Stderr)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.Stdout, "Flink %s with Beam's job server %s: %s\n", flink.FlinkVersion, flink.BeamVersion, folder)
		return err
	}
	if platform := runtime.GOOS + "/" + runtime.GOARCH; what == "libtorch" && platform != "linux/amd64" {
		return fmt.Errorf("install libtorch: it can be fetched only for linux/amd64, and this is %s; set LIBTORCH to the folder of an installed libtorch",
			platform)
	}
	folder, err := cache.Root()
	if err != nil {
		return err
	}
	f := fetched[what]
	target := filepath.Join(folder, filepath.FromSlash(f.made))
	if _, err := os.Stat(target); errors.Is(err, fs.ErrNotExist) {
		if err := runScript(ctx, p, folder, f.script); err != nil {
			return fmt.Errorf("install %s: %w", what, err)
		}
	}
	if _, err := os.Stat(target); err != nil {
		return fmt.Errorf("install %s: %w", what, err)
	}
	_, err = fmt.Fprintf(p.Stdout, "%s is installed: "+f.use+"\n", what, target)
	return err
}

// runScript writes the scripts to a temporary folder and runs one of them, which fetches
// into a folder.
func runScript(ctx context.Context, p *command.Program, folder string, args []string) error {
	bash, err := exec.LookPath("bash")
	if err != nil {
		return errors.New("there is no bash to run the script that fetches it")
	}
	work, err := os.MkdirTemp("", "sentweave-install-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	err = fs.WalkDir(runners.Scripts, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := runners.Scripts.ReadFile(name)
		if err != nil {
			return err
		}
		target := filepath.Join(work, "runners", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o777)
	})
	if err != nil {
		return err
	}
	script := filepath.Join(work, "runners", filepath.FromSlash(args[0]))
	c := exec.CommandContext(ctx, bash, append([]string{script}, args[1:]...)...)
	c.Env = append(os.Environ(), "FETCH_FOLDER="+folder, cache.Variable+"="+folder)
	c.Stderr = command.Plain(p.Stderr) // it prints where it has put it, which the caller says
	c.SysProcAttr = child.Group(false)
	c.Cancel = func() error { child.Terminate(c.Process.Pid); return nil }
	c.WaitDelay = 10 * time.Second
	if err := c.Run(); err != nil {
		return errors.New(strings.TrimSpace("the script did not fetch it (" + err.Error() + "), as it says above"))
	}
	return nil
}
