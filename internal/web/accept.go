package web

import (
	"mime"
	"slices"
	"strconv"
	"strings"
)

// PrefersHTML reports whether Accept headers put HTML before JSON (RFC 9110, 12.5.1),
// as browsers do. It is false if both have the same weight.
func PrefersHTML(headers []string) bool {
	header := strings.ToLower(strings.Join(headers, ","))
	html, _ := weightOf(header, "text", "html")
	json, _ := weightOf(header, "application", "json")
	return html > json
}

// PrefersEvents reports whether Accept headers ask for server-sent events: by their name,
// which no browser sends by itself, with at least the weight of JSON. It is false if the
// headers name both with the same weight.
func PrefersEvents(headers []string) bool {
	header := strings.ToLower(strings.Join(headers, ","))
	events, namesEvents := weightOf(header, "text", "event-stream")
	json, namesJSON := weightOf(header, "application", "json")
	// JSON may have the same weight by a range such as */*, which does not ask for it.
	return namesEvents && events > 0 && (events > json || events == json && !namesJSON)
}

// AcceptsGzip reports whether Accept-Encoding headers allow gzip (RFC 9110, 12.5.3).
func AcceptsGzip(headers []string) bool {
	weight, _ := weightAmong(strings.ToLower(strings.Join(headers, ",")), "*", "gzip")
	return weight > 0
}

// weightOf returns the weight of a media type, as weightAmong does.
func weightOf(header, kind, subtype string) (weight float64, named bool) {
	return weightAmong(header, "*/*", kind+"/*", kind+"/"+subtype)
}

// weightAmong returns the weight that a header gives to the last of ranges that it names.
// ranges go from the widest to the exact name; named reports whether the header has that one.
// The weight is 0 if the header names none of them.
func weightAmong(header string, ranges ...string) (weight float64, named bool) {
	best := -1
	for part := range strings.SplitSeq(header, ",") {
		name, parameters, _ := strings.Cut(part, ";")
		if index := slices.Index(ranges, strings.TrimSpace(name)); index > best {
			best, weight = index, quality(parameters)
		}
	}
	return weight, best == len(ranges)-1
}

// quality returns the q parameter of a media range: 1 if it is missing, 0 if it is not a
// number.
func quality(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		if name, value, _ := strings.Cut(parameter, "="); strings.TrimSpace(name) == "q" {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				return 0
			}
			return q
		}
	}
	return 1
}

// IsMedia reports whether a Content-Type header is missing or names the wanted type.
func IsMedia(header, wanted string) bool {
	if header == "" {
		return true
	}
	got, _, err := mime.ParseMediaType(header)
	return err == nil && got == wanted
}
