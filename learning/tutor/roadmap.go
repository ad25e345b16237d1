package tutor

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// ErrNoCourses is the public failure of roadmaps.
var ErrNoCourses = &core.Error{Kind: core.Conflict, Code: "no_courses",
	Message: "Enroll in a course first"}

// Roadmap is a plan of what to learn, in stages. The AI writes it, and it is not
// stored.
type Roadmap struct {
	Title   string
	Summary string
	Stages  []Stage // in order, each with an id of its own
}

// Stage is a part of a roadmap. Its lists and TimeEstimate may be empty.
type Stage struct {
	ID              string
	Label           string
	Status          string // "completed", "current", "upcoming" or "future"
	Icon            string // usually an emoji
	Description     string
	Skills          []string
	Highlights      []string
	Courses         []StageCourse
	Recommendations []Recommendation
	Paths           []CareerPath
	TimeEstimate    string // in words
	Resources       []string
	Projects        []string
	Certifications  []string
}

// StageCourse is a course that belongs to a stage.
type StageCourse struct {
	Title      string
	Completion int // per cent; as in [study.CourseStats], 0 if the user is not enrolled
}

// Recommendation is an action that a stage recommends.
type Recommendation struct {
	Title    string
	Priority string // "high", "medium" or "low"
	Reason   string
}

// CareerPath is a profession that a stage can lead to.
type CareerPath struct {
	Title     string
	Readiness int      // per cent
	Gap       []string // what the student still lacks; may be empty
}

// PersonalRoadmap is a roadmap that is based on the user's courses.
type PersonalRoadmap struct {
	Roadmap
	Courses []study.CourseStats // all courses of the user, the oldest enrolment first
}

// Limits of the topic of a roadmap (docs/api.md §13), in code points.
const (
	minRoadmapTopic = 2
	maxRoadmapTopic = 120
)

// PersonalRoadmap returns a roadmap that the AI writes from the actor's courses and
// progress. It is not stored: each call writes another one, except that concurrent
// calls of one user in this process share one.
//
// Errors: [core.ErrUnauthenticated], [ErrNoCourses] without a call to the AI, and those of
// the AI: [ErrAINotConfigured], [ErrAIBusy], [ErrAIBudget].
func (s *Service) PersonalRoadmap(ctx context.Context, actor core.Actor) (PersonalRoadmap, error) {
	if err := actor.Require(); err != nil {
		return PersonalRoadmap{}, err
	}

	// Concurrent calls with the same user id share the result of one function. Its ctx ends when
	// the last of these callers has left, so it needs a time limit of its own.
	r, err := s.personalRoadmaps.Do(ctx, actor.UserID,
		func(ctx context.Context) (PersonalRoadmap, error) {
			ctx, cancel := context.WithTimeout(ctx, s.gate.Timeout)
			defer cancel()
			courses, err := s.study.CourseStats(ctx, actor.UserID)
			if err != nil {
				return PersonalRoadmap{}, err
			}
			if len(courses) == 0 {
				return PersonalRoadmap{}, ErrNoCourses
			}
			written, err := s.askForRoadmap(ctx, actor, personalInstructions,
				map[string]any{"courses": roadmapCourses(courses)})
			if err != nil {
				return PersonalRoadmap{}, err
			}
			return PersonalRoadmap{written.roadmap(courses), courses}, nil
		})
	return r, core.Wrap("write a personal roadmap", err)
}

// userTopic is the key of a custom roadmap. It contains the user id, because results
// are shared between callers with equal keys.
type userTopic struct{ userID, topic string }

// CustomRoadmap returns a roadmap that the AI writes for a topic. Concurrent calls of
// one user for one topic share one, as with [Service.PersonalRoadmap].
//
// Errors: [core.ErrUnauthenticated], [core.ErrInvalidRequest], and those of the AI.
func (s *Service) CustomRoadmap(ctx context.Context, actor core.Actor, topic string) (Roadmap,
	error) {
	if err := actor.Require(); err != nil {
		return Roadmap{}, err
	}
	topic = strings.TrimSpace(topic)
	// RequireText does not count a lower limit above 1.
	hasLength := utf8.RuneCountInString(topic) >= minRoadmapTopic
	err := cmp.Or(core.Require(hasLength, "topic",
		fmt.Sprintf("must have at least %d characters", minRoadmapTopic)),
		core.RequireText("topic", topic, 1, maxRoadmapTopic))
	if err != nil {
		return Roadmap{}, err
	}

	// Concurrent calls with the same key share the result, as in PersonalRoadmap.
	r, err := s.customRoadmaps.Do(ctx, userTopic{actor.UserID, topic},
		func(ctx context.Context) (Roadmap, error) {
			ctx, cancel := context.WithTimeout(ctx, s.gate.Timeout)
			defer cancel()
			written, err := s.askForRoadmap(ctx, actor, customInstructions,
				map[string]any{"topic": topic})
			if err != nil {
				return Roadmap{}, err
			}
			var noCourses []study.CourseStats // so nothing is completed
			return written.roadmap(noCourses), nil
		})
	return r, core.Wrap("write a roadmap to a topic", err)
}
