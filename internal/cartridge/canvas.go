package cartridge

import (
	"path"
	"strings"

	"github.com/openlectern/openlectern/internal/safexml"
	"github.com/openlectern/openlectern/internal/safezip"
)

// Where Canvas has its documents.
const (
	bankFolder     = "non_cc_assessments/"
	bankEnd        = ".xml.qti"
	settingsOfQuiz = "assessment_meta.xml"
	settingsOfWork = "assignment_settings.xml"
	settingsFolder = "course_settings/"
)

// canvas is what a cartridge of Canvas has beside what all cartridges have.
type canvas struct {
	kinds       map[string]kind // of resources whose type does not say what they are, by their ids
	unpublished map[string]bool // by the ids of items and resources
	rubrics     map[string]rubric
}

// readCanvas reads what Canvas adds to a cartridge. What cannot be read is as if it were not there.
func (c *cartridge) readCanvas() error {
	c.canvas = canvas{kinds: map[string]kind{}, unpublished: map[string]bool{},
		rubrics: map[string]rubric{}}
	for id, res := range c.resources {
		file := c.fileOf(res)
		switch {
		case c.fileNamed(res, settingsOfWork) != nil:
			c.canvas.kinds[id] = assignmentKind
		case c.fileNamed(res, settingsOfQuiz) != nil && !strings.HasPrefix(res.kind, "imsqti_"):
			c.canvas.kinds[id] = settingsKind // a part of a quiz
		case file == nil:
		case strings.HasPrefix(file.Name, bankFolder):
			c.canvas.kinds[id] = bankKind
		case strings.HasPrefix(file.Name, settingsFolder) && !isPage(file.Name):
			c.canvas.kinds[id] = settingsKind
		}
	}
	if err := c.readModules(); err != nil {
		return err
	}
	return c.readRubrics()
}

// readModules reads which items are not published.
func (c *cartridge) readModules() error {
	file := c.archive.File(settingsFolder + "module_meta.xml")
	if file == nil {
		return nil
	}
	const isHidden = "unpublished"
	var list struct {
		Modules []struct {
			State string `xml:"workflow_state"`
			Items []struct {
				ID    string `xml:"identifier,attr"`
				State string `xml:"workflow_state"`
			} `xml:"items>item"`
		} `xml:"module"`
	}
	if err := c.decodeSettings(file, &list); err != nil {
		return err
	}
	for _, module := range list.Modules {
		for _, it := range module.Items {
			if module.State == isHidden || it.State == isHidden {
				c.canvas.unpublished[it.ID] = true
			}
		}
	}
	return nil
}

// decodeSettings decodes a document of all modules or rubrics. One that cannot be read, or that is
// longer than those of very large courses, is as if it were not there.
func (c *cartridge) decodeSettings(file *safezip.File, to any) error {
	const longest = 2 << 20
	data, err := c.read(file, longest)
	if err == nil {
		err = safexml.Decode(c.budget, data, to)
	}
	if err != nil {
		_, err = failure(err)
	}
	return err
}

// rubric is a rubric of Canvas.
type rubric struct {
	ID       string `xml:"identifier,attr"`
	Criteria []struct {
		Text   string `xml:"description"`
		Points string `xml:"points"`
	} `xml:"criteria>criterion"`
}

// readRubrics reads the rubrics that assignments name.
func (c *cartridge) readRubrics() error {
	file := c.archive.File(settingsFolder + "rubrics.xml")
	if file == nil {
		return nil
	}
	var list struct {
		Rubrics []rubric `xml:"rubric"`
	}
	if err := c.decodeSettings(file, &list); err != nil {
		return err
	}
	for _, r := range list.Rubrics {
		c.canvas.rubrics[r.ID] = r
	}
	return nil
}

// isAnnouncement reports whether a discussion is one of the announcements of Canvas.
func (c *cartridge) isAnnouncement(res resource) (bool, error) {
	for _, d := range res.dependencies {
		other := c.resources[d]
		file := c.fileOf(other)
		if file == nil || path.Ext(file.Name) != ".xml" || c.kindOf(other) != settingsKind {
			continue
		}
		var topic struct {
			Type string `xml:"type"`
		}
		if err := c.decodeXML(file, &topic); err != nil {
			_, err = failure(err)
			return false, err
		}
		if strings.TrimSpace(topic.Type) == "announcement" {
			return true, nil
		}
	}
	return false, nil
}
