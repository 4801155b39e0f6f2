package text_test

import (
	"fmt"
	"strings"

	"sentweave/transforms/clean/text"
)

func ExampleNewReader() {
	file := "{\"text\":\"one\",\"id\":1}\nno JSON\n{\"text\":\"two\"}\n"
	for _, r := range [][2]int64{{0, 10}, {10, 40}} { // any ranges give the same records
		reader, err := text.NewReader(strings.NewReader(file), int64(len(file)), r[0], r[1], text.DefaultConfig(text.JSONLines))
		if err != nil {
			fmt.Println(err)
			return
		}
		for {
			record, err := reader.Next()
			if err != nil { // io.EOF
				break
			}
			fmt.Printf("%2d %q %q %q\n", record.Offset, record.Text, record.ID, record.Reason)
		}
	}
	// Output:
	//  0 "one" "1" ""
	// 22 "" "" "json_syntax"
	// 30 "two" "" ""
}
