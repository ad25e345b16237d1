package cartridge

import (
	"errors"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/htmltext"
	"github.com/openlectern/openlectern/internal/safezip"
)

// maxPage is the size of the largest page that is converted, in bytes.
const maxPage = 2 << 20

// convertedPage is a page that was converted. Several items may show it.
type convertedPage struct {
	text  string
	files []coursepackage.Attachment // that it links to or shows, each once
	lost  []string                   // what it shows and the text does not have
	why   string                     // why it is skipped, or ""
}

// page returns the lecture of an HTML page: its text as Markdown, and the files of the cartridge
// that it links to or shows as attachments. A lecture without a title has that of the page. If it
// is skipped, why says why.
func (c *cartridge) page(
	l coursepackage.Lecture, file *safezip.File,
) (_ coursepackage.Lecture, why string, err error) {
	p, isKnown := c.pages[file.Name]
	if !isKnown {
		if file.Size > maxPage {
			p.why = "it is larger than 2 MiB"
		} else {
			data, err := c.read(file, maxPage)
			if err != nil {
				return l, "", err
			}
			c.heads[file.Name] = headOf(data)
			if p, err = c.convert(file.Name, data); err != nil {
				return l, "", err
			}
		}
		if c.pages == nil {
			c.pages = map[string]convertedPage{}
		}
		c.pages[file.Name] = p
	}
	l.Title = orTitle(orTitle(l.Title, c.heads[file.Name].title), path.Base(file.Name))
	return c.showPage(l, p), p.why, nil
}

// pageText is page for the content of a page. Its links begin at the folder of a name.
func (c *cartridge) pageText(
	l coursepackage.Lecture, name string, data []byte,
) (_ coursepackage.Lecture, why string, err error) {
	p, err := c.convert(name, data)
	return c.showPage(l, p), p.why, err
}

// showPage returns a lecture with the text and the files of a page, and names what is lost of it.
func (c *cartridge) showPage(l coursepackage.Lecture, p convertedPage) coursepackage.Lecture {
	if p.why != "" {
		return l
	}
	for i, f := range p.files {
		if !c.attach(&l, c.archive.File(f.File), f.Title) {
			c.skip(counted(len(p.files)-i, "file")+" of the page "+named(l.Title),
				"a lecture has a limited number of attachments")
			break
		}
	}
	if len(p.lost) > 0 && p.text != "" {
		c.skip("a part of the page "+named(l.Title),
			strings.Join(p.lost, ", ")+" have no place in a text")
	}
	l.Kind, l.Text = "text", p.text
	return l
}

// convert converts a page. Its links begin at the folder of a name.
func (c *cartridge) convert(name string, data []byte) (p convertedPage, err error) {
	source, err := htmltext.Decode(data)
	if err != nil {
		return convertedPage{why: err.Error()}, nil
	}
	refs := references{cartridge: c, folder: path.Dir(name), isListed: map[string]bool{}}
	page, err := htmltext.Markdown(c.budget, source, htmltext.Options{
		Resolve: refs.resolve, MaxBytes: utf8.UTFMax * c.MaxText})
	switch {
	case errors.Is(err, htmltext.ErrNesting):
		p.why = "its elements are nested too deep"
	case errors.Is(err, budget.ErrSpent):
		p.why = "it costs too much to read"
	case errors.Is(err, htmltext.ErrTooLong),
		err == nil && utf8.RuneCountInString(page.Text) > c.MaxText:
		p.why = "its text is too long for a lecture"
	case err != nil:
		return p, err
	}
	if p.why != "" {
		return p, nil
	}
	p = convertedPage{text: page.Text, files: refs.files, lost: append(page.Lost, refs.lost...)}
	if p.text == "" && len(p.files) > 0 { // a page of pictures
		var titles []string
		for _, f := range p.files[:min(len(p.files), c.MaxAttachments)] {
			titles = append(titles, f.Title)
		}
		p.text = htmltext.Escape(strings.Join(titles, "\n\n"))
	}
	return p, nil
}

// references are the addresses of a page.
type references struct {
	*cartridge
	folder   string
	files    []coursepackage.Attachment
	isListed map[string]bool // the files, by their paths
	lost     []string
}

// resolve returns what a text shows for an address: one of the web stays, and a file of the
// cartridge becomes an attachment.
func (r *references) resolve(ref htmltext.Reference) htmltext.Target {
	address, isWeb := webAddress(ref.Address)
	if isWeb {
		return htmltext.Target{Address: address}
	}
	f := r.cartridge.resolve(r.folder, ref.Address)
	switch {
	case ref.Kind == htmltext.Link && (f == nil || isPage(f.Name)):
		return htmltext.Target{} // the text of the link stays
	case f == nil || isPage(f.Name):
		r.lose("pictures, films and frames that are not in the cartridge")
		return htmltext.Target{Text: ref.Title}
	}
	r.isUsed[f.Name] = true
	title := text(ref.Title, maxTitle)
	if ref.Kind == htmltext.Player && title == "" {
		ref.Title = path.Base(f.Name)
	}
	if title == "" {
		title = text(path.Base(f.Name), maxTitle)
	}
	if !r.isListed[f.Name] {
		r.isListed[f.Name] = true
		r.files = append(r.files, coursepackage.Attachment{Title: title, File: f.Name})
	}
	return htmltext.Target{Text: ref.Title}
}

// lose notes what is not shown, once.
func (r *references) lose(what string) {
	for _, l := range r.lost {
		if l == what {
			return
		}
	}
	r.lost = append(r.lost, what)
}

// webAddress returns an address that leads to another site, or is one of mail.
func webAddress(address string) (_ string, isWeb bool) {
	if strings.HasPrefix(address, "//") { // with the scheme of the page
		address = "https:" + address
	}
	return address, htmltext.IsWeb(address)
}

// markdownLink returns a link as Markdown.
func markdownLink(title, address string) string { return htmltext.MarkdownLink(title, address) }
