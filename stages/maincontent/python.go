package maincontent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"sentweave/transforms/clean/maincontent/reference"
)

// peer is a program that answers pages, in base64, with what Trafilatura finds in them, in JSON, line by line.
const peer = `
import base64, json, logging, sys
import trafilatura
logging.disable(logging.CRITICAL)
print(json.dumps(trafilatura.__version__), flush=True)
for line in sys.stdin:
    try:
        text = trafilatura.extract(base64.b64decode(line), include_comments=False) or ""
    except Exception:
        text = ""
    print(json.dumps(text), flush=True)
`

// PythonTrafilatura scores Trafilatura in Python, as a Python that has it installed runs it. The pages need their sources.
func PythonTrafilatura(ctx context.Context, d *Data, python string) (System, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var stderr bytes.Buffer
	command := exec.CommandContext(ctx, python, "-c", peer)
	command.Stderr = &stderr
	in, err := command.StdinPipe()
	if err != nil {
		return System{}, err
	}
	pipe, err := command.StdoutPipe()
	if err != nil {
		return System{}, err
	}
	if err := command.Start(); err != nil {
		return System{}, fmt.Errorf("run Trafilatura: %w", err)
	}
	out := bufio.NewReader(pipe)
	ask := func(line string) (answer string, err error) {
		if line != "" {
			if _, err = io.WriteString(in, line+"\n"); err != nil {
				return "", err
			}
		}
		text, err := out.ReadBytes('\n')
		if err != nil {
			return "", err
		}
		return answer, json.Unmarshal(text, &answer)
	}
	s := System{}
	answer, err := ask("")
	for i := 0; err == nil && i < len(d.Pages); i++ {
		if i == 0 {
			s.Name = "trafilatura " + answer + ", Python"
		}
		if answer, err = ask(base64.StdEncoding.EncodeToString(d.Pages[i].Source)); err == nil {
			s.Scores = append(s.Scores, reference.Compare(answer, d.Pages[i].Reference))
		}
	}
	in.Close()
	if err != nil {
		stop()
		command.Wait()
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return s, fmt.Errorf("trafilatura of %s: %w: %s", python, err, lines[len(lines)-1])
	}
	return s, command.Wait()
}

// HasTrafilatura says whether a Python can import Trafilatura.
func HasTrafilatura(ctx context.Context, python string) bool {
	return exec.CommandContext(ctx, python, "-c", "import trafilatura").Run() == nil
}
