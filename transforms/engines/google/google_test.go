package google

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/translate/apiv3/translatepb"
	"google.golang.org/api/option"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"sentweave/schemas/language"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

// service speaks as Cloud Translation, and throws dice.
type service struct {
	translatepb.UnimplementedTranslationServiceServer
	dice enginetest.Dice
	fail error

	mutex sync.Mutex
	last  *translatepb.TranslateTextRequest
}

// TranslateText implements the service.
func (s *service) TranslateText(ctx context.Context, r *translatepb.TranslateTextRequest) (*translatepb.TranslateTextResponse, error) {
	if s.fail != nil {
		return nil, s.fail
	}
	characters := 0
	for _, text := range r.GetContents() {
		characters += engines.Characters(text)
	}
	switch {
	case len(r.GetContents()) > maxItems || characters > maxCharacters:
		return nil, status.Error(codes.InvalidArgument, "Text is too long.")
	case r.GetMimeType() != "text/plain" || r.GetSourceLanguageCode() != "en" || r.GetTargetLanguageCode() != "de":
		return nil, status.Error(codes.InvalidArgument, "Target language is invalid.")
	}
	trouble := s.dice.Throw(r.GetContents())
	var translations []*translatepb.Translation
	for _, text := range r.GetContents() {
		translations = append(translations, &translatepb.Translation{TranslatedText: enginetest.Translation("deu", text)})
	}
	switch trouble {
	case enginetest.Throttle:
		s, err := status.New(codes.ResourceExhausted, "Quota exceeded.").WithDetails(
			&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Millisecond)})
		if err != nil {
			return nil, err
		}
		return nil, s.Err()
	case enginetest.Break:
		return nil, status.Error(codes.Internal, "Internal error.")
	case enginetest.Vanish:
		return nil, status.Error(codes.Unavailable, "The service is currently unavailable.")
	case enginetest.Stall:
		<-ctx.Done()
		return nil, ctx.Err()
	case enginetest.Short:
		translations = translations[1:]
	case enginetest.Long:
		translations = append(translations, translations[0])
	default:
		s.dice.Answered(r.GetContents()...)
	}
	s.mutex.Lock()
	s.last = r
	s.mutex.Unlock()
	if r.GetGlossaryConfig() != nil {
		return &translatepb.TranslateTextResponse{GlossaryTranslations: translations}, nil
	}
	return &translatepb.TranslateTextResponse{Translations: translations}, nil
}

