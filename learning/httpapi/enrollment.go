package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

type enrolledCourseJSON struct {
	ID         string  `json:"_id"`
	Title      string  `json:"title" doc:"The title of the course, plain text."`
	Thumbnail  string  `json:"thumbnail" doc:"The URL of the picture of the course."`
	Price      decimal `json:"price" doc:"The price before the discount."`
	EducatorID string  `json:"educator" doc:"The id of the educator."`
	Lectures   int     `json:"totalLectures"`
	Minutes    int     `json:"totalDurationMinutes" doc:"Of all lectures, rounded."`
	// null when there is none
	UserRating    *int              `json:"userRating" jsonschema:"nullable" doc:"From 1 to 5. Null if there is none."`
	Progress      lectureCountsJSON `json:"progress"`
	LastActiveAt  *instant          `json:"lastActiveAt" jsonschema:"nullable" doc:"When the caller saved a position or completed a lecture in the course last. Null if never in this enrolment."`
	LastLectureID *string           `json:"lastLectureId" jsonschema:"nullable" doc:"The lecture of that position. Null if there is none, or if the course does not have the lecture any more."`
	ExpiresAt     *instant          `json:"expiresAt" jsonschema:"nullable" doc:"When the access ends. Null for no end."`
	IsExpired     bool              `json:"isExpired" doc:"Whether the access has ended."`

	Metadata metadataJSON `json:"metadata,omitempty" doc:"What the host keeps with the course. Left out if it is empty."`
}

type lectureCountsJSON struct {
	_ struct{} `doc:"How many lectures the caller has completed."`

	Completed int `json:"completedLectures" doc:"Of those that the course has now."`
	Total     int `json:"totalLectures"`
}

// enrolledList is the id of the route that lists the courses of the caller, and recentCourses the
// value of sort for those that were used last.
const (
	enrolledList  = "enrollment.list"
	recentCourses = "recent"
)

type enrolledCoursesAnswer struct {
	Courses []enrolledCourseJSON `json:"enrolledCourses" doc:"The oldest enrolment first, unless 'sort' says otherwise."`
	Next    nextCursor           `json:"nextCursor,omitzero"`
}

// enrolledCourses answers all courses in which the caller is enrolled, or one page of them if the
// query has a limit or a cursor. It refuses an unknown order.
func (a *api) enrolledCourses(w http.ResponseWriter, c *call) error {
	read := a.platform.Study.EnrolledCourses
	switch c.URL.Query().Get("sort") {
	case "":
	case recentCourses:
		read = a.platform.Study.RecentCourses
	default:
		return core.InvalidField("sort", unknownWord)
	}
	return listing[study.EnrolledCourse, enrolledCourseJSON]{
		field: "enrolledCourses",
		page: func(page core.PageRequest) (core.Page[study.EnrolledCourse], error) {
			return read(c.Context(), c.actor, page)
		},
		shape: func(course study.EnrolledCourse) enrolledCourseJSON {
			return enrolledCourseJSON{
				ID:         course.ID,
				Title:      course.Title,
				Thumbnail:  a.platform.Files.MediaURL(course.Thumbnail),
				Price:      decimal(course.Price),
				EducatorID: course.Educator.ID,
				Lectures:   course.Lectures,
				Minutes:    course.Minutes,
				UserRating: userRating(course),
				Progress: lectureCountsJSON{Completed: course.CompletedLectures,
					Total: course.Lectures},
				LastActiveAt:  nullableTime(course.LastActiveAt),
				LastLectureID: nullable(course.LastLectureID),
				ExpiresAt:     nullableTime(course.ExpiresAt),
				IsExpired:     course.IsExpired,
				Metadata:      metadataJSON(course.Metadata),
			}
		},
		answer: func(rows []enrolledCourseJSON, next nextCursor) any {
			return enrolledCoursesAnswer{rows, next}
		},
	}.write(w, c)
}

