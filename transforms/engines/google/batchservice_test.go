package google

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"cloud.google.com/go/translate/apiv3/translatepb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/emptypb"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/gcs/gcstest"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

// batches speaks as the part of Cloud Translation that takes batches, over buckets
// that are those of gcstest.
type batches struct {
	translatepb.UnimplementedTranslationServiceServer
	longrunningpb.UnimplementedOperationsServer

	// calls is how many calls of the service a batch takes.
	calls int
	// dice choose troubles.
	dice enginetest.Dice
	// refuse, if set, is the error of a start, and fail that of an operation.
	refuse, fail func(texts []string) error
	// row, if set, is what becomes of a text: its translation, or its error. A text with
	// neither has no row.
	row func(text string) (translation, failure string)
	// files is the number of files of translations, which are in the wrong order; 0 is 1.
	files int
	// late has the service tell of an output that is not empty by an operation that fails.
	late bool
	// misleading has the service tell of an output in use as if it were not empty.
	misleading bool
	// noIndex has operations end without an index.
	noIndex bool
	// undone has operations fail although all was translated.
	undone *status.Status
	// always has the service find files in the way where there are none.
	always bool
	// lose has the answer to the next start lost.
	lose bool
	// polled is told that somebody asks after an operation.
	polled func()

	mutex      sync.Mutex
	operations []*operation
	starts     int // accepted ones
	turned     int // starts that found the output in use, or not empty
	cancels    int
	last       *translatepb.BatchTranslateTextRequest
}

// operation is a batch.
type operation struct {
	*longrunningpb.Operation
	request  *translatepb.BatchTranslateTextRequest
	metadata *translatepb.BatchTranslateMetadata
	left     int // calls until it is done
}

func (o *operation) output() string {
	return o.request.GetOutputConfig().GetGcsDestination().GetOutputUriPrefix()
}

// BatchTranslateText implements the service.
func (s *batches) BatchTranslateText(ctx context.Context, r *translatepb.BatchTranslateTextRequest) (*longrunningpb.Operation, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.tick(ctx)
	output, inputs := r.GetOutputConfig().GetGcsDestination().GetOutputUriPrefix(), r.GetInputConfigs()
	switch {
	case strings.HasSuffix(r.GetParent(), "/global"):
		return nil, status.Error(codes.InvalidArgument, "Location global is not supported.")
	case len(r.GetTargetLanguageCodes()) != 1 || r.GetTargetLanguageCodes()[0] != "de" || r.GetSourceLanguageCode() != "en":
		return nil, status.Error(codes.InvalidArgument, "Target language is invalid.")
	case len(inputs) != 1 || inputs[0].GetMimeType() != "text/plain" || !strings.HasSuffix(inputs[0].GetGcsSource().GetInputUri(), ".tsv"):
		return nil, status.Error(codes.InvalidArgument, "Input config is invalid.")
	case !strings.HasPrefix(output, "gs://") || !strings.HasSuffix(output, "/"):
		return nil, status.Error(codes.InvalidArgument, "Output config is invalid.")
	}
	texts, err := s.input(ctx, r)
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	if s.refuse != nil {
		if err := s.refuse(texts); err != nil {
			return nil, err
		}
	}
	for _, o := range s.operations {
		if !o.Done && o.output() == output {
			s.turned++
			if s.misleading {
				return nil, status.Error(codes.InvalidArgument, "Output uri prefix must be an empty bucket")
			}
			return nil, status.Error(codes.InvalidArgument, "Output dir is in use by another batch translation job. output_uri_prefix: "+
				output)
		}
	}
	characters := 0
	for _, text := range texts {
		characters += engines.Characters(text)
	}
	o := &operation{
		Operation: &longrunningpb.Operation{Name: fmt.Sprintf("%s/operations/%d", r.GetParent(), len(s.operations))},
		request:   r, left: s.calls, metadata: &translatepb.BatchTranslateMetadata{State: translatepb.BatchTranslateMetadata_RUNNING,
			TotalCharacters: int64(characters)},
	}
	if s.always || !s.empty(ctx, output) {
		s.turned++
		if !s.late {
			return nil, status.Error(codes.InvalidArgument, "Output uri prefix must be an empty bucket")
		}
		s.end(o, status.New(codes.InvalidArgument, "Output uri prefix must be an empty bucket"), 0)
	} else {
		switch s.dice.Throw(texts) {
		case enginetest.Throttle:
			return nil, status.Error(codes.ResourceExhausted, "Quota exceeded.")
		case enginetest.Vanish:
			return nil, status.Error(codes.Unavailable, "The service is currently unavailable.")
		case enginetest.Break:
			s.end(o, status.New(codes.Internal, "Internal error."), 0)
		}
	}
	if !o.Done {
		s.starts++
	}
	s.operations, s.last = append(s.operations, o), r
	if err := s.pack(o); err != nil {
		return nil, err
	}
	if s.lose {
		s.lose = false
		return nil, status.Error(codes.Unavailable, "The connection was lost.")
	}
	return copied(o), nil
}

