package corpus

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// isoDate is a date that begins with its year, as ISO 8601, RFC 3339, YAML, Jekyll and Hugo write dates: a day, perhaps a time, and
// perhaps the zone of the time. Ruby and Go write the zone's name behind its distance from UTC.
var isoDate = regexp.MustCompile(`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})` +
	`(?:(?:[Tt]|[ \t]+)(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9})\d*)?)?[ \t]*(?:[Zz]|UTC|GMT|([+-]\d\d)(?::?(\d\d))?)?(?:[ \t]+[A-Z]{1,5})?)?$`)

// otherDates are forms of dates that no year begins, or that are shorter than a day. A day before the number of its month is
// not among them: nobody knows which of two small numbers is the day.
var otherDates = []string{
	"20060102", "2006-01", "2006", "20060102T150405Z0700", "Mon, _2 Jan 2006 15:04:05 GMT", "Mon, _2 Jan 2006 15:04:05 -0700",
	"_2 Jan 2006", "_2 January 2006", "Jan _2, 2006", "January _2, 2006",
}

// parseDate returns the milliseconds since 1970 of a date, or 0 for a date in a form that is unknown. Digits that are not a day are
// seconds or milliseconds since 1970. A time without a zone is in UTC, so that the machine's zone changes nothing.
func parseDate(date string) int64 {
	date = strings.TrimSpace(date)
	if m := isoDate.FindStringSubmatch(date); m != nil {
		return parseISODate(m[1:])
	}
	for _, layout := range otherDates {
		if t, err := time.Parse(layout, date); err == nil {
			return t.UnixMilli()
		}
	}
	switch n, err := strconv.ParseInt(date, 10, 64); {
	case err != nil:
	case len(date) == 9 || len(date) == 10:
		return n * 1000
	case len(date) == 12 || len(date) == 13:
		return n
	}
	return 0
}

// parseISODate returns the milliseconds of a date whose parts isoDate has found.
func parseISODate(parts []string) int64 {
	twoDigits := func(part string) string {
		if len(part) == 1 {
			return "0" + part
		}
		return cmp.Or(part, "00")
	}
	zone := "Z"
	if parts[7] != "" {
		zone = parts[7] + ":" + twoDigits(parts[8])
	}
	t, err := time.Parse(time.RFC3339, parts[0]+"-"+twoDigits(parts[1])+"-"+twoDigits(parts[2])+"T"+
		twoDigits(parts[3])+":"+twoDigits(parts[4])+":"+twoDigits(parts[5])+"."+cmp.Or(parts[6], "0")+zone)
	if err != nil { // a day or a time that there is not
		return 0
	}
	return t.UnixMilli()
}
