package evaluate

import (
	"fmt"
	"strings"
	"testing"
)

// A task is whole, its name its own, and the help tells it with its flags.
func TestTasks(t *testing.T) {
	help := strings.Join(strings.Fields(Config{}.Help()), " ")
	seen := map[string]bool{}
	for _, task := range tasks {
		_, given := Config{Data: "x", Texts: "x", Benchmarks: []string{"x"}}.what(task.from)
		if seen[task.name] || task.name == "" || task.measures == "" || task.read == nil || !given {
			t.Errorf("%+v", task)
		}
		seen[task.name] = true
		if row := fmt.Sprintf(" %s %s (--%s", task.name, task.measures, task.from); !strings.Contains(help, row) {
			t.Errorf("the help has no %q: %s", row, help)
		}
	}
	if row := " stsb_multi_mt_cross the same with first texts in English and second texts in another language (--data, --split, --languages) "; !strings.Contains(help, row) {
		t.Errorf("the help has no %q: %s", row, help)
	}
}
