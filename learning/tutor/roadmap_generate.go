package tutor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// Limits of the data about a student in a prompt. They keep each prompt below 200 KB, and
// most prompts below 20 KB.
const (
	maxRoadmapCourses     = 40
	maxRoadmapDescription = 300 // code points
)

// writtenRoadmap is a roadmap as the AI writes it.
type writtenRoadmap struct {
	Title   string         `json:"title" jsonschema:"minLength=1,maxLength=200"`
	Summary string         `json:"summary" jsonschema:"minLength=1,maxLength=2000"`
	Stages  []writtenStage `json:"stages" jsonschema:"minItems=1,maxItems=12"`
}

type writtenStage struct {
	ID              string                  `json:"id" jsonschema:"minLength=1,maxLength=100"`
	Label           string                  `json:"label" jsonschema:"minLength=1,maxLength=200"`
	Status          string                  `json:"status" jsonschema:"enum=completed,enum=current,enum=upcoming,enum=future"`
	Icon            string                  `json:"icon" jsonschema:"minLength=1,maxLength=16"`
	Description     string                  `json:"description" jsonschema:"minLength=1,maxLength=2000"`
	Skills          []string                `json:"skills,omitempty" jsonschema:"maxItems=20,minLength=1,maxLength=300"`
	Highlights      []string                `json:"highlights,omitempty" jsonschema:"maxItems=20,minLength=1,maxLength=300"`
	Courses         []writtenCourse         `json:"courses,omitempty" jsonschema:"maxItems=40"`
	Recommendations []writtenRecommendation `json:"recommendations,omitempty" jsonschema:"maxItems=20"`
	Paths           []writtenPath           `json:"paths,omitempty" jsonschema:"maxItems=20"`
	TimeEstimate    string                  `json:"timeEstimate,omitempty" jsonschema:"maxLength=100"`
	Resources       []string                `json:"resources,omitempty" jsonschema:"maxItems=20,minLength=1,maxLength=300"`
	Projects        []string                `json:"projects,omitempty" jsonschema:"maxItems=20,minLength=1,maxLength=300"`
	Certifications  []string                `json:"certifications,omitempty" jsonschema:"maxItems=20,minLength=1,maxLength=300"`
}

type writtenCourse struct {
	Title      string `json:"title" jsonschema:"minLength=1,maxLength=300"`
	Completion int    `json:"completion" jsonschema:"minimum=0,maximum=100"`
}

type writtenRecommendation struct {
	Title    string `json:"title" jsonschema:"minLength=1,maxLength=300"`
	Priority string `json:"priority" jsonschema:"enum=high,enum=medium,enum=low"`
	Reason   string `json:"reason" jsonschema:"minLength=1,maxLength=1000"`
}

type writtenPath struct {
	Title     string   `json:"title" jsonschema:"minLength=1,maxLength=300"`
	Readiness int      `json:"readiness" jsonschema:"minimum=0,maximum=100"`
	Gap       []string `json:"gap" jsonschema:"maxItems=20,minLength=1,maxLength=300"`
}

var roadmapFormat = newAIFormat("roadmap", writtenRoadmap.problems)

// problems returns the violations of rules that a schema cannot express, in words for the AI, which
// is asked once more to correct them.
func (r writtenRoadmap) problems() (all []string) {
	if anyBlank(r.Title, r.Summary) {
		all = append(all, "the title or the summary is blank")
	}
	seen := map[string]bool{}
	for i, s := range r.Stages {
		if anyBlank(s.texts()...) {
			all = append(all, fmt.Sprintf("stages/%d: a text is blank", i))
		}
		id := strings.TrimSpace(s.ID)
		if seen[id] {
			all = append(all, fmt.Sprintf("stages/%d: the id is that of another stage", i))
		}
		seen[id] = true
	}
	return all
}

// texts returns all texts that must not be blank. TimeEstimate may be.
func (s writtenStage) texts() []string {
	all := slices.Concat([]string{s.ID, s.Label, s.Icon, s.Description}, s.Skills, s.Highlights,
		s.Resources, s.Projects, s.Certifications)
	for _, c := range s.Courses {
		all = append(all, c.Title)
	}
	for _, r := range s.Recommendations {
		all = append(all, r.Title, r.Reason)
	}
	for _, p := range s.Paths {
		all = append(append(all, p.Title), p.Gap...)
	}
	return all
}

