package libretranslate

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
	config.KeyVariable, config.Limits.Items = "TEST_KEY", 10
	e, err := Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestTranslateThroughTroubles(t *testing.T) {
	server := enginetest.LibreTranslate(t)
	server.Dice = enginetest.Dice{Seed: 5, Share: .3, Among: []enginetest.Trouble{
		enginetest.Throttle, enginetest.Break, enginetest.Vanish, enginetest.Stall, enginetest.Truncate, enginetest.Short, enginetest.Long,
	}}
	enginetest.CheckThroughTroubles(t, open(t, server.URL), &server.Dice, enginetest.Texts(400))
}

func TestSupports(t *testing.T) {
	e := open(t, enginetest.LibreTranslate(t).URL)
	for _, tt := range []struct {
		pair           engines.Pair
		source, target string
	}{
		{engines.Pair{Source: "eng", Target: "zho_Hant"}, "en", "zh-Hant"}, {engines.Pair{Source: "eng", Target: "zho"}, "en", "zh-Hans"},
		{engines.Pair{Source: "cmn_Hans", Target: "deu"}, "zh-Hans", "de"}, {engines.Pair{Source: "por", Target: "eng"}, "pt-BR", "en"},
		{engines.Pair{Source: "por", Target: "deu"}, "", ""}, {engines.Pair{Source: "eng", Target: "spa"}, "", ""}, {engines.Pair{Source: "zho", Target: "zho_Hans"}, "", ""},
	} {
		source, target, err := e.pair(tt.pair)
		if (tt.source == "") != errors.Is(err, engines.ErrUnsupported) || err == nil && (source != tt.source || target != tt.target) {
			t.Errorf("%v: %q to %q, error %v", tt.pair, source, target, err)
		}
	}
}

func TestSecretIsNotTold(t *testing.T) {
	e := open(t, enginetest.LibreTranslate(t).URL)
	identity, err := e.Identity(enginetest.Pair)
	if err != nil {
		t.Fatal(err)
	}
	enginetest.CheckSecret(t, identity, *e, e, e.config)
	t.Setenv("TEST_KEY", "wrong-7f3a")
	wrong := DefaultConfig(enginetest.LibreTranslate(t).URL)
	wrong.KeyVariable = "TEST_KEY"
	e, err = Open(t.Context(), wrong)
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Translate(t.Context(), enginetest.Pair, []string{"text"})
	if engines.KindOf(err) != engines.Fatal {
		t.Errorf("error %v", err)
	}
}

// TestLive translates by the server at SENTWEAVE_LIBRETRANSLATE, with the key in
// SENTWEAVE_LIBRETRANSLATE_KEY if there is one.
func TestLive(t *testing.T) {
	server := os.Getenv("SENTWEAVE_LIBRETRANSLATE")
	if server == "" {
		t.Skip("skipped: SENTWEAVE_LIBRETRANSLATE names no server")
	}
	config := DefaultConfig(server)
	if os.Getenv("SENTWEAVE_LIBRETRANSLATE_KEY") != "" {
		config.KeyVariable = "SENTWEAVE_LIBRETRANSLATE_KEY"
	}
	e, err := Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	enginetest.CheckLive(t, e, engines.Pair{Source: "eng", Target: "spa"})
}
