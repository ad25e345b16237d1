package qti

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// material is a text, or a medium that is shown.
type material struct {
	Texts []struct {
		Type string `xml:"texttype,attr"`
		Body string `xml:",chardata"`
	} `xml:"mattext"`
	Images []struct{} `xml:"matimage"`
	Audio  []struct{} `xml:"mataudio"`
	Videos []struct{} `xml:"matvideo"`
}

// textOf returns the plain text of materials. hasMedia is whether they show more than that.
func textOf(list []material) (text string, hasMedia bool) {
	var parts []string
	for _, m := range list {
		hasMedia = hasMedia || len(m.Images)+len(m.Audio)+len(m.Videos) > 0
		for _, t := range m.Texts {
			body := strings.TrimSpace(t.Body)
			if strings.Contains(strings.ToLower(t.Type), "html") {
				var media bool
				body, media = plain(body)
				hasMedia = hasMedia || media
			}
			if body != "" {
				parts = append(parts, body)
			}
		}
	}
	return strings.Join(parts, "\n"), hasMedia
}

// plain returns the text of HTML, with a line for each paragraph. hasMedia is whether the HTML
// shows pictures or other media.
func plain(source string) (text string, hasMedia bool) {
	root, err := html.Parse(strings.NewReader(source)) // which bounds how deep elements are nested
	if err != nil {
		return "", true
	}
	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch n.DataAtom {
		case atom.Script, atom.Style:
			return
		case atom.Img, atom.Video, atom.Audio, atom.Iframe, atom.Object, atom.Embed, atom.Svg,
			atom.Math:
			hasMedia = true
		case atom.P, atom.Div, atom.Br, atom.Li, atom.Tr, atom.Pre, atom.H1, atom.H2, atom.H3,
			atom.H4, atom.H5, atom.H6:
			b.WriteByte('\n')
		case atom.Td, atom.Th:
			b.WriteByte(' ')
		}
		if n.Type == html.TextNode {
			// A line break in the source is a space.
			b.WriteString(strings.NewReplacer("\n", " ", "\r", " ").Replace(n.Data))
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			walk(child)
		}
	}
	walk(root)
	var lines []string
	for l := range strings.Lines(b.String()) {
		if l = line(l); l != "" {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "\n"), hasMedia
}

// line returns a text on one line, with single spaces.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// shortened returns the beginning of a text on one line, for a message.
func shortened(s string) string {
	const longest = 60
	if s = line(s); utf8.RuneCountInString(s) > longest {
		s = string([]rune(s)[:longest]) + "…"
	}
	return s
}
