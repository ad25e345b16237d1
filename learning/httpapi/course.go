package httpapi

import (
	"cmp"

	"github.com/openlectern/openlectern/learning/catalog"
)

// courseJSON is a course as lists show it (docs/api.md §5).
type courseJSON struct {
	_ struct{} `doc:"A course without its chapters."`

	ID            string      `json:"_id"`
	Title         string      `json:"courseTitle"`
	Description   string      `json:"courseDescription" doc:"The description as its educator wrote it; it may hold HTML. Sanitise it before you put it into a page."`
	Thumbnail     string      `json:"courseThumbnail"`
	Price         decimal     `json:"coursePrice"`
	Prices        []priceJSON `json:"prices,omitempty" doc:"What it costs in other currencies than that of the platform, before the discount. Left out if there are none."`
	Published     bool        `json:"isPublished"`
	Discount      decimal     `json:"discount"`
	AverageRating float64     `json:"averageRating" doc:"The mean of all ratings, from 1 to 5 with one decimal. 0 if there is none."`
	TotalRatings  int         `json:"totalRatings"`
	TotalLectures int         `json:"totalLectures"`
	TotalMinutes  int         `json:"totalDurationMinutes" doc:"Of all lectures, rounded."`
	Educator      personJSON  `json:"educatorId" doc:"The person, not only the id."`
	TotalStudents int         `json:"totalEnrolledStudents"`
	CreatedAt     instant     `json:"createdAt"`
	UpdatedAt     instant     `json:"updatedAt"`

	Metadata metadataJSON `json:"metadata,omitempty" doc:"What the host keeps with the course. Left out if it is empty."`
}

type chapterJSON struct {
	ID       string        `json:"chapterId"`
	Order    int           `json:"chapterOrder" doc:"As its educator numbered the chapters."`
	Title    string        `json:"chapterTitle"`
	Lectures []lectureJSON `json:"chapterContent" doc:"The lectures of the chapter, in order."`
	HasQuiz  bool          `json:"hasQuiz" doc:"Whether a quiz of the chapter is stored."`
	Opens    *opensJSON    `json:"opens,omitempty" doc:"When the chapter opens. Left out if it is open from the beginning."`
}

type lectureJSON struct {
	ID          string  `json:"lectureId"`
	Title       string  `json:"lectureTitle"`
	Minutes     float64 `json:"lectureDuration" doc:"In minutes. It may have a fraction."`
	URL         string  `json:"lectureUrl" doc:"The URL of the video, or of what the lecture is. That of a file is signed and works for six hours. Empty unless the lecture is a free preview, or the route is for enrolled users and the caller is one."`
	PreviewFree bool    `json:"isPreviewFree" doc:"Whether everyone may watch the lecture."`
	Order       int     `json:"lectureOrder" doc:"As its educator numbered the lectures."`

	Kind        catalog.LectureKind `json:"kind,omitempty" jsonschema:"enum=video,enum=audio,enum=text,enum=file,enum=embed,enum=assignment" doc:"What the lecture is. Left out, with the fields below, in lectures that were stored without a kind: they are videos."`
	FileID      string              `json:"fileId,omitempty" doc:"The file that the lecture is. For the educator of the course and admins."`
	Captions    []captionJSON       `json:"captions,omitzero" doc:"Empty if the caller may not read the lecture."`
	Attachments []attachmentJSON    `json:"attachments,omitzero" doc:"Empty if the caller may not read the lecture."`
	Text        *string             `json:"text,omitempty" doc:"Markdown as its educator wrote it; it may hold HTML. Sanitise it before you put it into a page. Empty if the caller may not read the lecture."`
	Assignment  *assignmentJSON     `json:"assignment,omitempty" doc:"What an assignment asks. Left out if the caller may not read the lecture."`
}

type captionJSON struct {
	_ struct{} `doc:"The subtitles of a lecture in a language, as a WebVTT file."`

	Language string `json:"language" doc:"A BCP 47 tag, such as pt-BR."`
	Label    string `json:"label" doc:"The name of the language for people."`
	FileID   string `json:"fileId,omitempty" doc:"For the educator of the course and admins."`
	URL      string `json:"url" doc:"A signed URL that works for six hours."`
}

