package cartridge

import (
	"cmp"
	"net/url"
	"path"
	"strings"

	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/safezip"
)

// lecture returns the lecture of an item that shows no quiz. isRead is false if it is skipped.
func (c *cartridge) lecture(it item) (l coursepackage.Lecture, isRead bool, err error) {
	l.Title = it.title
	res, found := c.resources[it.ref]
	if !found {
		c.skip("item "+named(l.Title), "the cartridge has no resource "+named(it.ref))
		return l, false, nil
	}
	c.isShown[res.id] = true
	kind := c.kindOf(res)
	what := string(kind) + " " + named(l.Title)
	l, why, err := c.lectureOf(l, res, kind)
	if err != nil {
		if why, err = failure(err); err != nil {
			return l, false, err
		}
	}
	if l.Title != "" {
		what = string(kind) + " " + named(l.Title)
	}
	if why == "" && l.Text != "" {
		if c.texts += len(l.Text); c.texts > c.MaxTexts {
			why = "the texts of the course are too long together: split the course"
		}
	}
	if why != "" {
		c.skip(what, why)
		return l, false, nil
	}
	if c.canvas.unpublished[it.id] || c.canvas.unpublished[it.ref] {
		c.unpublished = append(c.unpublished, what)
	}
	return l, true, nil
}

// lectureOf returns the lecture of a resource that is no quiz, or why it is skipped. It takes the
// title of the resource if the lecture has none.
func (c *cartridge) lectureOf(
	l coursepackage.Lecture, res resource, kind kind,
) (_ coursepackage.Lecture, why string, err error) {
	file := c.fileOf(res)
	if file == nil {
		return l, "the cartridge does not have its file", nil
	}
	switch kind {
	case pageKind:
		c.isUsed[file.Name] = true
		l, why, err = c.page(l, file)
		if c.heads[file.Name].isDraft {
			c.canvas.unpublished[res.id] = true
		}
		if err == nil && why == "" && l.Text == "" && len(l.Attachments) == 0 {
			why = whyEmpty
		}
	case fileKind:
		c.isUsed[file.Name] = true
		l.Kind, l.File = kindOfFile(file.Name), file.Name
	case linkKind:
		l, why, err = c.webLink(l, file)
	case assignmentKind:
		l, why, err = c.assignment(l, res, file)
	case discussionKind, toolKind, announcementKind, bankKind:
		if l.Title == "" {
			l.Title, err = c.titleOf(file)
		}
		why = whyNot[kind]
	default:
		why = whyNot[otherKind]
	}
	l.Title = cmp.Or(l.Title, text(path.Base(file.Name), maxTitle))
	return l, why, err
}

// whyEmpty says why a page without a text is skipped.
const whyEmpty = "it has no text that can be imported"

// whyNot says why resources of a kind are skipped.
var whyNot = map[kind]string{
	discussionKind:   "discussions are not imported",
	announcementKind: "announcements are not imported",
	toolKind:         "external tools are not imported",
	bankKind:         "question banks are not imported",
	otherKind:        "it is a part of another program, which is not imported",
}

// kindOfFile returns the kind of a lecture of a file by its name.
func kindOfFile(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".mp4", ".m4v", ".webm":
		return "video"
	case ".mp3", ".m4a", ".ogg":
		return "audio"
	}
	return "file"
}

// webLink returns the lecture of a link: an embedded page where that is allowed, or else a text
// with the link.
func (c *cartridge) webLink(
	l coursepackage.Lecture, file *safezip.File,
) (_ coursepackage.Lecture, why string, err error) {
	var link struct {
		Title string `xml:"title"`
		URL   struct {
			Href string `xml:"href,attr"`
		} `xml:"url"`
	}
	if err := c.decodeXML(file, &link); err != nil {
		return l, "", err
	}
	l.Title = cmp.Or(l.Title, text(link.Title, maxTitle))
	address := strings.TrimSpace(link.URL.Href)
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return l, "it is no http or https URL", nil
	}
	if c.IsEmbed(address) {
		l.Kind, l.URL = "embed", address
	} else {
		l.Kind, l.Text = "text", markdownLink(cmp.Or(l.Title, address), u.String())
	}
	return l, "", nil
}

// titleOf returns the title that an XML document has, or "" if it has none.
func (c *cartridge) titleOf(file *safezip.File) (string, error) {
	var document struct {
		Title string `xml:"title"`
	}
	if err := c.decodeXML(file, &document); err != nil {
		_, err = failure(err) // what cannot be read has no title
		return "", err
	}
	return text(document.Title, maxTitle), nil
}