// anyBlank reports whether one of the texts is empty or only spaces.
func anyBlank(texts ...string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// roadmap returns the roadmap for a student who is enrolled in the courses. The completion of a
// course is that of the last course with its title in courses, because that of the AI is not
// reliable. It is 0 if there is no such course.
func (r writtenRoadmap) roadmap(courses []study.CourseStats) Roadmap {
	completion := map[string]int{}
	for _, c := range courses {
		completion[strings.TrimSpace(c.Title)] = c.CompletionPercent()
	}
	out := Roadmap{Title: strings.TrimSpace(r.Title), Summary: strings.TrimSpace(r.Summary)}
	for _, s := range r.Stages {
		stage := s.stage()
		for i := range stage.Courses {
			stage.Courses[i].Completion = completion[stage.Courses[i].Title]
		}
		out.Stages = append(out.Stages, stage)
	}
	return out
}

// stage returns the stage with trimmed texts. The completion of its courses is that of the AI.
func (s writtenStage) stage() Stage {
	out := Stage{
		ID: strings.TrimSpace(s.ID), Label: strings.TrimSpace(s.Label), Status: s.Status,
		Icon:        strings.TrimSpace(s.Icon),
		Description: strings.TrimSpace(s.Description), Skills: trimmed(s.Skills),
		Highlights:   trimmed(s.Highlights),
		TimeEstimate: strings.TrimSpace(s.TimeEstimate), Resources: trimmed(s.Resources),
		Projects: trimmed(s.Projects), Certifications: trimmed(s.Certifications),
	}
	for _, c := range s.Courses {
		out.Courses = append(out.Courses, StageCourse{strings.TrimSpace(c.Title), c.Completion})
	}
	for _, r := range s.Recommendations {
		out.Recommendations = append(out.Recommendations,
			Recommendation{Title: strings.TrimSpace(r.Title), Priority: r.Priority,
				Reason: strings.TrimSpace(r.Reason)})
	}
	for _, p := range s.Paths {
		out.Paths = append(out.Paths,
			CareerPath{Title: strings.TrimSpace(p.Title), Readiness: p.Readiness,
				Gap: trimmed(p.Gap)})
	}
	return out
}

// trimmed returns the texts without the spaces around them; nil for none.
func trimmed(texts []string) (list []string) {
	for _, s := range texts {
		list = append(list, strings.TrimSpace(s))
	}
	return list
}

// The system messages. They contain no text of users.
const (
	personalInstructions = `You write the roadmap of a student of an online platform: what they have learnt, what to do next, and where it can lead.
The courses that the student is enrolled in follow as data, each with its title, how it begins to describe itself, and how much of it is completed, per cent. ` + aiDataRule + `
Write 4 to 7 stages, from what is completed to what is far away, in the language of the titles. A stage names those of the courses that belong to it, with their titles as they are given.
` + roadmapShape

	customInstructions = `You write a roadmap for somebody who wants to learn about a topic from the beginning.
The topic follows as data. ` + aiDataRule + `
Write 4 to 7 stages, from the basics to mastery, in the language of the topic. The first is current, and none is completed.
` + roadmapShape

	roadmapShape = `Answer with one JSON object and nothing around it:
{"title":"…","summary":"…","stages":[{"id":"stage-1","label":"…","status":"current","icon":"📘","description":"…","skills":["…"],"highlights":["…"],"courses":[{"title":"…","completion":0}],"recommendations":[{"title":"…","priority":"high","reason":"…"}],"paths":[{"title":"…","readiness":0,"gap":["…"]}],"timeEstimate":"…","resources":["…"],"projects":["…"],"certifications":["…"]}]}
Each id is another one. status is completed, current, upcoming or future. icon is one emoji. completion and readiness are integers from 0 to 100. priority is high, medium or low. gap lists what the student still lacks for the path. What follows the description may be left out of a stage. Keep every text to one or two sentences.`
)

// roadmapCourse is a course as the prompt describes it.
type roadmapCourse struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	Completion  int    `json:"completion"`
}

// roadmapCourses returns at most maxRoadmapCourses courses for the prompt. Courses with
// progress come first, then the others, each group with the newest enrolment first.
func roadmapCourses(courses []study.CourseStats) []roadmapCourse {
	// courses begins with the oldest enrolment.
	some := slices.Clone(courses)
	slices.Reverse(some)
	begun := func(c study.CourseStats) int { return min(c.Done, 1) } // 1 with progress, else 0
	slices.SortStableFunc(some,
		func(a, b study.CourseStats) int { return cmp.Compare(begun(b), begun(a)) })
	list := []roadmapCourse{}
	for _, c := range some[:min(len(some), maxRoadmapCourses)] {
		list = append(list,
			roadmapCourse{Title: c.Title,
				Description: text.Truncate(c.Description, maxRoadmapDescription),
				Completion:  c.CompletionPercent()})
	}
	return list
}

// askForRoadmap returns the roadmap that the AI writes by instructions, which are the system
// message, from the data in about. The tokens are counted for the actor. Its errors are those of
// askJSON.
func (s *Service) askForRoadmap(ctx context.Context, actor core.Actor, instructions string,
	about map[string]any) (writtenRoadmap, error) {
	data, err := aiData(about)
	if err != nil {
		return writtenRoadmap{}, err
	}
	return askJSON(ctx, s, actor, roadmapFormat,
		AIRequest{Messages: []AIMessage{{AISystem, instructions}, {AIUser, data}}})
}
