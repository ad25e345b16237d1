package contracttest

import (
	"slices"
	"strings"
)

// comparedHeaders returns the header lines of the answer of a host, and those of a case, that are
// compared with each other. It leaves out headers that the case does not have. It also leaves out a
// header that the middleware of the host may have changed, if what the case needs is still said:
//
//	Vary, Access-Control-Expose-Headers   has all names of the case, and may have more
//	Cache-Control                         forbids more: it has no-store
//	ETag                                  became weak, as a compressed answer needs
//	Content-Length                        is absent, as in a compressed answer
//	security headers, X-Request-Id        has another value
//
// All other headers of the case are compared as they are, and so is how often each occurs: browsers
// refuse two lines of Access-Control-Allow-Origin, for example.
func comparedHeaders(got, want []string) (gotLines, wantLines []string) {
	for _, name := range headerNames(want) {
		had, expected := linesOf(got, name), linesOf(want, name)
		isCompressed := len(had) == 0 && name == "content-length"
		if isCompressed || len(had) > 0 && mayDiffer(name, values(had), values(expected)) {
			continue
		}
		gotLines, wantLines = append(gotLines, had...), append(wantLines, expected...)
	}
	return gotLines, wantLines
}

// mayDiffer reports whether a host may answer got for a header of which a case has want. name is in
// lower case.
func mayDiffer(name string, got, want []string) bool {
	switch name {
	case "vary", "access-control-expose-headers":
		listed := elements(got)
		return slices.Contains(listed, "*") || !slices.ContainsFunc(elements(want),
			func(element string) bool { return !slices.Contains(listed, element) })
	case "cache-control":
		return slices.Contains(elements(got), "no-store")
	case "etag":
		weak, isWeak := strings.CutPrefix(got[0], "W/")
		return len(got) == 1 && isWeak && Matches(weak, want[0])
	case "x-request-id":
		return true
	}
	return isSecurityHeader(name)
}

// isSecurityHeader reports whether Helmet has a header, in any case.
func isSecurityHeader(name string) bool {
	for known := range Helmet {
		if strings.EqualFold(known, name) {
			return true
		}
	}
	return false
}

// headerNames returns the names of header lines in lower case, each once.
func headerNames(lines []string) []string {
	var names []string
	for _, line := range lines {
		if name := headerName(line); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// linesOf returns the lines of one header.
func linesOf(lines []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(lines),
		func(line string) bool { return headerName(line) != name })
}

// values returns the values of header lines.
func values(lines []string) []string {
	all := make([]string, len(lines))
	for i, line := range lines {
		_, all[i], _ = strings.Cut(line, ": ")
	}
	return all
}

// elements returns the elements of the lists that header values are, in lower case.
func elements(values []string) []string {
	all := strings.Split(strings.ToLower(strings.Join(values, ",")), ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}
