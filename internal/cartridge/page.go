package cartridge

import (
	"bytes"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/safezip"
)

// maxPage is the size of the largest page that is converted, in bytes.
const maxPage = 2 << 20

// page returns the lecture of an HTML page: its text as Markdown, and the files of the cartridge
// that it links to or shows as attachments.
func (c *cartridge) page(
	l coursepackage.Lecture, file *safezip.File,
) (coursepackage.Lecture, bool, error) {
	skip := func(why string) (coursepackage.Lecture, bool, error) {
		c.skip("page "+named(l.Title), why)
		return l, false, nil
	}
	if file.Size > maxPage {
		return skip("it is larger than 2 MiB")
	}
	data, err := c.read(file, maxPage)
	if err != nil {
		return l, false, err
	}
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return skip("it is not UTF-8")
	}
	root, err := html.Parse(bytes.NewReader(data)) // which bounds how deep elements are nested
	if err != nil {
		return skip("it is no HTML that can be read")
	}

	// Remove what a text cannot have, and take the files.
	folder, missing := path.Dir(file.Name), 0
	c.clean(root, func(href, title string) {
		f := c.resolve(folder, href)
		if f == nil || isPage(f.Name) {
			return
		}
		c.isUsed[f.Name] = true
		for _, a := range l.Attachments {
			if a.File == f.Name {
				return
			}
		}
		if len(l.Attachments) == c.MaxAttachments {
			missing++
			return
		}
		if title = text(title, maxTitle); title == "" {
			title = text(path.Base(f.Name), maxTitle)
		}
		l.Attachments = append(l.Attachments, coursepackage.Attachment{Title: title, File: f.Name})
	})
	markdown, err := newConverter().ConvertNode(root)
	if err != nil {
		return skip("it is no HTML that can be read")
	}
	if utf8.RuneCount(markdown) > c.MaxText {
		return skip("its text is too long for a lecture")
	}
	if missing > 0 {
		c.skip(counted(missing, "file")+" of the page "+named(l.Title),
			"a lecture has a limited number of attachments")
	}
	l.Kind, l.Text = "text", strings.TrimSpace(string(markdown))
	return l, true, nil
}

// newConverter returns a converter of HTML to CommonMark with tables, which removes scripts, styles
// and unknown elements.
func newConverter() *converter.Converter {
	return converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
}

// isPage reports whether a file is an HTML page by its name.
func isPage(name string) bool {
	extension := strings.ToLower(path.Ext(name))
	return extension == ".html" || extension == ".htm" || extension == ".xhtml"
}

// clean makes links to other schemes than http, https and mailto plain text. A link or an image
// with a relative URL becomes plain text too, and is passed to attach. A page in a frame becomes a
// link.
func (c *cartridge) clean(n *html.Node, attach func(href, title string)) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		switch child.DataAtom {
		case atom.A:
			href := attribute(child, "href")
			if !isWeb(href) {
				attach(href, content(child))
				child.Data, child.DataAtom, child.Attr = "span", atom.Span, nil
			}
		case atom.Img, atom.Video, atom.Audio, atom.Source, atom.Iframe, atom.Embed:
			href, title := attribute(child, "src"), attribute(child, "alt")
			if title == "" {
				title = attribute(child, "title")
			}
			isImage := child.DataAtom == atom.Img
			switch {
			case !isWeb(href):
				attach(href, title)
				replace(child, title)
			case !isImage: // the address, which the reader can open
				replace(child, href)
			}
		}
		c.clean(child, attach)
		child = next
	}
}

// isWeb reports whether a URL leads to another site, or is an address of mail.
func isWeb(href string) bool {
	u, err := url.Parse(strings.TrimSpace(href))
	return err == nil && (u.Scheme == "mailto" ||
		u.Host != "" && (u.Scheme == "https" || u.Scheme == "http"))
}

// attribute returns an attribute of an element, or "".
func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// replace makes an element one that has only a text. Elements within it stay.
func replace(n *html.Node, s string) {
	n.Data, n.DataAtom, n.Attr = "span", atom.Span, nil
	if s != "" {
		n.InsertBefore(&html.Node{Type: html.TextNode, Data: s}, n.FirstChild)
	}
}

// content returns the text in an element.
func content(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		b.WriteString(content(child))
	}
	return b.String()
}

// markdownLink returns a link as Markdown.
func markdownLink(title, address string) string {
	node := &html.Node{Type: html.ElementNode, Data: "a", DataAtom: atom.A,
		Attr: []html.Attribute{{Key: "href", Val: address}}}
	node.AppendChild(&html.Node{Type: html.TextNode, Data: title})
	markdown, err := newConverter().ConvertNode(node)
	if err != nil { // the text is as good
		return address
	}
	return strings.TrimSpace(string(markdown))
}