type attachmentJSON struct {
	_ struct{} `doc:"A file that belongs to a lecture."`

	Title  string `json:"title"`
	FileID string `json:"fileId,omitempty" doc:"For the educator of the course and admins."`
	Type   string `json:"type" doc:"The media type of the file."`
	Size   int64  `json:"size" doc:"The size of the file in bytes."`
	URL    string `json:"url" doc:"A signed URL that works for six hours."`
}

// lectureOf returns the wire shape of a lecture. A lecture without a kind has only the fields of
// before.
func lectureOf(l catalog.Lecture) lectureJSON {
	one := lectureJSON{ID: l.ID, Title: l.Title, Minutes: l.Minutes, URL: l.URL,
		PreviewFree: l.PreviewFree, Order: l.Order}
	if !l.HasMaterial() {
		return one
	}
	one.Kind, one.FileID = l.Kind, l.FileID
	one.Text = cmp.Or(l.Text, new(string))
	one.Captions = make([]captionJSON, 0, len(l.Captions))
	for _, c := range l.Captions {
		one.Captions = append(one.Captions,
			captionJSON{Language: c.Language, Label: c.Label, FileID: c.FileID, URL: c.URL})
	}
	one.Attachments = make([]attachmentJSON, 0, len(l.Attachments))
	for _, a := range l.Attachments {
		one.Attachments = append(one.Attachments, attachmentJSON{Title: a.Title, FileID: a.FileID,
			Type: a.Type, Size: a.Size, URL: a.URL})
	}
	if l.Assignment != nil {
		one.Assignment = new(assignmentOf(*l.Assignment))
	}
	return one
}

type courseDetailJSON struct {
	_ struct{} `doc:"A course with its chapters and lectures."`

	courseJSON
	Content []chapterJSON `json:"courseContent" doc:"The chapters, in order."`
	Terms   *termsJSON    `json:"terms,omitempty" doc:"Left out if the course has none."`

	Requires []requiredJSON `json:"requires,omitempty" doc:"The courses that must be completed before this one is bought, as far as they are published. Left out if there are none."`
}

type courseAnswer struct {
	Course courseDetailJSON `json:"courseData" doc:"The course. The URLs of its lectures are empty, except those of free previews."`
}

// getCourse answers a published course. The platform leaves out the URLs that only students get.
func (a *api) getCourse(c *call, _ none) (courseAnswer, error) {
	course, err := a.platform.Catalog.PublishedCourse(c.Context(), c.Param("id"))
	if err != nil {
		return courseAnswer{}, err
	}
	requires, err := a.platform.Study.RequiredCourses(c.Context(), course.Course)
	if err != nil {
		return courseAnswer{}, err
	}
	const withProgress = false
	return courseAnswer{courseDetailJSON{
		courseJSON: a.course(course.Course),
		Content:    chapters(course.Content),
		Terms:      publicTermsOf(course.Terms),
		Requires:   requiredOf(requires, withProgress),
	}}, nil
}

// course returns the wire shape of a course without its chapters.
func (a *api) course(c catalog.Course) courseJSON {
	return courseJSON{
		ID: c.ID, Title: c.Title, Description: c.Description,
		Thumbnail: a.platform.Files.MediaURL(c.Thumbnail),
		Price:     decimal(c.Price), Prices: pricesOf(c.Prices), Published: c.Published,
		Discount:      decimal(c.Discount),
		AverageRating: c.Ratings.Average(), TotalRatings: c.Ratings.Count,
		TotalLectures: c.Lectures, TotalMinutes: c.Minutes,
		Educator:      person(c.Educator),
		TotalStudents: c.Students, CreatedAt: instant(c.CreatedAt), UpdatedAt: instant(c.UpdatedAt),
		Metadata: metadataJSON(c.Metadata),
	}
}

// chapters returns the wire shape of chapters with their lectures. It is never nil, which would
// be null in JSON.
func chapters(content []catalog.Chapter) []chapterJSON {
	out := make([]chapterJSON, 0, len(content))
	for _, ch := range content {
		out = append(out, chapterJSON{
			ID:       ch.ID,
			Order:    ch.Order,
			Title:    ch.Title,
			Lectures: lectures(ch.Lectures),
			HasQuiz:  ch.HasQuiz,
			Opens:    opensOf(ch.Opens),
		})
	}
	return out
}

// lectures returns the wire shape of lectures. It is never nil.
func lectures(list []catalog.Lecture) []lectureJSON {
	out := make([]lectureJSON, 0, len(list))
	for _, l := range list {
		out = append(out, lectureOf(l))
	}
	return out
}
