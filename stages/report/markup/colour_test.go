package markup

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// themes reads the colours of the page's style: light, and dark over light.
func themes(t *testing.T) [2]map[string][3]float64 {
	t.Helper()
	style, err := files.ReadFile("page.css")
	if err != nil {
		t.Fatal(err)
	}
	light, rest, ok := strings.Cut(string(style), "@media (prefers-color-scheme: dark)")
	if !ok {
		t.Fatal("the style has no dark theme")
	}
	dark, _, _ := strings.Cut(rest, "\n}")
	var out [2]map[string][3]float64
	for i, text := range []string{light, dark} {
		out[i] = map[string][3]float64{}
		for _, m := range regexp.MustCompile(`--(\w+): #([0-9a-f]{6});`).FindAllStringSubmatch(text, -1) {
			var c [3]float64
			for k := range c {
				v, _ := strconv.ParseUint(m[2][2*k:2*k+2], 16, 8)
				c[k] = linear(float64(v) / 255)
			}
			out[i][m[1]] = c
		}
	}
	return out
}

// linear undoes the curve of sRGB (IEC 61966-2-1).
func linear(v float64) float64 {
	if v <= .04045 {
		return v / 12.92
	}
	return math.Pow((v+.055)/1.055, 2.4)
}

// contrast is that of WCAG 2.1.
func contrast(a, b [3]float64) float64 {
	light := func(c [3]float64) float64 { return .2126*c[0] + .7152*c[1] + .0722*c[2] + .05 }
	return max(light(a), light(b)) / min(light(a), light(b))
}

func TestContrast(t *testing.T) {
	// Black on white has 21; #777777 on white 4.48, the known near miss.
	grey := linear(0x77 / 255.)
	if c := contrast([3]float64{grey, grey, grey}, [3]float64{1, 1, 1}); math.Abs(c-4.48) > .005 {
		t.Fatalf("contrast of #777777 on white %.3f", c)
	}
	for i, theme := range themes(t) {
		need := map[string]float64{"text": 4.5, "soft": 4.5, "link": 4.5, "fill": 3, "muted": 3}
		for k := range Looks {
			need[fmt.Sprint("c", k)] = 3
		}
		for name, least := range need {
			colour, ok := theme[name]
			for _, on := range []string{"back", "raised"} {
				if strings.Contains("c0 c1 c2 c3 c4 c5 fill muted", name) && on == "raised" {
					continue // drawings lie on the page itself
				}
				if c := contrast(colour, theme[on]); !ok || c < least {
					t.Errorf("theme %d: %s on %s has contrast %.2f, want %v", i, name, on, c, least)
				}
			}
		}
	}
}

// Colours are told apart by readers who lack one kind of cones: simulated by the
// matrices for severity 1 of Machado, Oliveira and Fernandes (IEEE TVCG 15, 2009,
// table 1), compared by the distance of CIE 1976. 10 is seen at a glance; dashes and
// shapes help beside them.
func TestColourBlind(t *testing.T) {
	kinds := map[string][3][3]float64{
		"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"protan": {{.152286, 1.052583, -.204868}, {.114503, .786281, .099216}, {-.003882, -.048116, 1.051998}},
		"deutan": {{.367322, .860646, -.227968}, {.280085, .672501, .047413}, {-.011820, .042940, .968881}},
		"tritan": {{1.255528, -.076749, -.178779}, {-.078411, .930809, .147602}, {.004733, .691367, .303900}},
	}
	for i, theme := range themes(t) {
		for kind, m := range kinds {
			for a := range Looks {
				for b := range a {
					p, q := lab(m, theme[fmt.Sprint("c", a)]), lab(m, theme[fmt.Sprint("c", b)])
					if d := math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2])); d < 25 {
						t.Errorf("theme %d, %s: colours %d and %d are only %.1f apart", i, kind, b, a, d)
					}
				}
			}
		}
	}
}

// lab gives CIE L*a*b* of a linear sRGB colour as somebody sees it, white D65.
func lab(m [3][3]float64, c [3]float64) [3]float64 {
	var seen [3]float64
	for i := range seen {
		seen[i] = max(0, min(1, m[i][0]*c[0]+m[i][1]*c[1]+m[i][2]*c[2]))
	}
	f := func(v float64) float64 {
		if v > 216./24389 {
			return math.Cbrt(v)
		}
		return (24389./27*v + 16) / 116
	}
	x := f((.4124564*seen[0] + .3575761*seen[1] + .1804375*seen[2]) / .95047)
	y := f(.2126729*seen[0] + .7151522*seen[1] + .0721750*seen[2])
	z := f((.0193339*seen[0] + .1191920*seen[1] + .9503041*seen[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}
