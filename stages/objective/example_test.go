package objective_test

import (
	"fmt"

	"sentweave/stages/objective"
)

// An objective is a value that says which examples it takes, and how it is configured and checked.
func ExampleFind() {
	o, _ := objective.Find(objective.BitextName)
	fmt.Println(o.Name, o.Kinds, "at least", o.Smallest(), "examples a batch")
	c := o.Config().(*objective.Bitext)
	fmt.Println("margin", c.Margin, "scale", c.Scale)
	c.Scale = -1
	fmt.Println(c.Check())
	// Output:
	// bitext [bitext view] at least 2 examples a batch
	// margin 0.3 scale 20
	// bitext: scale is -1, it must be above 0 and at most 1000
}
