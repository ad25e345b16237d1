package httpapi

import "github.com/openlectern/openlectern/learning"

// courseJSON is a course as lists show it (docs/api.md §5).
type courseJSON struct {
	ID            string     `json:"_id"`
	Title         string     `json:"courseTitle"`
	Description   string     `json:"courseDescription"`
	Thumbnail     string     `json:"courseThumbnail"`
	Price         decimal    `json:"coursePrice"`
	Published     bool       `json:"isPublished"`
	Discount      decimal    `json:"discount"`
	AverageRating float64    `json:"averageRating"`
	TotalRatings  int        `json:"totalRatings"`
	TotalLectures int        `json:"totalLectures"`
	TotalMinutes  int        `json:"totalDurationMinutes"`
	Educator      personJSON `json:"educatorId"`
	TotalStudents int        `json:"totalEnrolledStudents"`
	CreatedAt     instant    `json:"createdAt"`
	UpdatedAt     instant    `json:"updatedAt"`
}

type chapterJSON struct {
	ID       string        `json:"chapterId"`
	Order    int           `json:"chapterOrder"`
	Title    string        `json:"chapterTitle"`
	Lectures []lectureJSON `json:"chapterContent"`
}

type lectureJSON struct {
	ID          string  `json:"lectureId"`
	Title       string  `json:"lectureTitle"`
	Minutes     float64 `json:"lectureDuration"`
	URL         string  `json:"lectureUrl"`
	PreviewFree bool    `json:"isPreviewFree"`
	Order       int     `json:"lectureOrder"`
}

type courseDetailJSON struct {
	courseJSON
	Content []chapterJSON `json:"courseContent"`
}

type courseAnswer struct {
	Course courseDetailJSON `json:"courseData"`
}

func (a *api) getCourse(c *call, _ none) (courseAnswer, error) {
	course, content, err := a.platform.PublishedCourse(c.Context(), c.param("id"))
	if err != nil {
		return courseAnswer{}, err
	}
	return courseAnswer{courseDetailJSON{a.course(course), chapters(content)}}, nil
}

func (a *api) course(c learning.Course) courseJSON {
	return courseJSON{
		ID: c.ID, Title: c.Title, Description: c.Description, Thumbnail: a.platform.MediaURL(c.Thumbnail),
		Price: decimal(c.Price), Published: c.Published, Discount: decimal(c.Discount),
		AverageRating: c.Ratings.Average(), TotalRatings: c.Ratings.Count,
		TotalLectures: c.Lectures, TotalMinutes: c.Minutes,
		Educator:      person(c.Educator),
		TotalStudents: c.Students, CreatedAt: instant(c.CreatedAt), UpdatedAt: instant(c.UpdatedAt),
	}
}

func chapters(content []learning.Chapter) []chapterJSON {
	out := make([]chapterJSON, 0, len(content))
	for _, ch := range content {
		out = append(out, chapterJSON{ch.ID, ch.Order, ch.Title, lectures(ch.Lectures)})
	}
	return out
}

func lectures(list []learning.Lecture) []lectureJSON {
	out := make([]lectureJSON, 0, len(list))
	for _, l := range list {
		out = append(out, lectureJSON{l.ID, l.Title, l.Minutes, l.URL, l.PreviewFree, l.Order})
	}
	return out
}
