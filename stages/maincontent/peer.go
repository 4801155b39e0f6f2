package maincontent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"sentweave/schemas/jsonfile"
	"sentweave/transforms/clean/maincontent/reference"
)

// Peer is a program that answers pages, in base64, with what it finds in them, in JSON, line by line. The
// first line that it prints is its version, in JSON.
type Peer struct {
	Name    string
	Command []string
}

// GoTrafilatura is the program that is built of the module stages/maincontent/peers.
func GoTrafilatura(program string) Peer { return Peer{"go-trafilatura", []string{program}} }

// pythonPeer is a program in Python. Import and find are lines of it; find sets text for a page.
func pythonPeer(name, python, module, find string) Peer {
	return Peer{name, []string{python, "-c", fmt.Sprintf(`
import base64, importlib.metadata, json, logging, sys
import %[1]s
logging.disable(logging.CRITICAL)
print(json.dumps(importlib.metadata.version("%[1]s")), flush=True)
for line in sys.stdin:
    page = base64.b64decode(line)
    try:
        %[2]s
    except Exception:
        text = ""
    print(json.dumps(text), flush=True)
`, module, find)}}
}

// PythonPeers are the programs that a Python can run: Trafilatura, and jusText with its list of English stop words.
func PythonPeers(ctx context.Context, python string) (list []Peer) {
	for _, p := range []struct{ name, module, find string }{
		{"trafilatura, Python", "trafilatura", `text = trafilatura.extract(page, include_comments=False) or ""`},
		{"jusText, Python", "justext",
			`text = "\n".join(p.text for p in justext.justext(page, justext.get_stoplist("English")) if not p.is_boilerplate)`},
	} {
		if exec.CommandContext(ctx, python, "-c", "import "+p.module).Run() == nil {
			list = append(list, pythonPeer(p.name, python, p.module, p.find))
		}
	}
	return list
}

// Score scores a peer. The pages need their sources.
func (p Peer) Score(ctx context.Context, d *Data) (s System, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var stderr bytes.Buffer
	command := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...)
	command.Stderr = &stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		return System{}, err
	}
	pipe, err := command.StdoutPipe()
	if err != nil {
		return System{}, err
	}
	if err := command.Start(); err != nil {
		return System{}, fmt.Errorf("run %s: %w", p.Name, err)
	}
	answers := bufio.NewReader(pipe)
	receive := func() (answer string, err error) {
		text, err := answers.ReadBytes('\n')
		if err == nil {
			err = jsonfile.Unmarshal(text, &answer)
		}
		return answer, err
	}
	version, err := receive()
	s.Name = p.Name + " " + version
	for i := 0; err == nil && i < len(d.Pages); i++ {
		var answer string
		if _, err = io.WriteString(stdin, base64.StdEncoding.EncodeToString(d.Pages[i].Source)+"\n"); err == nil {
			answer, err = receive()
		}
		s.Scores = append(s.Scores, reference.Compare(answer, d.Pages[i].Reference))
	}
	stdin.Close()
	if err != nil {
		stop()
		command.Wait()
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return s, fmt.Errorf("run %s (%s): %w: %s", p.Name, p.Command[0], err, lines[len(lines)-1])
	}
	return s, command.Wait()
}