type enrolledDetailJSON struct {
	_ struct{} `doc:"A course of the caller with its chapters and lectures, and where the caller is in them."`

	courseJSON
	Content       []enrolledChapterJSON `json:"courseContent" doc:"The chapters, in order."`
	Terms         *termsJSON            `json:"terms,omitempty" doc:"Left out if the course has none."`
	Requires      []requiredJSON        `json:"requires,omitempty" doc:"The courses that must be completed before this one is bought, as far as they are published. Left out if there are none."`
	ExpiresAt     *instant              `json:"expiresAt" jsonschema:"nullable" doc:"When the access of the caller ends. Null for no end."`
	LastLectureID *string               `json:"lastLectureId" jsonschema:"nullable" doc:"The lecture in which the caller saved a position last. Null if there is none, or if the course does not have the lecture any more."`
}

type enrolledChapterJSON struct {
	chapterJSON
	Lectures []enrolledLectureJSON `json:"chapterContent" doc:"The lectures of the chapter, in order."`
}

type enrolledLectureJSON struct {
	lectureJSON
	lockJSON
	Position float64 `json:"position" doc:"Where the caller was last in the lecture, in seconds. It may have a fraction, and is 0 if no position was saved."`
}

// lockJSON says why a lecture is not open.
type lockJSON struct {
	IsLocked bool             `json:"isLocked,omitempty" doc:"True if the lecture is not open to the caller yet. Left out if it is."`
	OpensAt  **instantText    `json:"opensAt,omitempty" jsonschema:"nullable" doc:"When a lecture that is locked opens. Null where it depends on the progress. Left out if the lecture is open."`
	LockedBy catalog.LockedBy `json:"lockedBy,omitempty" jsonschema:"enum=time,enum=order" doc:"Why the lecture is locked: 'time', or 'order' if lectures before it must be completed first. Left out if it is open."`
}

// lockOf returns the wire shape of a lock, with no fields if there is none.
func lockOf(l catalog.Lock) lockJSON {
	if l.By == "" {
		return lockJSON{}
	}
	var opensAt *instantText
	if !l.OpensAt.IsZero() {
		opensAt = new(instantText(l.OpensAt.UTC().Format(instantLayout)))
	}
	return lockJSON{IsLocked: true, OpensAt: &opensAt, LockedBy: l.By}
}

type enrolledCourseAnswer struct {
	Course     enrolledDetailJSON `json:"courseData" doc:"The course, with the URL of every lecture."`
	UserRating *int               `json:"userRating" jsonschema:"nullable" doc:"From 1 to 5. Null if there is none."`
	UserReview *string            `json:"userReview" jsonschema:"nullable" doc:"What the caller wrote to the rating. Null if that is nothing."`
}

// enrolledCourse answers a course with the URLs of all lectures, for the caller who is enrolled.
func (a *api) enrolledCourse(c *call, _ none) (enrolledCourseAnswer, error) {
	course, err := a.platform.Study.EnrolledCourse(c.Context(), c.actor, c.Param("courseId"))
	if err != nil {
		return enrolledCourseAnswer{}, err
	}
	const withProgress = true
	return enrolledCourseAnswer{enrolledDetailJSON{
		courseJSON:    a.course(course.Course),
		Content:       enrolledChapters(course),
		Terms:         publicTermsOf(course.Terms),
		Requires:      requiredOf(course.Requires, withProgress),
		ExpiresAt:     nullableTime(course.ExpiresAt),
		LastLectureID: nullable(course.LastLectureID),
	}, userRating(course.EnrolledCourse), nullable(course.Review)}, nil
}

// enrolledChapters returns the wire shape of the chapters of a course with the positions of the
// caller. It is never nil, which would be null in JSON.
func enrolledChapters(course study.EnrolledCourseWithContent) []enrolledChapterJSON {
	out := make([]enrolledChapterJSON, 0, len(course.Content))
	for _, ch := range chapters(course.Content) {
		list := make([]enrolledLectureJSON, len(ch.Lectures))
		for i, l := range ch.Lectures {
			list[i] = enrolledLectureJSON{lectureJSON: l,
				lockJSON: lockOf(course.Locks[l.ID]),
				Position: float64(course.Positions[l.ID]) / 1000}
		}
		out = append(out, enrolledChapterJSON{chapterJSON: ch, Lectures: list})
	}
	return out
}

// userRating returns the stars that the caller has given a course, or nil, which is null in JSON,
// if the caller has not rated it.
func userRating(c study.EnrolledCourse) *int {
	if c.Stars == 0 {
		return nil
	}
	return &c.Stars
}
