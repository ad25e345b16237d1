package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

// partsStore is a store that records the pages that are read of lists.
type partsStore struct {
	learning.Store
	pages []learning.PageRequest
}

func (s *partsStore) record(page learning.PageRequest) { s.pages = append(s.pages, page) }

func (s *partsStore) CoursesOf(
	ctx context.Context, educatorID string, page learning.PageRequest,
) ([]catalog.Course, error) {
	s.record(page)
	return s.Store.CoursesOf(ctx, educatorID, page)
}

func (s *partsStore) Courses(
	ctx context.Context, q catalog.CourseQuery, search core.WordSearch,
	page learning.PageRequest,
) ([]catalog.Course, error) {
	s.record(page)
	return s.Store.Courses(ctx, q, search, page)
}

func (s *partsStore) StudentsIn(
	ctx context.Context, selected staff.StudentSelection, page learning.PageRequest,
) ([]staff.TaughtStudent, error) {
	s.record(page)
	return s.Store.StudentsIn(ctx, selected, page)
}

func (s *partsStore) EnrolledCourses(
	ctx context.Context, userID string, page learning.PageRequest,
) ([]study.EnrolledCourse, error) {
	s.record(page)
	return s.Store.EnrolledCourses(ctx, userID, page)
}

func (s *partsStore) QuizMarks(
	ctx context.Context, userID string, page learning.PageRequest,
) ([]assess.QuizMark, error) {
	s.record(page)
	return s.Store.QuizMarks(ctx, userID, page)
}

func (s *partsStore) Applications(
	ctx context.Context, status people.ApplicationStatus, page learning.PageRequest,
) ([]people.Application, error) {
	s.record(page)
	return s.Store.Applications(ctx, status, page)
}

func (s *partsStore) CourseReports(
	ctx context.Context, currency string, page learning.PageRequest,
) ([]staff.CourseReport, error) {
	s.record(page)
	return s.Store.CourseReports(ctx, currency, page)
}

// A list that is answered in full is read in parts, so that no statement and no memory grows with
// it.
func TestFullLists_AreReadInParts(t *testing.T) {
	parts := &partsStore{}
	kit := wrapped(t, func(st learning.Store) learning.Store {
		parts.Store = st
		return parts
	})
	s := newSite(t, kit)
	course := s.Course(t, "go", 10_00)
	s.Buy(t, s.Person(t, "student", core.Student), course)
	s.Person(t, "educator", core.Educator)
	s.Person(t, "admin", core.Admin)
	for _, list := range []struct{ path, userID string }{
		{"/api/course/all", "admin"},
		{"/api/user/enrolled-courses", "student"},
		{"/api/quiz/my-results", "student"},
		{"/api/educator/courses", "educator"},
		{"/api/educator/dashboard", "educator"},
		{"/api/educator/enrolled-students", "educator"},
		{"/api/admin/courses", "admin"},
		{"/api/admin/educator-applications", "admin"},
	} {
		parts.pages = nil
		answer := s.do(http.MethodGet, list.path, "", s.as(list.userID)...)
		if answer.Code != http.StatusOK {
			t.Errorf("%s: %d %s", list.path, answer.Code, answer.Body)
		}
		if len(parts.pages) == 0 {
			t.Errorf("%s reads no page", list.path)
		}
		for _, page := range parts.pages {
			if page.Limit < 1 || page.Limit > 1000 {
				t.Errorf("%s reads %d rows at once", list.path, page.Limit)
			}
		}
	}
}

// A catalogue that is too long to be kept in memory is answered all the same.
func TestCourseList_TooLongToBeKept(t *testing.T) {
	const kept = 32 << 10
	s := newSite(t, learningtest.New(t), httpapi.WithAnswerBytes(4*kept))
	size, courses := 0, 0
	for ; size <= 2*kept; courses++ {
		s.Course(t, fmt.Sprintf("course-%03d", courses), 10_00)
		answer := s.get(list)
		var body struct {
			Success bool
			Courses []struct {
				ID string `json:"_id"`
			}
		}
		check(t, json.Unmarshal(answer.Body.Bytes(), &body))
		if !body.Success || len(body.Courses) != courses+1 ||
			body.Courses[courses].ID != fmt.Sprintf("course-%03d", courses) {
			t.Fatalf("with %d courses: %s", courses+1, answer.Body)
		}
		size = answer.Body.Len()
		isKept := answer.Header().Get("Etag") != ""
		if size < kept && !isKept || size > 2*kept && isKept {
			t.Errorf("a list of %d bytes is kept: %v", size, isKept)
		}
	}
}

// A list whose first rows fill the buffer more than once ends each part that it reads. A part that
// does not end would take a turn for good, and a few requests later no list could be read.
func TestFullList_OfLongRowsEndsEachPart(t *testing.T) {
	t.Parallel()
	s := newSite(t, learningtest.New(t))
	ada := s.Person(t, "ada", core.Student)
	const posts = 60
	for range posts {
		_, err := s.Platform.Community.CreatePost(t.Context(), ada, community.NewPost{
			Title: "A post", Content: strings.Repeat("x", community.MaxPostContent),
		})
		check(t, err)
	}
	for range 4 {
		answer := s.get("/api/community/posts")
		var body struct{ Posts []json.RawMessage }
		err := json.Unmarshal(answer.Body.Bytes(), &body)
		if answer.Code != http.StatusOK || err != nil || len(body.Posts) != posts {
			t.Fatalf("%d, %d posts, %v", answer.Code, len(body.Posts), err)
		}
	}
}
