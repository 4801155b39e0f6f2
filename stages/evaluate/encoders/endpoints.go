package encoders

import (
	"context"
	"errors"
	"fmt"

	"sentweave/schemas/fault"
	"sentweave/stages/encoder"
	"sentweave/stages/encoder/endpoint"
	"sentweave/stages/encoder/vectorcache"
)

// Endpoints says how models behind services are asked. The command line reads the tags.
type Endpoints struct {
	KeyVariable map[string]string  `help:"Environment variable with the key of the service that has the model of that name." placeholder:"NAME=VARIABLE" mapsep:"," group:"Endpoints"`
	KeyFile     map[string]string  `help:"File with the key of the service that has the model of that name." placeholder:"NAME=FILE" mapsep:"," group:"Endpoints"`
	Dimensions  map[string]int     `help:"Size of the vectors to ask the service of the model of that name for; its own if not given." placeholder:"NAME=N" mapsep:"," group:"Endpoints"`
	Price       map[string]float64 `help:"Dollars for a million tokens of the model of that name." placeholder:"NAME=DOLLARS" mapsep:"," group:"Endpoints"`
	endpoint.Limits

	budget  *endpoint.Budget // of a run
	observe func(done, all int)
}

// Paying returns the models with the budget of a run. Observe, if set, is called as that of vectorcache.Encoder is.
func (m Models) Paying(observe func(done, all int)) Models {
	m.observe, m.budget = observe, endpoint.NewBudget(m.Budget)
	return m
}

// Spent says what the endpoints of a run have counted, "" for nothing.
func (m Models) Spent() string { return m.budget.String() }

// endpointFaults adds what is wrong with the settings of endpoints.
func (m Models) endpointFaults(errs *fault.List) {
	named := map[string]bool{}
	for _, s := range m.Specs() {
		if !encoder.IsEndpoint(s.Location) {
			continue
		}
		named[s.Name] = true
		if err := m.endpoint(s).Validate(); err != nil {
			errs.Addf("model %s: %w", s.Name, err)
		}
		errs.Check(m.Budget == 0 || m.Price[s.Name] > 0, "budget is in dollars: say what a million tokens cost by --price %s=DOLLARS", s.Name)
	}
	for flag, names := range map[string][]string{"key-variable": sortedKeys(m.KeyVariable), "key-file": sortedKeys(m.KeyFile),
		"dimensions": sortedKeys(m.Dimensions), "price": sortedKeys(m.Price)} {
		for _, name := range names {
			errs.Check(named[name], "%s: no endpoint has the name %q: give --model %s=https://host/v1#MODEL", flag, name, name)
		}
	}
	errs.Check(m.Budget >= 0, "budget is %v, it must be a number of dollars from 0 on", m.Budget)
	errs.Check(m.Budget == 0 || len(named) > 0, "budget has no effect without an endpoint")
}

// endpoint returns the settings of a model behind a service.
func (m Models) endpoint(s Spec) endpoint.Config {
	return endpoint.Config{Location: s.Location, Dimensions: m.Dimensions[s.Name], KeyVariable: m.KeyVariable[s.Name],
		KeyFile: m.KeyFile[s.Name], Price: m.Price[s.Name], Budget: m.budget, Call: m.Limits.Call()}
}

// openEndpoint opens a model behind a service, whose vectors are kept.
func (m Models) openEndpoint(s Spec) (*vectorcache.Encoder, error) {
	c := m.endpoint(s)
	e, err := vectorcache.OpenPaid(s.Name, c.Identity(), func() (vectorcache.Streaming, error) { return endpoint.Open(c) })
	if err == nil {
		e.Observe = m.observe
	}
	return e, err
}

// EndpointCost says what texts cost at most, in dollars, and whether the model of a name is behind a service at all.
func (m Models) EndpointCost(s Spec, texts []encoder.Text) (dollars float64, ok bool) {
	return m.endpoint(s).Cost(texts), encoder.IsEndpoint(s.Location)
}

// readyEndpoint returns an error if a service does not answer.
func (m Models) readyEndpoint(ctx context.Context, s Spec) error {
	m.observe = nil
	e, err := m.openEndpoint(s)
	if err == nil {
		err = errors.Join(e.Try(ctx), e.Close())
	}
	if err != nil {
		return fmt.Errorf("model %s: %w", s.Name, err)
	}
	return nil
}
