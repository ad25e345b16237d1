package qti

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/safexml"
)

const (
	maxMinutes  = 10_000
	maxAttempts = 1_000
)

// Settings are the settings of a quiz that Canvas has in a document of its own,
// assessment_meta.xml.
type Settings struct {
	Title string
	coursepackage.Settings
	HasText bool // the quiz has instructions, which a quiz has no place for here
}

// CanvasSettings reads the settings of a quiz of Canvas. Only the fields that the document has are
// set. Its caller has taken the bytes of the document from the budget. Its refusals are of type
// [*safexml.Error].
func CanvasSettings(b *budget.Budget, data []byte) (Settings, error) {
	e, err := safexml.Parse(b, data)
	if err != nil {
		return Settings{}, err
	}
	var s Settings
	for _, field := range e.Children() {
		switch text := field.Text(); field.Name {
		case "title":
			s.Title = line(text)
		case "description":
			shown, _, why, err := plain(b, text)
			if err != nil {
				return Settings{}, err
			}
			s.HasText = shown != "" || why != ""
		case "time_limit":
			s.Minutes = bounded(text, maxMinutes)
		case "allowed_attempts":
			s.Attempts = bounded(text, maxAttempts)
		case "shuffle_answers":
			s.Shuffle = text == "true"
		}
	}
	return s, nil
}

// Apply sets what a quiz of Canvas says in a document of its own in a quiz that was read.
func (s Settings) Apply(a *Assessment) {
	if s.Title != "" {
		a.Title = s.Title
	}
	to := a.Quiz.Settings
	if s.Minutes > 0 {
		to.Minutes = s.Minutes
	}
	if s.Attempts > 0 {
		to.Attempts = s.Attempts
	}
	to.Shuffle = to.Shuffle || s.Shuffle
	if s.HasText {
		a.Skipped = append(a.Skipped, coursepackage.Skipped{What: "the instructions of the quiz",
			Why: lostTexts})
	}
}

// property reads an element of an assessment or a section that is no question.
func (in *reading) property(e *safexml.Element) error {
	settings := in.out.Quiz.Settings
	isSection := len(in.sections) > 0
	switch e.Name {
	case "qtimetadata":
		fields := fieldsOf(e)
		if n := bounded(fields[timeField], maxMinutes); n > 0 && !isSection {
			settings.Minutes = n
		}
		for _, name := range []string{attemptsField, "max_attempts"} {
			if n := bounded(fields[name], maxAttempts); n > 0 && !isSection {
				settings.Attempts = n
			}
		}
		if title := fields["bank_title"]; in.out.Title == "" {
			in.out.Title = title
		}
	case "duration":
		if n := minutesOf(e.Text()); n > 0 && !isSection {
			settings.Minutes = n
		}
	case "assess_procextension": // of Brightspace
		fields := map[string]string{}
		addLeaves(e, fields)
		if n := bounded(fields["time_limit"], maxMinutes); fields["enforce_time_limit"] == "yes" {
			settings.Minutes = n
		}
		settings.Attempts = bounded(fields["attempts_allowed"], maxAttempts)
	case "selection_ordering":
		return in.selection(e)
	case "rubric", "objectives", "presentation_material":
		if in.blockText(e) != "" && isSection {
			in.lost[lostSectionTexts]++
		} else if in.blockText(e) != "" {
			in.lost[lostTexts]++
		}
	}
	return nil
}

// selection reads which questions of a section an attempt has.
func (in *reading) selection(e *safexml.Element) error {
	if len(in.sections) == 0 {
		return nil
	}
	s := in.sections[len(in.sections)-1]
	var banks []string // which are read last, with the points of their questions
	for _, selection := range e.Children("selection") {
		for _, c := range selection.Children() {
			switch c.Name {
			case "selection_number":
				s.drawn = max(s.drawn, bounded(c.Text(), math.MaxInt32))
			case "selection_extension":
				if points := c.Child("points_per_item"); points != nil {
					s.points = points.Text()
				}
			case "sourcebank_ref":
				banks = append(banks, c.Text())
			case "or_selection", "and_selection", "selection_metadata":
				in.lost[lostReferences]++
			}
		}
	}
	for _, id := range banks {
		if err := in.bank(id); err != nil {
			return err
		}
	}
	return nil
}

// addLeaves adds the texts of the elements in an element that have no elements, by their names.
func addLeaves(e *safexml.Element, to map[string]string) {
	for _, c := range e.Children() {
		if c.HasElements() {
			addLeaves(c, to)
		} else if name := strings.ToLower(c.Name); to[name] == "" {
			to[name] = line(c.Text())
		}
	}
}

// fieldsOf returns the fields of metadata by their labels in small letters: those that have a label
// and an entry, and those that are elements of their own.
func fieldsOf(e *safexml.Element) map[string]string {
	fields := map[string]string{}
	addFields(e, fields)
	return fields
}

func addFields(e *safexml.Element, to map[string]string) {
	for _, c := range e.Children() {
		label, entry := c.Child("fieldlabel"), c.Child("fieldentry")
		name, text := strings.ToLower(c.Name), ""
		switch {
		case label != nil && entry != nil:
			name, text = strings.ToLower(line(label.Text())), line(entry.Text())
		case c.HasElements():
			addFields(c, to)
			continue
		default:
			text = line(c.Text())
		}
		if to[name] == "" {
			to[name] = text
		}
	}
}

// duration matches a duration of ISO 8601 without months and years.
var duration = regexp.MustCompile(`^P(?:0+Y)?(?:0+M)?(?:(\d{1,4})D)?` +
	`(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})(?:\.\d+)?S)?)?$`)

// minutesOf returns the minutes of a duration, rounded up, or 0 for a text that is none.
func minutesOf(text string) int {
	match := duration.FindStringSubmatch(line(text))
	if match == nil {
		return 0
	}
	seconds := 0
	for i, unit := range []int{24 * 60 * 60, 60 * 60, 60, 1} {
		n, _ := strconv.Atoi(match[i+1]) // which has digits, or is ""
		seconds += n * unit
	}
	if minutes := (seconds + 59) / 60; minutes <= maxMinutes {
		return minutes
	}
	return 0
}

// bounded returns a whole number from 1 to most, or 0 if the text is none.
func bounded(text string, most int) int {
	number, err := strconv.ParseFloat(line(text), 64)
	if err != nil || number != math.Trunc(number) || number < 1 || number > float64(most) {
		return 0
	}
	return int(number)
}
