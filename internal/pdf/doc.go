// Package pdf writes files of one page of PDF (ISO 32000-1) with text that can be
// selected, searched and read aloud.
//
// It contains the syntax of the file: objects and streams, operators of the page, fonts
// embedded as the glyphs that the page uses, the structure tree, links and metadata.
// It does not shape text, choose fonts or lay out a page: its callers do. The same
// calls give the same bytes.
package pdf