func copied(o *operation) *longrunningpb.Operation {
	return proto.Clone(o.Operation).(*longrunningpb.Operation)
}

func (s *batches) pack(o *operation) (err error) {
	o.Metadata, err = anypb.New(o.metadata)
	return err
}

func (s *batches) empty(ctx context.Context, output string) bool {
	folder, err := storage.Locate(output)
	if err != nil {
		return false
	}
	for range folder.List(ctx, "") {
		return false
	}
	return true
}

// input reads the texts, as strictly as the standard wants it.
func (s *batches) input(ctx context.Context, r *translatepb.BatchTranslateTextRequest) ([]string, error) {
	data, err := storage.ReadLocation(ctx, r.GetInputConfigs()[0].GetGcsSource().GetInputUri(), 1<<30)
	if err != nil {
		return nil, err
	}
	table := csv.NewReader(bytes.NewReader(data))
	table.Comma, table.FieldsPerRecord = '\t', 2
	rows, err := table.ReadAll()
	texts := make([]string, len(rows))
	for i, row := range rows {
		if texts[i] = row[1]; row[0] != fmt.Sprint(i) {
			return nil, fmt.Errorf("row %d has the number %s", i, row[0])
		}
	}
	return texts, err
}

// tick brings the operations a call further.
func (s *batches) tick(ctx context.Context) {
	for _, o := range s.operations {
		if o.left--; o.left <= 0 && !o.Done {
			s.work(ctx, o)
		}
	}
}

func (s *batches) end(o *operation, failed *status.Status, translated int) {
	o.Done, o.metadata.State, o.metadata.TranslatedCharacters = true, translatepb.BatchTranslateMetadata_SUCCEEDED, int64(translated)
	if failed != nil {
		o.metadata.State = translatepb.BatchTranslateMetadata_FAILED
		o.Result = &longrunningpb.Operation_Error{Error: failed.Proto()}
		return
	}
	response, err := anypb.New(&translatepb.BatchTranslateResponse{TotalCharacters: o.metadata.TotalCharacters,
		TranslatedCharacters: int64(translated)})
	if err != nil {
		panic(err)
	}
	o.Result = &longrunningpb.Operation_Response{Response: response}
}

