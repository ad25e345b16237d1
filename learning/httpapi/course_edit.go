package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// editableCourseJSON is a course as its editors see it, with the URLs of all lectures.
type editableCourseJSON struct {
	_ struct{} `doc:"A course as its educator and admins see it, with the URLs of all lectures."`

	courseDetailJSON
	Version int64 `json:"version" doc:"1 at first; each change adds one."`
}

type editableCourseAnswer struct {
	Course editableCourseJSON `json:"course" doc:"The course, with the URLs of all lectures."`
}

// editableCourse answers a course for its editors, published or not.
func (a *api) editableCourse(c *call, _ none) (editableCourseAnswer, error) {
	return a.editable(a.platform.Catalog.EditableCourse(c.Context(), c.actor, c.Param("courseId")))
}

// editable returns the answer with a course, unless there is an error.
func (a *api) editable(c catalog.CourseWithContent, err error) (editableCourseAnswer, error) {
	if err != nil {
		return editableCourseAnswer{}, err
	}
	return editableCourseAnswer{editableCourseJSON{
		courseDetailJSON: courseDetailJSON{
			courseJSON: a.course(c.Course),
			Content:    chapters(c.Content),
			Terms:      termsOf(c.Terms),
		},
		Version: c.Version,
	}}, nil
}

// editCourseRequest has the fields of newCourse, all of them optional.
type editCourseRequest struct {
	_ struct{} `doc:"A change of a course. Fields that are not sent stay as they are."`

	Version     int64         `json:"version" jsonschema:"minimum=1" jsonschema_extras:"x-number-or-text=true" doc:"The version of the course that the caller has read."`
	Title       *string       `json:"courseTitle,omitempty" jsonschema:"minLength=1,maxLength=200"`
	Description *string       `json:"courseDescription,omitempty" jsonschema:"maxLength=20000" doc:"The description. It may hold HTML."`
	Price       *decimal      `json:"coursePrice,omitempty" jsonschema:"minimum=0,maximum=10000000" jsonschema_extras:"x-number-or-text=true" doc:"The price before the discount. After it, it must be 0 or at least 1."`
	Prices      *[]newPrice   `json:"prices,omitempty" jsonschema:"maxItems=200" doc:"All prices in other currencies; an empty list removes them."`
	Discount    *decimal      `json:"discount,omitempty" jsonschema:"minimum=0,maximum=100" jsonschema_extras:"x-number-or-text=true"`
	Published   *bool         `json:"isPublished,omitempty" doc:"Whether everyone can see and buy it."`
	Terms       *newTerms     `json:"terms,omitempty" doc:"All terms of the course; an empty object removes them. An unknown field is refused."`
	Metadata    *metadataJSON `json:"metadata,omitempty" doc:"All metadata of the course; an empty object removes it."`
	Content     []newChapter  `json:"courseContent,omitempty" jsonschema:"minItems=1" doc:"All chapters, with at least one lecture and at most 1,000 lectures altogether."`
}

// editCourse changes a course, and answers it as it is now. What the request leaves out is nil, and
// stays as it is.
func (a *api) editCourse(c *call, in editCourseRequest) (editableCourseAnswer, error) {
	edit := catalog.CourseEdit{
		Version: in.Version, Title: in.Title, Description: in.Description,
		Price: (*core.Money)(in.Price), Discount: (*core.Percent)(in.Discount),
		Published: in.Published, Terms: in.Terms.terms(),
		Metadata: (*core.Metadata)(in.Metadata), Content: contentOf(in.Content)}
	if in.Prices != nil {
		prices, err := pricesIn(*in.Prices)
		if err != nil {
			return editableCourseAnswer{}, err
		}
		edit.Prices = &prices
	}
	return a.editable(a.platform.Catalog.EditCourse(c.Context(), c.actor, c.Param("courseId"),
		edit))
}

type lectureTextRequest struct {
	_ struct{} `doc:"The text of a lecture."`

	Version int64  `json:"version" jsonschema:"minimum=1" jsonschema_extras:"x-number-or-text=true" doc:"The version of the course that the caller has read."`
	Text    string `json:"text" jsonschema:"maxLength=100000" doc:"Markdown. An empty text removes it."`
}

type versionAnswer struct {
	Version int64 `json:"version" doc:"The version of the course now."`
}

// setLectureText replaces the text of a lecture, and answers the version of the course.
func (a *api) setLectureText(c *call, in lectureTextRequest) (versionAnswer, error) {
	course, err := a.platform.Catalog.SetLectureText(c.Context(), c.actor, c.Param("courseId"),
		c.Param("lectureId"), in.Version, in.Text)
	return versionAnswer{course.Version}, err
}

// deleteCourse deletes a course. The message is answered if there is no error.
func (a *api) deleteCourse(c *call, _ none) (messageAnswer, error) {
	return messageAnswer{"Course deleted"},
		a.platform.DeleteCourse(c.Context(), c.actor, c.Param("courseId"))
}

// imageForm is the form of an upload that is only a picture.
type imageForm struct{}

type thumbnailAnswer struct {
	Thumbnail string `json:"courseThumbnail"`
}

// setThumbnail replaces the picture of a course by that of a multipart form, the part image, and
// answers its URL.
func (a *api) setThumbnail(w http.ResponseWriter, c *call) error {
	// The form has no other field. The platform refuses nil, which is a missing picture.
	_, image, err := c.readUpload(w)
	if err != nil {
		return err
	}
	name, err := a.platform.Catalog.SetThumbnail(c.Context(), c.actor, c.Param("courseId"), image)
	if err != nil {
		return err
	}
	return c.writeSuccess(w, thumbnailAnswer{a.platform.Files.MediaURL(name)})
}
