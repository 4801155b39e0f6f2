package serve

import (
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what Prometheus reads. No label comes from a request but names of models that are there.
type metrics struct {
	answers              http.Handler
	requests, texts      *prometheus.CounterVec
	tokens, cut          *prometheus.CounterVec
	seconds              *prometheus.HistogramVec
	batchTexts, batchIDs prometheus.Histogram
	queued               prometheus.Gauge
}

func newMetrics() *metrics {
	name := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: "sentweave", Name: name, Help: help}
	}
	histogram := func(name, help string, buckets []float64) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Namespace: "sentweave", Name: name, Help: help, Buckets: buckets}
	}
	m := &metrics{
		requests: prometheus.NewCounterVec(name("requests_total", "Requests that were answered."), []string{"path", "code"}),
		texts:    prometheus.NewCounterVec(name("texts_total", "Texts whose vectors were given."), []string{"model"}),
		tokens:   prometheus.NewCounterVec(name("tokens_total", "Tokens of these texts."), []string{"model"}),
		cut: prometheus.NewCounterVec(name("truncated_texts_total", "Texts of these whose ends were cut off, since the model takes fewer tokens."),
			[]string{"model"}),
		seconds: prometheus.NewHistogramVec(histogram("request_seconds", "Time from the head of a request to the end of its answer.",
			prometheus.ExponentialBuckets(.002, 2, 16)), []string{"path"}),
		batchTexts: prometheus.NewHistogram(histogram("batch_texts", "Texts that were encoded together.",
			prometheus.ExponentialBuckets(1, 2, 14))),
		batchIDs: prometheus.NewHistogram(histogram("batch_tokens", "Tokens that were encoded together.",
			prometheus.ExponentialBuckets(8, 2, 14))),
		queued: prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "sentweave", Name: "queue_texts",
			Help: "Texts of requests that are under way."}),
	}
	r := prometheus.NewRegistry()
	r.MustRegister(m.requests, m.texts, m.tokens, m.cut, m.seconds, m.batchTexts, m.batchIDs, m.queued, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.answers = promhttp.HandlerFor(r, promhttp.HandlerOpts{})
	return m
}

func (m *metrics) answer(w http.ResponseWriter, q *http.Request) error {
	m.answers.ServeHTTP(w, q)
	return nil
}

func (m *metrics) request(path string, status int, took time.Duration) {
	m.requests.WithLabelValues(path, fmt.Sprint(status)).Inc()
	m.seconds.WithLabelValues(path).Observe(took.Seconds())
}

func (m *metrics) batch(texts, tokens int) {
	m.batchTexts.Observe(float64(texts))
	m.batchIDs.Observe(float64(tokens))
}

// counted remembers the status of an answer.
type counted struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (c *counted) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (c *counted) Write(b []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	return c.ResponseWriter.Write(b)
}
