package learning

import (
	"context"
	"strings"
	"unicode/utf8"
)

// Roadmap is a way to learn something, in stages. The AI writes it, and it is not kept.
type Roadmap struct {
	Title   string
	Summary string
	Stages  []Stage // in order, each with an id of its own
}

// Stage is a part of a roadmap. Its lists may be empty, and so may TimeEstimate.
type Stage struct {
	ID              string
	Label           string
	Status          StageStatus
	Icon            string // an emoji, mostly
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

// StageStatus says where in a roadmap somebody is.
type StageStatus string

// The statuses of stages.
const (
	StageCompleted StageStatus = "completed"
	StageCurrent   StageStatus = "current"
	StageUpcoming  StageStatus = "upcoming"
	StageFuture    StageStatus = "future"
)

// StageCourse is a course that belongs to a stage.
type StageCourse struct {
	Title      string
	Completion int // per cent; as in [CourseStats], and 0 of a course that the person does not have
}

// Recommendation is what to do in a stage.
type Recommendation struct {
	Title    string
	Priority string // "high", "medium" or "low"
	Reason   string
}

// CareerPath is where a stage can lead.
type CareerPath struct {
	Title     string
	Readiness int      // per cent
	Gap       []string // what the student still lacks; may be empty
}

// PersonalRoadmap is a roadmap from what somebody has learnt.
type PersonalRoadmap struct {
	Roadmap
	Courses []CourseStats // all of theirs, the oldest enrolment first
}

// Limits of the topic of a roadmap (docs/api.md §13), in code points.
const (
	MinRoadmapTopic = 2
	MaxRoadmapTopic = 120
)

// PersonalRoadmap has a roadmap written from the actor's courses and what they have
// done of them. Nothing is kept: whoever asks again gets another, except that a person
// who asks while one is being written in this process gets that one.
//
// Errors: [ErrUnauthenticated], [ErrNoCourses] without asking the AI, and those of the
// AI: [ErrAINotConfigured], [ErrAIBusy], [ErrAIBudget].
func (p *Platform) PersonalRoadmap(ctx context.Context, actor Actor) (PersonalRoadmap, error) {
	if err := actor.Require(); err != nil {
		return PersonalRoadmap{}, err
	}
	r, err := p.personalRoadmaps.Do(ctx, actor.UserID, func(ctx context.Context) (PersonalRoadmap, error) {
		ctx, cancel := context.WithTimeout(ctx, p.aiTimeout)
		defer cancel()
		courses, err := p.courseStats(ctx, actor.UserID)
		if err != nil {
			return PersonalRoadmap{}, err
		}
		if len(courses) == 0 {
			return PersonalRoadmap{}, ErrNoCourses
		}
		written, err := p.askForRoadmap(ctx, actor, personalInstructions, map[string]any{"courses": roadmapCourses(courses)})
		return PersonalRoadmap{written.roadmap(courses), courses}, err
	})
	return r, wrap("write a personal roadmap", err)
}

// personTopic is the key of a custom roadmap: each person has their own.
type personTopic struct{ userID, topic string }

// CustomRoadmap has a roadmap to a topic written, for anybody who wants to learn it; it
// is written once as with [Platform.PersonalRoadmap].
//
// Errors: [ErrUnauthenticated], [ErrInvalidRequest], and those of the AI.
func (p *Platform) CustomRoadmap(ctx context.Context, actor Actor, topic string) (Roadmap, error) {
	if err := actor.Require(); err != nil {
		return Roadmap{}, err
	}
	topic = strings.TrimSpace(topic)
	if n := utf8.RuneCountInString(topic); n < MinRoadmapTopic || n > MaxRoadmapTopic {
		return Roadmap{}, ErrInvalidRequest
	}
	r, err := p.customRoadmaps.Do(ctx, personTopic{actor.UserID, topic}, func(ctx context.Context) (Roadmap, error) {
		ctx, cancel := context.WithTimeout(ctx, p.aiTimeout)
		defer cancel()
		written, err := p.askForRoadmap(ctx, actor, customInstructions, map[string]any{"topic": topic})
		return written.roadmap(nil), err
	})
	return r, wrap("write a roadmap to a topic", err)
}
