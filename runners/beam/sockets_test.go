package beam_test

import (
	"context"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"sentweave/runners/beam"
	"sentweave/runners/child/childtest"
)

// midst runs a job and returns the sockets on which this process, and what it has
// started, wait in the midst of it, and what submit says of each of them.
func midst(t *testing.T, options beam.Options) (sockets []childtest.Socket, taken map[netip.AddrPort]bool) {
	t.Helper()
	gate := filepath.Join(t.TempDir(), "seen")
	taken = map[netip.AddrPort]bool{}
	var once sync.Once
	options.Observe = func(p beam.Progress) {
		if p.Done > 3 {
			once.Do(func() {
				defer open(t, gate)
				sockets = childtest.Listening(t, os.Getpid())
				for _, s := range sockets {
					if strings.HasPrefix(s.Network, "tcp") {
						for _, host := range append(childtest.Outer(t), s.Address.Addr()) {
							at := netip.AddrPortFrom(host, s.Address.Port())
							taken[at] = submit(t.Context(), at)
						}
					}
				}
			})
		}
	}
	output := t.TempDir()
	if _, _, err := beam.Run(t.Context(), job(t, output, 20, &numbersTask{Fail: -1, Log: t.TempDir(), Gate: gate}), options); err != nil {
		t.Fatal(err)
	}
	return sockets, taken
}

// submit says whether there is a job service at an address that takes a job.
func submit(ctx context.Context, at netip.AddrPort) bool {
	if conn, err := net.DialTimeout("tcp", at.String(), time.Second); err != nil {
		return false
	} else {
		conn.Close()
	}
	conn, err := grpc.NewClient(at.String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return false
	}
	defer conn.Close()
	ctx, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	_, err = jobpb.NewJobServiceClient(conn).Prepare(ctx, &jobpb.PrepareJobRequest{JobName: "of a stranger"})
	return err == nil
}

// A local run waits for nobody.
func TestLocalHasNoSocket(t *testing.T) {
	before := childtest.Listening(t, os.Getpid()) // job servers of other tests
	sockets, _ := midst(t, beam.Options{Runner: "local", Parallelism: 2})
	sockets = slices.DeleteFunc(sockets, func(s childtest.Socket) bool { return slices.Contains(before, s) })
	if len(sockets) != 0 {
		t.Errorf("it listens: %v", sockets)
	}
}

// A Flink on this machine cannot be reached from another one, even if its
// configuration says so; from this machine anybody can submit, as the documents say.
func TestFlinkListensHereOnly(t *testing.T) {
	options := onLocal(t)
	open := filepath.Join(t.TempDir(), "conf")
	if err := os.Mkdir(open, 0o777); err != nil {
		t.Fatal(err)
	}
	const everywhere = "rest.bind-address: 0.0.0.0\njobmanager:\n  bind-host: 0.0.0.0\ntaskmanager:\n  bind-host: 0.0.0.0\n  memory:\n    network:\n      min: 128mb\n      max: 128mb\n"
	if err := os.WriteFile(filepath.Join(open, "config.yaml"), []byte(everywhere), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, conf := range map[string]string{"its own configuration": "", "one that opens all": open} {
		t.Run(name, func(t *testing.T) {
			beam.Close() // job servers of other tests
			options := options
			options.Flink.Conf = conf
			sockets, taken := midst(t, options)
			for _, s := range sockets {
				t.Log(s)
				if s.Beyond() {
					t.Errorf("it listens to others: %v", s)
				}
			}
			inside := 0
			for at, ok := range taken {
				if slices.Contains(childtest.Outer(t), at.Addr()) {
					if ok {
						t.Errorf("a job was taken at %v", at)
					}
				} else if ok {
					inside++
				}
			}
			if len(sockets) == 0 || inside == 0 {
				t.Errorf("%d sockets, of which %d take jobs: this test sees nothing", len(sockets), inside)
			}
		})
	}
}