// work translates the texts of a batch and ends it.
func (s *batches) work(ctx context.Context, o *operation) {
	texts, err := s.input(ctx, o.request)
	if err == nil && s.fail != nil {
		err = s.fail(texts)
	}
	if err != nil {
		s.end(o, status.Convert(err), 0)
		_ = s.pack(o)
		return
	}
	row := s.row
	if row == nil {
		row = func(text string) (string, string) { return enginetest.Translation("deu", text), "" }
	}
	glossary := len(o.request.GetGlossaries()) > 0
	line := func(fields ...string) []string {
		if glossary {
			fields = append(fields, fields[2])
			fields[2] = "not by the glossary"
		}
		return fields
	}
	translated := 0
	var good, bad [][]string
	for i, text := range texts {
		translation, failure := row(text)
		if translation != "" {
			good, translated = append(good, line(fmt.Sprint(i), text, translation)), translated+engines.Characters(text)
			s.dice.Answered(text)
		}
		if failure != "" {
			bad = append(bad, line(fmt.Sprint(i), text, failure))
		}
	}
	base := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(o.request.GetInputConfigs()[0].GetGcsSource().GetInputUri(), "gs://"),
		".tsv"), "/", "_") + "_de"
	put := func(name string, comma rune, table [][]string) string {
		if len(table) == 0 {
			return ""
		}
		location := o.output() + name
		var file bytes.Buffer
		w := csv.NewWriter(&file)
		w.Comma = comma
		if err = errors.Join(err, w.WriteAll(table)); err != nil {
			return ""
		}
		folder, err2 := storage.Locate(strings.TrimSuffix(o.output(), "/"))
		if err2 == nil {
			err2 = storage.WriteFile(ctx, folder, name, file.Bytes(), storage.Replace)
		}
		err = errors.Join(err, err2)
		return location
	}
	index := [][]string{{"input_file", "target_language_code", "translations_file", "errors_file", "glossary_translations_file",
		"glossary_errors_file"}}
	input := o.request.GetInputConfigs()[0].GetGcsSource().GetInputUri()
	if s.files > 1 {
		slices.Reverse(good)
		for i, part := range slices.Collect(slices.Chunk(good, max(1, len(good)/s.files))) {
			index = append(index, []string{input, "de", put(fmt.Sprintf("%s_%d_translations.tsv", base, i), '\t', part), "", "", ""})
		}
		good = nil
	}
	index = append(index, []string{input, "de", put(base+"_translations.tsv", '\t', good), put(base+"_errors.tsv", '\t', bad), "", ""})
	if !s.noIndex {
		put("index.csv", ',', index)
	}
	var failed *status.Status
	switch {
	case err != nil:
		failed = status.New(codes.Internal, err.Error())
	case s.undone != nil:
		failed = s.undone
	case translated == 0 && len(bad) > 0:
		failed = status.New(codes.InvalidArgument, "No item was processed.")
	}
	s.end(o, failed, translated)
	_ = s.pack(o)
}

// GetOperation implements the service of operations.
func (s *batches) GetOperation(ctx context.Context, r *longrunningpb.GetOperationRequest) (*longrunningpb.Operation, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.polled != nil {
		s.polled()
	}
	s.tick(ctx)
	for _, o := range s.operations {
		if o.Name == r.GetName() {
			return copied(o), nil
		}
	}
	return nil, status.Errorf(codes.NotFound, "%s is not there.", r.GetName())
}

// ListOperations implements the service of operations.
func (s *batches) ListOperations(ctx context.Context, r *longrunningpb.ListOperationsRequest) (*longrunningpb.ListOperationsResponse,
	error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.tick(ctx)
	list := &longrunningpb.ListOperationsResponse{}
	for _, o := range s.operations {
		if strings.HasPrefix(o.Name, r.GetName()+"/operations/") {
			list.Operations = append(list.Operations, copied(o))
		}
	}
	return list, nil
}

// CancelOperation implements the service of operations.
func (s *batches) CancelOperation(context.Context, *longrunningpb.CancelOperationRequest) (*emptypb.Empty, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.cancels++
	return &emptypb.Empty{}, nil
}

// count returns the starts that were accepted, and those that found the output taken.
func (s *batches) count() (starts, turned int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.starts, s.turned
}

// serve starts the service, and returns what opens engines that send batches through
// a folder to it.
func (s *batches) serve(t *testing.T) (folder string, open func(change func(*Config)) *Engine) {
	t.Helper()
	folder = gcstest.Start(t).Folder()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	translatepb.RegisterTranslationServiceServer(server, s)
	longrunningpb.RegisterOperationsServer(server, s)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	return folder, func(change func(*Config)) *Engine {
		t.Helper()
		config := DefaultConfig("project-1")
		config.Endpoint, config.Location, config.Batch, config.BatchPoll = listener.Addr().String(), "us-central1", folder,
			30*time.Millisecond
		if change != nil {
			change(&config)
		}
		e, err := Open(t.Context(), config, option.WithoutAuthentication(),
			option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.client.Close() })
		return e
	}
}

// objects are the names in a folder, with their contents.
func objects(t *testing.T, location string) map[string]string {
	t.Helper()
	folder, err := storage.Locate(location)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for info, err := range folder.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		data, err := storage.ReadFile(t.Context(), folder, info.Name, 1<<30)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		found[info.Name] = string(data)
	}
	return found
}
