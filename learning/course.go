package learning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// Course is a course as lists show it.
type Course struct {
	ID          string
	Title       string
	Description string
	Thumbnail   string // name in the media store; see [Platform.MediaURL]
	Price       Money
	Discount    Percent
	Published   bool
	Educator    Person
	Ratings     Ratings
	Lectures    int // how many
	Minutes     int // of all lectures, rounded
	Students    int // enrolled
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Ratings is the sum and the number of a course's ratings; sums add up exactly.
type Ratings struct{ Sum, Count int }

// Chapter is a part of a course.
type Chapter struct {
	ID       string // unique within the course
	Order    int
	Title    string
	Lectures []Lecture
}

// Lecture is a part of a chapter.
type Lecture struct {
	ID          string // unique within the course
	Order       int
	Title       string
	Minutes     float64
	URL         string // "" where the caller may not have it
	PreviewFree bool
}

// FinalPrice is what the course costs after its discount, rounded half away from
// zero to the smallest unit.
func (c Course) FinalPrice() Money { return less(c.Price, c.Discount) }

// PublishedCourse is one published course with its chapters, for anyone: the URLs
// of lectures that are no free preview are left out. [ErrCourseNotFound] also for
// a draft.
func (p *Platform) PublishedCourse(ctx context.Context, id string) (Course, []Chapter, error) {
	c, err := p.published(ctx, id)
	if err != nil {
		return Course{}, nil, err
	}
	content, err := p.store.CourseContent(ctx, id)
	if err != nil {
		return Course{}, nil, fmt.Errorf("read the content of a course: %w", err)
	}
	return c, preview(content), nil
}

// published reads a course that may be shown and sold.
func (p *Platform) published(ctx context.Context, id string) (Course, error) {
	c, err := p.store.Course(ctx, id)
	if errors.Is(err, ErrNoRecord) || (err == nil && !c.Published) {
		return Course{}, ErrCourseNotFound
	}
	if err != nil {
		return Course{}, fmt.Errorf("read a course: %w", err)
	}
	return c, nil
}

// preview blanks what is only for those who are enrolled.
func preview(content []Chapter) []Chapter {
	for _, ch := range content {
		for i := range ch.Lectures {
			if !ch.Lectures[i].PreviewFree {
				ch.Lectures[i].URL = ""
			}
		}
	}
	return content
}

// MediaURL is where a browser finds a thumbnail.
func (p *Platform) MediaURL(name string) string {
	if name == "" || p.media == nil {
		return ""
	}
	return p.media.URL(name)
}

// AddCourse publishes (or keeps as a draft) a new course of an educator. The
// image is a JPEG, PNG or WebP; it is decoded and encoded again before it is
// kept. Errors: [ErrForbidden], [ErrInvalidRequest], [ErrThumbnailMissing],
// [ErrThumbnailRefused], [ErrThumbnailBusy], [ErrMediaNotConfigured].
func (p *Platform) AddCourse(ctx context.Context, actor Actor, n NewCourse, image []byte) (id string, err error) {
	if err := actor.RequireRole(Educator); err != nil {
		return "", err
	}
	if p.media == nil {
		return "", ErrMediaNotConfigured
	}
	c, content, err := p.draft(actor, n)
	if err != nil {
		return "", err
	}
	c.Thumbnail, err = p.keepThumbnail(ctx, image)
	if err != nil {
		return "", err
	}
	err = p.store.InTx(ctx, func(tx Tx) error {
		tx.AfterCommit(p.catalogueChanged)
		return tx.InsertCourse(ctx, c, content)
	})
	if err != nil && !p.added(ctx, c) {
		return "", fmt.Errorf("add a course: %w", err)
	}
	return c.ID, nil
}

// added tells whether a course is there although its transaction failed: the
// answer to COMMIT can be lost. If it is not, its thumbnail goes. When that cannot
// be known the thumbnail stays, since a file too many is better than one missing.
func (p *Platform) added(ctx context.Context, c Course) bool {
	asked, cancel := p.provider(context.WithoutCancel(ctx))
	defer cancel()
	there, err := p.store.Course(asked, c.ID)
	switch {
	case err == nil && there.Thumbnail == c.Thumbnail:
		p.catalogueChanged()
		return true
	case err == nil || errors.Is(err, ErrNoRecord):
		p.dropThumbnail(ctx, c.Thumbnail)
	default:
		p.log.WarnContext(ctx, "a thumbnail may be unused", "name", c.Thumbnail, "error", err)
	}
	return false
}

// draft turns what an educator sent into a course. All totals are computed here.
func (p *Platform) draft(actor Actor, n NewCourse) (Course, []Chapter, error) {
	content, err := n.normal(p.newID)
	if err != nil {
		return Course{}, nil, err
	}
	lectures, minutes := totals(content)
	now := p.now()
	return Course{
		ID: cmp.Or(n.ID, p.newID()), Title: n.Title, Description: n.Description,
		Price: n.Price, Discount: n.Discount, Published: n.Published,
		Educator: Person{ID: actor.UserID}, Lectures: lectures, Minutes: minutes,
		CreatedAt: now, UpdatedAt: now,
	}, content, nil
}

// totals counts the lectures and their minutes, rounded half away from zero. The
// minutes are added up in millionths, since the sum of 0.1 and the like in binary
// can fall just short of a half.
func totals(content []Chapter) (lectures, minutes int) {
	const whole = 1_000_000
	sum := 0.0
	for _, ch := range content {
		lectures += len(ch.Lectures)
		for _, l := range ch.Lectures {
			sum += math.Round(l.Minutes * whole)
		}
	}
	return lectures, int((sum + whole/2) / whole)
}

// inOrder sorts chapters, and the lectures within them, by their order; those with
// the same stay as they were given.
func inOrder(content []Chapter) {
	slices.SortStableFunc(content, func(a, b Chapter) int { return cmp.Compare(a.Order, b.Order) })
	for _, ch := range content {
		slices.SortStableFunc(ch.Lectures, func(a, b Lecture) int { return cmp.Compare(a.Order, b.Order) })
	}
}

// Average is the exact mean to one decimal, rounded half away from zero; 0
// without ratings.
func (r Ratings) Average() float64 {
	if r.Count <= 0 {
		return 0
	}
	return float64((20*r.Sum+r.Count)/(2*r.Count)) / 10
}

// CourseReader reads courses. They come with their educator.
type CourseReader interface {
	// PublishedCourses lists what is published, the oldest first, by id on a tie.
	PublishedCourses(ctx context.Context) ([]Course, error)
	// CatalogueRevision changes whenever PublishedCourses would.
	CatalogueRevision(ctx context.Context) (Revision, error)
	// Course reads one course, published or not.
	Course(ctx context.Context, id string) (Course, error)
	// CourseContent reads the chapters of one course, in order.
	CourseContent(ctx context.Context, courseID string) ([]Chapter, error)
	// LectureIDs reads the ids alone of the lectures of one course, in order.
	LectureIDs(ctx context.Context, courseID string) ([]string, error)
}

// CourseWriter writes courses.
type CourseWriter interface {
	// InsertCourse stores a course and its chapters; [ErrDuplicate] when the id is taken.
	InsertCourse(ctx context.Context, c Course, content []Chapter) error
	// IncrementEnrollments adds one to a course's students.
	IncrementEnrollments(ctx context.Context, courseID string) error
	// MarkCoursesChanged marks the courses of an educator as changed in the list,
	// because the educator is shown there; it tells whether there are any.
	MarkCoursesChanged(ctx context.Context, educatorID string) (bool, error)
	// MarkCourseChanged marks one course as changed in the list; [ErrNoRecord] when there
	// is none.
	MarkCourseChanged(ctx context.Context, id string) error
	// UpdateTotals overwrites the lectures, minutes and update time of a course, and
	// marks it as changed in the list; [ErrNoRecord] when there is none.
	UpdateTotals(ctx context.Context, c Course) error
	// UpdateContent overwrites the chapters of a course; [ErrNoRecord] when there is
	// none.
	UpdateContent(ctx context.Context, courseID string, content []Chapter) error
	// CountRating adds to the sum and the number of a course's ratings, and marks it
	// as changed in the list; [ErrNoRecord] when there is none.
	CountRating(ctx context.Context, courseID string, change Ratings) error
}