func open(t *testing.T, s *service, change func(*Config)) *Engine {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	translatepb.RegisterTranslationServiceServer(server, s)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	config := DefaultConfig("project-1")
	config.Endpoint = listener.Addr().String()
	if change != nil {
		change(&config)
	}
	e, err := Open(t.Context(), config, option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestTranslateThroughTroubles(t *testing.T) {
	s := &service{}
	s.dice = enginetest.Dice{Seed: 4, Share: .3, Among: []enginetest.Trouble{
		enginetest.Throttle, enginetest.Break, enginetest.Vanish, enginetest.Stall, enginetest.Short, enginetest.Long,
	}}
	enginetest.CheckThroughTroubles(t, open(t, s, func(c *Config) { c.Characters = 150 }), &s.dice, enginetest.Texts(400))
}

func TestTranslateSends(t *testing.T) {
	for _, tt := range []struct {
		change                          func(*Config)
		parent, model, glossary, stored string
		price                           float64
	}{
		{nil, "projects/project-1/locations/global", "projects/project-1/locations/global/models/general/nmt", "", "general/nmt", 20},
		{func(c *Config) { c.Model, c.Location = "general/translation-llm", "europe-west1" }, "projects/project-1/locations/europe-west1",
			"projects/project-1/locations/europe-west1/models/general/translation-llm", "", "general/translation-llm", 20},
		{
			func(c *Config) { c.Model, c.Location, c.Glossary, c.PerMillion = "NM123", "us-central1", "terms", 45 },
			"projects/project-1/locations/us-central1", "projects/project-1/locations/us-central1/models/NM123",
			"projects/project-1/locations/us-central1/glossaries/terms", "projects/project-1/locations/us-central1/models/NM123", 45,
		},
	} {
		s := &service{}
		e := open(t, s, tt.change)
		answers, err := e.Translate(t.Context(), enginetest.Pair, []string{"a", "b"})
		if err != nil || len(answers) != 2 || answers[1].Text != "deu:b" {
			t.Fatalf("answers %v, error %v", answers, err)
		}
		identity, err := e.Identity(enginetest.Pair)
		if err != nil {
			t.Fatal(err)
		}
		if s.last.GetParent() != tt.parent || s.last.GetModel() != tt.model || s.last.GetGlossaryConfig().GetGlossary() != tt.glossary ||
			identity.Model != tt.stored || e.Price() != tt.price {
			t.Errorf("request %v, identity %v, price %v", s.last, identity, e.Price())
		}
		if !strings.Contains(identity.Options, `"`+tt.glossary+`"`) {
			t.Errorf("options %s", identity.Options)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		code     codes.Code
		says     string
		want     engines.Kind
		unbilled bool
	}{
		{codes.ResourceExhausted, "Quota exceeded.", engines.Throttled, true},
		{codes.Unavailable, "The service is currently unavailable.", engines.Unavailable, false},
		{codes.Unavailable, "error reading from server: EOF", engines.Unavailable, false},
		{codes.Unavailable, `connection error: desc = "transport: Error while dialing: dial tcp: connection refused"`, engines.Unavailable,
			true},
		{codes.Aborted, "reason", engines.Unavailable, false},
		{codes.Internal, "reason", engines.Failed, false}, {codes.DeadlineExceeded, "reason", engines.Failed, false},
		{codes.InvalidArgument, "Text is too long.", engines.Refused, true},
		{codes.InvalidArgument, "Request contains an invalid argument.", engines.Refused, true},
		{codes.InvalidArgument, "Target language is invalid.", engines.Fatal, true},
		{codes.InvalidArgument, "The provided language pair en-ab is not supported.", engines.Fatal, true},
		{codes.InvalidArgument, "Bad language pair: en|ab", engines.Fatal, true},
		{codes.InvalidArgument, "Unsupported model.", engines.Fatal, true},
		{codes.InvalidArgument, "API key not valid. Please pass a valid API key.", engines.Fatal, true},
		{codes.PermissionDenied, "reason", engines.Fatal, true}, {codes.Unauthenticated, "reason", engines.Fatal, true},
		{codes.NotFound, "reason", engines.Fatal, true}, {codes.FailedPrecondition, "reason", engines.Fatal, true},
	} {
		e := open(t, &service{fail: status.Error(tt.code, tt.says)}, nil)
		_, err := e.Translate(t.Context(), enginetest.Pair, []string{"text"})
		if f := new(engines.Fault); !errors.As(err, &f) || f.Kind != tt.want || f.Unbilled != tt.unbilled ||
			!strings.Contains(err.Error(), tt.says) {
			t.Errorf("%v, %s: %v, unbilled %v, error %v", tt.code, tt.says, engines.KindOf(err), f.Unbilled, err)
		}
	}
	detailed, err := status.New(codes.ResourceExhausted, "quota").WithDetails(
		&errdetails.RetryInfo{RetryDelay: durationpb.New(42 * time.Second)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = open(t, &service{fail: detailed.Err()}, nil).Translate(t.Context(), enginetest.Pair, []string{"text"})
	if f := new(engines.Fault); !errors.As(err, &f) || f.RetryAfter != 42*time.Second {
		t.Errorf("error %v", err)
	}
}

func TestLanguages(t *testing.T) {
	table := languages()
	for ours, theirs := range table {
		if !language.Valid(ours) {
			t.Errorf("%q of %q is not a canonical code", ours, theirs)
		}
	}
	if unknown := (engines.Codes{}).AddCodes(strings.Fields(documented)...); len(unknown) > 0 {
		t.Errorf("codes %v are not read", unknown)
	}
	// The 14 languages of XNLI, of XEVAL, and some whose codes differ.
	for ours, want := range map[string]string{
		"fra": "fr", "spa": "es", "deu": "de", "ell": "el", "bul": "bg", "rus": "ru", "tur": "tr", "ara": "ar", "vie": "vi", "tha": "th",
		"zho": "zh-CN", "hin": "hi", "swa": "sw", "urd": "ur",
		"cmn_Hant": "zh-TW", "zho_Hans": "zh-CN", "nob": "no", "heb": "he", "jav": "jv", "srp": "sr", "srp_Cyrl": "sr", "fil": "fil",
		"tgl": "tl", "arb": "ar", "pes": "fa", "mni_Mtei": "mni-Mtei", "pan": "pa",
		"srp_Latn": "", "arz": "", "nno": "",
		"yue": "yue", "bre": "br", "abk": "ab", "bak": "ba", "chv": "cv", "pan_Arab": "pa-Arab", "msa_Arab": "ms-Arab", "oci": "oc",
		"tet": "tet",
	} {
		if got, ok := table.Find(ours); got != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", ours, got, want)
		}
	}
}

func TestConfigValidate(t *testing.T) {
	err := Config{Settings: Settings{Model: "a/b", Glossary: "x/y", PerMillion: -1}}.Validate()
	for _, want := range []string{"project", "location", "model", "glossary", "characters", "price"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want %q in it", err, want)
		}
	}
	config := DefaultConfig("project-1")
	config.Codes = map[string]string{"yue": "yue", "xx-nothing": "x", "en": "en", "deu": ""}
	for _, want := range []string{"xx-nothing", `"en" is written "eng"`, "code of deu is empty"} {
		if err := config.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want %q in it", err, want)
		}
	}
	config.Codes = map[string]string{"que": "qu-QU", "eus": "eu2"}
	e, err := describe(config)
	if err != nil || e.Supports(engines.Pair{Source: "eus", Target: "que"}) != nil || e.codes["eus"] != "eu2" {
		t.Errorf("codes %v, error %v", e, err)
	}
	config.Codes, config.Glossary = nil, "terms"
	if err := config.Validate(); err == nil || !strings.Contains(err.Error(), "region") {
		t.Errorf("error %v for a glossary in location global", err)
	}
}

// A file of credentials that cannot be used does not have its key told.
func TestSecretIsNotTold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "credentials.json")
	for _, text := range []string{
		`{"type":"service_account","private_key":"` + strings.ReplaceAll(enginetest.Canary, `"`, `\"`) +
			`","client_email":"x@y","token_uri":"http://127.0.0.1:1/"}`,
		`{"type":"service_account","private_key":` + enginetest.Canary + `}`, enginetest.Canary,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		config := DefaultConfig("project-1")
		config.CredentialsFile = file
		e, err := Open(t.Context(), config)
		if err == nil {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			_, err = e.Translate(ctx, enginetest.Pair, []string{"text"})
			cancel()
			e.Close()
		}
		if err == nil {
			t.Error("no error")
		}
		enginetest.CheckSecret(t, err)
	}
}

// TestLive translates in the project that SENTWEAVE_GOOGLE_PROJECT names, with the
// credentials of the environment. It costs less than a cent.
func TestLive(t *testing.T) {
	project := os.Getenv("SENTWEAVE_GOOGLE_PROJECT")
	if project == "" {
		t.Skip("skipped: SENTWEAVE_GOOGLE_PROJECT names no project")
	}
	e, err := Open(t.Context(), DefaultConfig(project))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	enginetest.CheckLive(t, e, engines.Pair{Source: "eng", Target: "spa"})
}
