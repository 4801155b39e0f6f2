package apy

import (
	"errors"
	"os"
	"testing"

	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

func open(t *testing.T, server string) *Engine {
	t.Helper()
	t.Setenv("TEST_KEY", enginetest.Canary)
	config := DefaultConfig(server)
	config.KeyVariable = "TEST_KEY"
	e, err := Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestTranslateThroughTroubles(t *testing.T) {
	server := enginetest.APY(t)
	server.Dice = enginetest.Dice{Seed: 1, Share: .3, Among: []enginetest.Trouble{
		enginetest.Throttle, enginetest.Break, enginetest.Vanish, enginetest.Stall, enginetest.Truncate, enginetest.Short,
	}}
	e := open(t, server.URL)
	enginetest.CheckThroughTroubles(t, e, &server.Dice, enginetest.Texts(60))
	identity, err := e.Identity(enginetest.Pair)
	if err != nil {
		t.Fatal(err)
	}
	enginetest.CheckSecret(t, identity, *e, e, e.config)
}

func TestSupports(t *testing.T) {
	e := open(t, enginetest.APY(t).URL)
	for pair, want := range map[engines.Pair]string{
		{Source: "eng", Target: "deu"}: "eng|deu", {Source: "nor", Target: "nno"}: "nob|nno", {Source: "eng", Target: "cat"}: "",
		{Source: "deu", Target: "eng"}: "",
	} {
		if got, err := e.pair(pair); got != want || (want == "") != errors.Is(err, engines.ErrUnsupported) {
			t.Errorf("%v: %q, error %v", pair, got, err)
		}
	}
}

// TestLive translates by the server at SENTWEAVE_APY.
func TestLive(t *testing.T) {
	server := os.Getenv("SENTWEAVE_APY")
	if server == "" {
		t.Skip("skipped: SENTWEAVE_APY names no server")
	}
	e, err := Open(t.Context(), DefaultConfig(server))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	enginetest.CheckLive(t, e, engines.Pair{Source: "eng", Target: "spa"})
}
