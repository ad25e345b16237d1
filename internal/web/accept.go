package web

import (
	"mime"
	"slices"
	"strconv"
	"strings"
)

// PrefersHTML reports whether Accept headers give HTML more weight than JSON (RFC 9110, 12.5.1),
// as browsers do. It is false if both have the same weight, and without such a header.
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
	// JSON may have the same weight because of a range such as */*, which does not ask for JSON.
	return namesEvents && events > 0 && (events > json || events == json && !namesJSON)
}

// AcceptsGzip reports whether Accept-Encoding headers allow gzip (RFC 9110, 12.5.3). It is false
// without such a header.
func AcceptsGzip(headers []string) bool {
	weight, _ := weightAmong(strings.ToLower(strings.Join(headers, ",")), "*", "gzip")
	return weight > 0
}

// weightOf returns the weight of the media type kind/subtype, and whether the header names exactly
// this type: see weightAmong.
func weightOf(header, kind, subtype string) (weight float64, named bool) {
	return weightAmong(header, "*/*", kind+"/*", kind+"/"+subtype)
}

// weightAmong returns the weight that a header gives to a name. ranges are the ways to say it, in
// lower case, from the widest, such as */*, to the name itself. The weight is that of the most
// exact one in the header, or 0 if the header has none. named reports whether the header has the
// name itself. The header must be in lower case.
func weightAmong(header string, ranges ...string) (weight float64, named bool) {
	best := -1 // the index of the most exact range so far
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

// IsMedia reports whether a Content-Type header is missing or names the wanted type, which is in
// lower case.
func IsMedia(header, wanted string) bool {
	if header == "" {
		return true
	}
	got, _, err := mime.ParseMediaType(header)
	return err == nil && got == wanted
}
