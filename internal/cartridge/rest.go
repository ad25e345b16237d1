package cartridge

import (
	"strings"
)

// restTitle is the title of the chapter of what no item shows, unless it is the only one.
const restTitle = "Other pages"

// addRest adds what no item shows: pages, links and assignments as a last chapter, and quizzes as
// chapters after it. It notes the other resources. If the course has nothing else, files that
// students can use become lectures too.
func (c *cartridge) addRest(list []resource) error {
	title, isOpen := restTitle, false
	if len(c.course.Chapters) == 0 {
		title = c.course.Title
	}
	var quizzes, files []resource
	count := map[kind]int{}
	for _, res := range list {
		if err := c.budget.Steps(1); err != nil {
			return c.spent(err)
		}
		if c.isShown[res.id] {
			continue
		}
		switch kind := c.kindOf(res); kind {
		case pageKind, linkKind, assignmentKind, toolKind, discussionKind:
			if err := c.addOther(res, kind, title, &isOpen, count); err != nil {
				return err
			}
		case quizKind:
			quizzes = append(quizzes, res)
		case fileKind:
			if f := c.fileOf(res); f == nil || !c.isUsed[f.Name] {
				files = append(files, res)
			}
		case settingsKind:
		default:
			count[kind]++
		}
	}
	for _, res := range quizzes {
		if _, err := c.quiz(nil, item{ref: res.id}, res); err != nil {
			return err
		}
	}
	return c.noteRest(list, files, count)
}

// addOther adds the lecture of a resource that no item shows.
func (c *cartridge) addOther(
	res resource, kind kind, title string, isOpen *bool, count map[kind]int,
) error {
	file := c.fileOf(res)
	switch {
	case kind == pageKind && file != nil && c.isUsed[file.Name]: // by another resource
		return nil
	case kind == discussionKind:
		isAnnouncement, err := c.isAnnouncement(res)
		if err != nil {
			return err
		}
		if isAnnouncement {
			count[announcementKind]++
			return nil
		}
	case kind == pageKind && file != nil && strings.HasPrefix(file.Name, settingsFolder):
		// The syllabus of Canvas, which is there also if it is empty.
		before := len(c.skipped)
		defer func() {
			if len(c.skipped) > before && c.skipped[len(c.skipped)-1].Why == whyEmpty {
				c.skipped = c.skipped[:before]
			}
		}()
	}
	l, isRead, err := c.lecture(item{ref: res.id})
	if err == nil && isRead {
		err = c.add(l, title, isOpen)
	}
	return err
}

// noteRest notes what is not imported of the resources that no item shows.
func (c *cartridge) noteRest(list, files []resource, count map[kind]int) error {
	if c.lectures == 0 && len(c.course.Chapters) == 0 {
		isOpen := false
		for _, res := range files {
			if f := c.fileOf(res); f == nil || !isMaterial(f.Name) {
				continue
			}
			l, isRead, err := c.lecture(item{ref: res.id})
			if err == nil && isRead {
				err = c.add(l, c.course.Title, &isOpen)
			}
			if err != nil {
				return err
			}
		}
		if isOpen {
			files = nil
		}
	}
	for _, res := range list {
		if f := c.fileOf(res); f != nil && c.banks[f.Name] && c.kindOf(res) == bankKind {
			count[bankKind]-- // a quiz has its questions
		}
	}
	for _, kind := range []kind{announcementKind, bankKind} {
		if count[kind] > 0 {
			c.skip(counted(count[kind], string(kind)), whyNot[kind])
		}
	}
	if n := count[otherKind]; n > 0 {
		c.skip(counted(n, "part")+" of other programs", "no item of the course shows them")
	}
	if len(files) > 0 {
		c.skip(counted(len(files), "file"),
			"no item of the course shows them, and no page links to them")
	}
	return nil
}
