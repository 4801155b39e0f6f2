package blocks

import (
	"testing"

	"sentweave/transforms/read/html"
)

func TestUnseen(t *testing.T) {
	for markup, want := range map[string]Unseen{
		"<p>x":                      Seen,
		"<p hidden>x":               Invisible,
		"<p style='display:none'>x": Invisible,
		"<p style='color:red; DISPLAY : none !important;'>x":  Invisible,
		"<p style='visibility: hidden'>x":                     Invisible,
		"<p style='visibility:collapse'>x":                    Invisible,
		"<p style='font-size:0px'>x":                          Invisible,
		"<p style='display:none; display:block'>x":            Seen,
		"<p style='display:block'>x":                          Seen,
		"<p style='font-size:0.9em'>x":                        Seen,
		"<p style=':'>x":                                      Seen,
		"<p style='background:url(display:none)'>x":           Seen,
		"<div style='display:none'><p>x":                      Folded,
		"<section hidden><div><p>x":                           Folded,
		"<div style='display:none'><p hidden>x":               Invisible,
		"<h2 hidden>x":                                        Invisible,
		"<div><span style='visibility:hidden'>x</span></div>": Invisible,
	} {
		page, reason, detail := html.Parse([]byte(markup), html.Origin{}, html.DefaultConfig())
		if reason != "" {
			t.Fatal(reason, detail)
		}
		d := Describe(page)
		if got := d.Unseen(0); got != want {
			t.Errorf("%s: %d, want %d", markup, got, want)
		}
		if place := d.Place(0); (place == "hidden") != (want != Seen) {
			t.Errorf("%s: %s", markup, place)
		}
		d.Free()
	}
}
