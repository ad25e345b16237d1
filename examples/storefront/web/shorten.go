package web

import (
	"bytes"
	"regexp"
)

// The files of the storefront are written to be read, and browsers get them without what only
// readers need. The patterns match whole lines, or a cast of JSDoc within a line, so that texts in
// code are left alone; a text of several lines must not begin a line as a comment does.
var (
	// blockComment matches comments that begin and end a line.
	blockComment = regexp.MustCompile(`(?m)^[ \t]*/\*(?:[^*]|\*+[^*/])*\*+/[ \t]*\n`)
	// lineComment matches comments from the beginning of a line on.
	lineComment = regexp.MustCompile(`(?m)^[ \t]*//.*\n`)
	// cast matches the JSDoc before an expression or a parameter.
	cast = regexp.MustCompile(`/\*\* @type \{[^*\n]*\} \*/ ?`)
	// indent matches the space before a line, and lines of nothing but space.
	indent = regexp.MustCompile(`(?m)^[ \t]+|^\n`)
)

// shortScript returns a module without its comments and its indentation.
func shortScript(source []byte) []byte {
	for _, part := range []*regexp.Regexp{blockComment, lineComment, cast, indent} {
		source = part.ReplaceAll(source, nil)
	}
	return append(bytes.TrimSpace(source), '\n')
}

// shortStyle returns a style sheet without the comments that have lines of their own, and without
// its indentation.
func shortStyle(source []byte) []byte {
	for _, part := range []*regexp.Regexp{blockComment, indent} {
		source = part.ReplaceAll(source, nil)
	}
	return append(bytes.TrimSpace(source), '\n')
}
