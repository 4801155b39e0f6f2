package google

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"unicode/utf8"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"cloud.google.com/go/translate/apiv3/translatepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/transforms/engines"
)

// mark is what markFile holds.
type mark struct {
	Operation string `json:"operation"`
}

// operation returns the name of the operation that works on the batch, or "".
func (b *batch) operation(ctx context.Context) (string, error) {
	data, err := storage.ReadFile(ctx, b.folder, markFile, longestMark)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	var m mark
	if err == nil {
		err = jsonfile.Unmarshal(data, &m)
	}
	if err != nil {
		return "", fmt.Errorf("read %s of batch %s: %w", markFile, b.location, err)
	}
	return m.Operation, nil
}

// start starts an operation. What the service says against the request is not a fault
// of a text: these are in the file, which it has not opened yet.
func (b *batch) start(ctx context.Context) error {
	if !b.written {
		if err := storage.WriteFile(ctx, b.folder, inputFile, b.file, storage.Replace); err != nil {
			return fmt.Errorf("write texts of a batch: %w", err)
		}
		b.written = true
	}
	e := b.engine
	request := &translatepb.BatchTranslateTextRequest{
		Parent: e.parent, SourceLanguageCode: b.source, TargetLanguageCodes: []string{b.target},
		Models: map[string]string{b.target: e.model()},
		InputConfigs: []*translatepb.InputConfig{{
			MimeType: mimeType, Source: &translatepb.InputConfig_GcsSource{
				GcsSource: &translatepb.GcsSource{InputUri: storage.Join(b.location, inputFile)}},
		}},
		OutputConfig: &translatepb.OutputConfig{Destination: &translatepb.OutputConfig_GcsDestination{
			GcsDestination: &translatepb.GcsDestination{OutputUriPrefix: b.location + "/" + outputPart},
		}},
	}
	if e.config.Glossary != "" {
		request.Glossaries = map[string]*translatepb.TranslateTextGlossaryConfig{b.target: e.glossaryConfig()}
	}
	operation, err := e.client.BatchTranslateText(ctx, request)
	switch {
	case err == nil:
	case says(err, inUse): // by the operation whose name was lost, or by somebody else's for the same
		return nil
	case says(err, notEmpty):
		b.occupied = err
		return nil
	default:
		refused := status.Code(err) == codes.InvalidArgument || status.Code(err) == codes.OutOfRange
		if err = faultOf(ctx, "start batch "+b.location, err); refused {
			return &engines.Fault{Kind: engines.Fatal, Unbilled: true,
				Err: fmt.Errorf("%w; has location %s the model, the glossary and the pair?", err, e.config.Location)}
		}
		return err
	}
	b.mine = true
	data, err := json.Marshal(mark{operation.Name()})
	if err != nil {
		return err
	}
	// It was paid for: its name is kept, also when the work is being ended.
	if err := storage.WriteFile(context.WithoutCancel(ctx), b.folder, markFile, data, storage.Replace); err != nil {
		return fmt.Errorf("keep the name of operation %s: %w", operation.Name(), err)
	}
	return nil
}

// The service lets no two operations write to one place, nor any to a place that is
// not empty. It says so as an error of the request, or of the operation.
var (
	inUse    = regexp.MustCompile(`(?i)output.*(in use|being used)`)
	notEmpty = regexp.MustCompile(`(?i)output.*empty`)
)

// says tells whether an error is one about the request, with such a message.
func says(err error, what *regexp.Regexp) bool {
	s, ok := status.FromError(err)
	return ok && (s.Code() == codes.InvalidArgument || s.Code() == codes.FailedPrecondition || s.Code() == codes.AlreadyExists) &&
		what.MatchString(s.Message())
}

// poll asks after the operation. It is finished where no more will come of it, and
// another one is needed.
func (b *batch) poll(ctx context.Context, name string) (answers []engines.Answer, finished bool, err error) {
	operation := b.engine.client.BatchTranslateTextOperation(name)
	_, failed := operation.Poll(ctx)
	if !operation.Done() {
		switch status.Code(failed) {
		case codes.OK: // it works
			return nil, false, nil
		case codes.Unavailable, codes.DeadlineExceeded, codes.Internal, codes.Unknown, codes.Aborted, codes.ResourceExhausted:
			return nil, false, nil // it may work: nothing is known of it
		case codes.NotFound: // it was long ago
			return nil, true, b.folder.Remove(ctx, markFile)
		}
		return nil, false, faultOf(ctx, "look at "+name, failed)
	}
	answers, translated, err := b.answers(ctx)
	if err != nil {
		return nil, false, err
	}
	if failed == nil && answers != nil {
		return answers, false, nil
	}
	if failed == nil {
		b.written = false
		if b.mine {
			return nil, false, errors.Join(engines.Faultf(engines.Failed, "%s is done and has no answers in %s", name, indexFile),
				b.clear(ctx, ""))
		}
		return nil, true, b.clear(ctx, "") // somebody has deleted them
	}
	if says(failed, inUse) || says(failed, notEmpty) {
		if says(failed, notEmpty) {
			b.occupied = failed
		}
		return nil, false, b.folder.Remove(ctx, markFile)
	}
	why := faultOf(ctx, "translate batch "+b.location, failed)
	if answers != nil && (translated > 0 || engines.KindOf(why) == engines.Refused) { // it was paid for, or each row tells its reason
		return answers, false, nil
	}
	if err := b.clear(ctx, ""); err != nil {
		return nil, false, err
	}
	if f := new(engines.Fault); errors.As(why, &f) {
		metadata, err := operation.Metadata()
		f.Unbilled = err == nil && metadata.GetTranslatedCharacters() == 0 &&
			metadata.GetState() == translatepb.BatchTranslateMetadata_FAILED
	}
	return nil, false, why
}

// busy says whether an operation is under way that may be the one whose name was
// lost. Operations do not tell where they write to: those with about as many
// characters count, within twice, since nobody tells what the service counts.
func (b *batch) busy(ctx context.Context) (bool, error) {
	fewest, maximum := int64(0), 2*int64(utf8.RuneCount(b.file))
	for _, text := range b.texts {
		fewest += int64(engines.Characters(text))
	}
	fewest /= 2
	for operation, err := range b.engine.client.ListOperations(ctx, &longrunningpb.ListOperationsRequest{Name: b.engine.parent}).All() {
		if err != nil {
			return false, faultOf(ctx, "list operations in "+b.engine.parent, err)
		}
		var metadata translatepb.BatchTranslateMetadata
		if operation.GetDone() || operation.GetMetadata().UnmarshalTo(&metadata) != nil {
			continue
		}
		if total := metadata.GetTotalCharacters(); total == 0 || fewest <= total && total <= maximum {
			return true, nil
		}
	}
	return false, nil
}
