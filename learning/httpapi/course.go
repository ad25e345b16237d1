package httpapi

import "github.com/openlectern/openlectern/learning"

// courseJSON is a course as lists show it (docs/api.md §5).
type courseJSON struct {
	_ struct{} `doc:"A course without its chapters."`

	ID            string     `json:"_id"`
	Title         string     `json:"courseTitle"`
	Description   string     `json:"courseDescription" doc:"The description as its educator wrote it; it may hold HTML. Sanitise it before you put it into a page."`
	Thumbnail     string     `json:"courseThumbnail"`
	Price         decimal    `json:"coursePrice"`
	Published     bool       `json:"isPublished"`
	Discount      decimal    `json:"discount"`
	AverageRating float64    `json:"averageRating" doc:"The mean of all ratings, from 1 to 5 with one decimal. 0 if there is none."`
	TotalRatings  int        `json:"totalRatings"`
	TotalLectures int        `json:"totalLectures"`
	TotalMinutes  int        `json:"totalDurationMinutes" doc:"Of all lectures, rounded."`
	Educator      personJSON `json:"educatorId" doc:"The person, not only the id."`
	TotalStudents int        `json:"totalEnrolledStudents"`
	CreatedAt     instant    `json:"createdAt"`
	UpdatedAt     instant    `json:"updatedAt"`
}

type chapterJSON struct {
	ID       string        `json:"chapterId"`
	Order    int           `json:"chapterOrder" doc:"As its educator numbered the chapters."`
	Title    string        `json:"chapterTitle"`
	Lectures []lectureJSON `json:"chapterContent" doc:"The lectures of the chapter, in order."`
}

type lectureJSON struct {
	ID          string  `json:"lectureId"`
	Title       string  `json:"lectureTitle"`
	Minutes     float64 `json:"lectureDuration" doc:"In minutes. It may have a fraction."`
	URL         string  `json:"lectureUrl" doc:"The URL of the video. Empty unless the lecture is a free preview, or the route is for enrolled users and the caller is one."`
	PreviewFree bool    `json:"isPreviewFree" doc:"Whether everyone may watch the lecture."`
	Order       int     `json:"lectureOrder" doc:"As its educator numbered the lectures."`
}

type courseDetailJSON struct {
	_ struct{} `doc:"A course with its chapters and lectures."`

	courseJSON
	Content []chapterJSON `json:"courseContent" doc:"The chapters, in order."`
}

type courseAnswer struct {
	Course courseDetailJSON `json:"courseData" doc:"The course. The URLs of its lectures are empty, except those of free previews."`
}

// getCourse answers a published course. The platform leaves out the URLs that only students get.
func (a *api) getCourse(c *call, _ none) (courseAnswer, error) {
	course, err := a.platform.PublishedCourse(c.Context(), c.Param("id"))
	if err != nil {
		return courseAnswer{}, err
	}
	return courseAnswer{courseDetailJSON{
		courseJSON: a.course(course.Course),
		Content:    chapters(course.Content),
	}}, nil
}

// course returns the wire shape of a course without its chapters.
func (a *api) course(c learning.Course) courseJSON {
	return courseJSON{
		ID: c.ID, Title: c.Title, Description: c.Description,
		Thumbnail: a.platform.MediaURL(c.Thumbnail),
		Price:     decimal(c.Price), Published: c.Published, Discount: decimal(c.Discount),
		AverageRating: c.Ratings.Average(), TotalRatings: c.Ratings.Count,
		TotalLectures: c.Lectures, TotalMinutes: c.Minutes,
		Educator:      person(c.Educator),
		TotalStudents: c.Students, CreatedAt: instant(c.CreatedAt), UpdatedAt: instant(c.UpdatedAt),
	}
}

// chapters returns the wire shape of chapters with their lectures. It is never nil, which would
// be null in JSON.
func chapters(content []learning.Chapter) []chapterJSON {
	out := make([]chapterJSON, 0, len(content))
	for _, ch := range content {
		out = append(out, chapterJSON{
			ID:       ch.ID,
			Order:    ch.Order,
			Title:    ch.Title,
			Lectures: lectures(ch.Lectures),
		})
	}
	return out
}

// lectures returns the wire shape of lectures. It is never nil.
func lectures(list []learning.Lecture) []lectureJSON {
	out := make([]lectureJSON, 0, len(list))
	for _, l := range list {
		out = append(out, lectureJSON{
			ID:          l.ID,
			Title:       l.Title,
			Minutes:     l.Minutes,
			URL:         l.URL,
			PreviewFree: l.PreviewFree,
			Order:       l.Order,
		})
	}
	return out
}
