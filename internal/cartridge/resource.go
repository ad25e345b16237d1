package cartridge

import (
	"net/url"
	"path"
	"strings"

	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/safezip"
)

// resource is something that the cartridge has.
type resource struct {
	id, kind     string // kind is its type
	base, href   string
	files        []string // their references
	dependencies []string // the ids of other resources
}

// kind is what a resource is for a course.
type kind string

// The kinds of resources, by the words that name them.
const (
	pageKind         kind = "page"
	fileKind         kind = "file"
	linkKind         kind = "link"
	quizKind         kind = "quiz"
	bankKind         kind = "question bank"
	assignmentKind   kind = "assignment"
	discussionKind   kind = "discussion"
	announcementKind kind = "announcement"
	toolKind         kind = "tool"
	// settingsKind are settings of other programs, and parts of other resources. No person misses
	// them.
	settingsKind kind = "settings"
	otherKind    kind = "item"
)

// kindOf returns what a resource is. The types differ between the versions by their ends.
func (c *cartridge) kindOf(res resource) kind {
	if k, isCanvas := c.canvas.kinds[res.id]; isCanvas {
		return k
	}
	file := c.fileOf(res)
	isType := func(prefix string) bool {
		return strings.HasPrefix(strings.ToLower(strings.TrimSpace(res.kind)), prefix)
	}
	switch {
	case isType("imsqti_"):
		if strings.HasSuffix(strings.TrimSpace(res.kind), "question-bank") {
			return bankKind
		}
		return quizKind
	case isType("imswl_"):
		return linkKind
	case isType("imsdt_"):
		return discussionKind
	case isType("imsbasiclti_"):
		return toolKind
	case isType("assignment_"):
		return assignmentKind
	case file != nil && isPage(file.Name):
		return pageKind
	case isType("webcontent"):
		return fileKind
	case file != nil && isMaterial(file.Name):
		return fileKind
	case isType("associatedcontent/"):
		return settingsKind
	}
	return otherKind
}

// isPage reports whether a file is an HTML page by its name.
func isPage(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm", ".xhtml":
		return true
	}
	return false
}

// isMaterial reports whether a file is one that students read, watch or hear, by its name.
func isMaterial(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".mp4", ".m4v", ".webm", ".mp3", ".m4a", ".ogg", ".pdf", ".docx", ".pptx", ".xlsx", ".odt",
		".odp", ".ods", ".zip", ".png", ".jpg", ".jpeg", ".webp", ".md", ".txt":
		return true
	}
	return false
}

// fileOf returns the main file of a resource: that of its reference or, for a resource that has
// none or a wrong one, the first of its list. It returns nil if the cartridge does not have it.
func (c *cartridge) fileOf(res resource) *safezip.File {
	file := c.entry(res, res.href)
	if file == nil && len(res.files) > 0 {
		file = c.entry(res, res.files[0])
	}
	return file
}

// fileNamed returns the file of a resource whose name ends with a text; nil if it has none.
func (c *cartridge) fileNamed(res resource, end string) *safezip.File {
	if f := c.entry(res, res.href); f != nil && strings.HasSuffix(f.Name, end) {
		return f
	}
	for _, href := range res.files {
		if strings.HasSuffix(href, end) {
			return c.entry(res, href)
		}
	}
	return nil
}

// entry returns the file with a reference of a resource; nil if the archive does not have it.
func (c *cartridge) entry(res resource, href string) *safezip.File {
	return c.resolve(join(c.base, res.base), href)
}

// maxReference is the length of the longest reference, in bytes, with its folder: names in a zip
// are shorter.
const maxReference = 8_000

// resolve returns the file that a reference from a folder leads to; nil if there is none. A
// reference never leads out of the archive, because it is only looked up there.
func (c *cartridge) resolve(folder, href string) *safezip.File {
	if len(folder)+len(href) > maxReference {
		return nil
	}
	href, _, _ = strings.Cut(href, "#")
	href, _, _ = strings.Cut(href, "?")
	if unescaped, err := url.PathUnescape(href); err == nil && c.archive.File(href) == nil {
		href = unescaped
	}
	href = strings.ReplaceAll(href, `\`, "/") // programs of Windows write these
	// This token stands for the folder of the files.
	if rest, found := strings.CutPrefix(href, "$IMS-CC-FILEBASE$"); found {
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, "/"), "../")
		if f := c.file(path.Join("web_resources", rest)); f != nil {
			return f
		}
		return c.file(path.Clean(rest))
	}
	if href == "" {
		return nil
	}
	return c.file(join(folder, href))
}

// file returns the file with a name; nil if there is none. Capital and small letters may differ if
// no file has the exact name, because on many systems they are the same.
func (c *cartridge) file(name string) *safezip.File {
	if f := c.archive.File(name); f != nil {
		return f
	}
	if c.names == nil {
		c.names = map[string]*safezip.File{}
		for _, f := range c.archive.Files() {
			c.names[strings.ToLower(f.Name)] = f
		}
	}
	return c.names[strings.ToLower(name)]
}

// join joins the base of a reference with the reference.
func join(base, href string) string {
	if href == "" {
		return base
	}
	return path.Join(base, href)
}

// attach adds a file to the attachments of a lecture, once. It returns false if the lecture has too
// many.
func (c *cartridge) attach(l *coursepackage.Lecture, f *safezip.File, title string) bool {
	if f == nil {
		return true
	}
	c.isUsed[f.Name] = true
	for _, a := range l.Attachments {
		if a.File == f.Name {
			return true
		}
	}
	if len(l.Attachments) == c.MaxAttachments {
		return false
	}
	l.Attachments = append(l.Attachments, coursepackage.Attachment{File: f.Name,
		Title: orTitle(text(title, maxTitle), path.Base(f.Name))})
	return true
}
