// Package htmltext turns HTML that may have been made to do harm into Markdown or plain text. It
// keeps what the text means: exponents and indices, lines and indentation of code, formulas as TeX,
// addresses, lists, tables and quotes. It leaves out scripts, styles, hidden elements and comments,
// and names what else a text cannot have.
//
// It owns a tokenizer and a small tree of its own. A parser that follows the standard of HTML opens
// formatting elements anew in each paragraph, so that a few kilobytes become millions of nodes.
// This one builds at most two nodes for a tag, and its work grows with the length of the page: each
// node and each byte is taken from a [budget.Budget]. It refuses elements that are nested more than
// [MaxNesting] levels deep, and results that are longer than its caller allows. It does not open
// any address.
package htmltext

import (
	"errors"
	"strings"

	"github.com/openlectern/openlectern/internal/budget"
)

// MaxNesting is how deep elements may be nested.
const MaxNesting = 500

var (
	// ErrNesting is the error of a page whose elements are nested deeper than MaxNesting.
	ErrNesting = errors.New("its elements are nested too deep")
	// ErrTooLong is the error of a page whose text is longer than its caller allows.
	ErrTooLong = errors.New("its text is too long")
)

// Kind says how a page refers to an address.
type Kind int

// The kinds of references.
const (
	Link    Kind = iota
	Picture      // an image
	Player       // a film, a sound, a frame, or another embedded object
)

// Reference is an address that a page links to or shows.
type Reference struct {
	Kind    Kind
	Address string // as it is in the page, without outer space
	// Title is the text of a link, or what a picture or player is called. It may be "".
	Title string
}

// Target says what a text shows in place of a reference.
type Target struct {
	// Address is that of the link, picture or player. If it is "", only a text is shown.
	Address string
	// Text is shown for a picture or player without an address. A link keeps its own text.
	Text string
}

// Options say how a page becomes Markdown.
type Options struct {
	// Resolve returns what is shown for a reference. It is called once for each, in their order.
	// Without it all addresses stay.
	Resolve func(Reference) Target
	// MaxBytes is the length of the longest text, in bytes.
	MaxBytes int
}

// Page is what a page has become.
type Page struct {
	Title string // of the element title, on one line; it may be ""
	Text  string // Markdown
	// Lost are the kinds of elements that were left out although they show something, such as
	// "forms", each once.
	Lost []string
}

// Markdown returns a page of HTML as Markdown: CommonMark with tables and struck text. Formulas are
// TeX between dollar signs. Errors: [ErrNesting], [ErrTooLong], [budget.ErrSpent], and that of the
// context.
func Markdown(b *budget.Budget, source string, o Options) (Page, error) {
	t, err := parse(b, source)
	if err != nil {
		return Page{}, err
	}
	defer b.Free(t.elements)
	w := &writer{budget: b, gap: -1, resolve: o.Resolve, most: o.MaxBytes}
	w.document(t.root)
	if w.err != nil {
		return Page{}, w.err
	}
	return Page{Title: oneLine(t.title), Text: string(w.out), Lost: append(t.lost, w.lost...)}, nil
}

// Plain returns a fragment of HTML as plain text, with a line for each paragraph, item, row and
// line of code. Formulas are TeX between \( and \). hasMedia is whether the fragment shows pictures
// or other media, which a plain text cannot have. Errors: [ErrNesting], [ErrTooLong],
// [budget.ErrSpent], and that of the context.
func Plain(b *budget.Budget, source string) (text string, hasMedia bool, err error) {
	t, err := parse(b, source)
	if err != nil {
		return "", false, err
	}
	defer b.Free(t.elements)
	// Prefixes of lines and empty cells can make a text longer than its source.
	w := &writer{budget: b, gap: -1, isPlain: true, most: 4*len(source) + 4_000}
	w.document(t.root)
	if w.err != nil {
		return "", false, w.err
	}
	return string(w.out), len(t.lost)+len(w.lost) > 0, nil
}

// MarkdownLink returns a link as Markdown.
func MarkdownLink(title, address string) string {
	w := &writer{gap: -1, most: 3*(len(title)+len(address)) + 100}
	w.link = w.newLink(address)
	w.addText(title, false)
	if len(w.segments) == 0 {
		w.link = 0
		w.addVerbatim(bareAddress(address))
	}
	w.paragraph()
	return strings.TrimRight(string(w.out), "\n")
}

// Escape returns lines of plain text as Markdown that shows the same.
func Escape(s string) string {
	w := &writer{gap: -1, most: 3*len(s) + 100}
	for paragraph := range strings.SplitSeq(s, "\n\n") {
		w.addText(paragraph, true)
		w.paragraph()
	}
	return strings.TrimRight(string(w.out), "\n")
}

// oneLine returns a text on one line, with single spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
