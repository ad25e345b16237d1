package httpapi

import (
	"github.com/openlectern/openlectern/learning/tutor"
)

// roadmapJSON is a roadmap (docs/api.md §13).
type roadmapJSON struct {
	_ struct{} `doc:"A plan for learning in stages. The AI writes its texts: escape them."`

	Title   string             `json:"title"`
	Summary string             `json:"summary" doc:"The plan in a few sentences."`
	Stages  []roadmapStageJSON `json:"stages" doc:"The stages, in order."`
}

type roadmapStageJSON struct {
	ID              string                      `json:"id" doc:"Unique within the roadmap."`
	Label           string                      `json:"label" doc:"The title of the stage."`
	Status          string                      `json:"status" jsonschema:"enum=completed,enum=current,enum=upcoming,enum=future" doc:"Where the caller is: stages that are 'completed', the 'current' one, the 'upcoming' ones, and those of the 'future'."`
	Icon            string                      `json:"icon" doc:"Usually an emoji."`
	Description     string                      `json:"description" doc:"What the stage is about."`
	Skills          []string                    `json:"skills,omitempty" doc:"Skills to acquire."`
	Highlights      []string                    `json:"highlights,omitempty" doc:"What is worth knowing."`
	Courses         []roadmapCourseJSON         `json:"courses,omitempty" doc:"Courses of the stage."`
	Recommendations []roadmapRecommendationJSON `json:"recommendations,omitempty" doc:"What to do."`
	Paths           []roadmapPathJSON           `json:"paths,omitempty" doc:"Professions it leads to."`
	TimeEstimate    string                      `json:"timeEstimate,omitempty" doc:"How long it takes."`
	Resources       []string                    `json:"resources,omitempty" doc:"Books, pages and the like."`
	Projects        []string                    `json:"projects,omitempty" doc:"Projects for practice."`
	Certifications  []string                    `json:"certifications,omitempty" doc:"Certifications to aim at."`
}

type roadmapCourseJSON struct {
	Title      string `json:"title"`
	Completion int    `json:"completion" doc:"The share of it that the caller has completed, in per cent. 0 if the caller is not enrolled."`
}

type roadmapRecommendationJSON struct {
	Title    string `json:"title" doc:"What to do."`
	Priority string `json:"priority" jsonschema:"enum=high,enum=medium,enum=low" doc:"Its importance."`
	Reason   string `json:"reason" doc:"Why."`
}

type roadmapPathJSON struct {
	Title     string   `json:"title" doc:"The name of the profession."`
	Readiness int      `json:"readiness" doc:"How well the caller is prepared, in per cent."`
	Gap       []string `json:"gap" doc:"What the caller still lacks. It may be empty."`
}

type courseStatsJSON struct {
	_ struct{} `doc:"The caller's progress in a course. The platform computes it, not the AI."`

	Title             string `json:"title" doc:"The title of the course, plain text."`
	Description       string `json:"description" doc:"As its educator wrote it; it may hold HTML."`
	CompletionPercent int    `json:"completionPercent" doc:"Of its lectures, in per cent."`
	TotalLectures     int    `json:"totalLectures"`
	DoneLectures      int    `json:"doneLectures" doc:"How many the caller has completed."`
}

type personalRoadmapAnswer struct {
	Roadmap     roadmapJSON       `json:"roadmap"`
	CourseStats []courseStatsJSON `json:"courseStats" doc:"The oldest enrolment first."`
}

// personalRoadmap answers a roadmap for the caller, with the progress in each course. If there is
// an error, the answer is not sent.
func (a *api) personalRoadmap(c *call, _ none) (personalRoadmapAnswer, error) {
	r, err := a.platform.Tutor.PersonalRoadmap(c.Context(), c.actor)
	answer := personalRoadmapAnswer{roadmapOf(r.Roadmap),
		make([]courseStatsJSON, 0, len(r.Courses))}
	for _, s := range r.Courses {
		answer.CourseStats = append(answer.CourseStats, courseStatsJSON{
			Title:             s.Title,
			Description:       s.Description,
			CompletionPercent: s.CompletionPercent(),
			TotalLectures:     s.Lectures,
			DoneLectures:      s.Done,
		})
	}
	return answer, err
}

type customRoadmapRequest struct {
	Topic string `json:"topic" jsonschema:"minLength=2,maxLength=120" doc:"What to learn."`
}

type customRoadmapAnswer struct {
	Roadmap roadmapJSON `json:"roadmap"`
}

// customRoadmap answers a roadmap for the topic in the request. If there is an error, the answer is
// not sent.
func (a *api) customRoadmap(c *call, in customRoadmapRequest) (customRoadmapAnswer, error) {
	r, err := a.platform.Tutor.CustomRoadmap(c.Context(), c.actor, in.Topic)
	return customRoadmapAnswer{roadmapOf(r)}, err
}

// roadmapOf returns the wire shape of a roadmap.
func roadmapOf(r tutor.Roadmap) roadmapJSON {
	out := roadmapJSON{
		Title:   r.Title,
		Summary: r.Summary,
		Stages:  make([]roadmapStageJSON, len(r.Stages)),
	}
	for i, s := range r.Stages {
		out.Stages[i] = stageOf(s)
	}
	return out
}

// stageOf returns the wire shape of a stage. Optional lists that are empty are left out.
func stageOf(s tutor.Stage) roadmapStageJSON {
	out := roadmapStageJSON{
		ID: s.ID, Label: s.Label, Status: s.Status, Icon: s.Icon, Description: s.Description,
		Skills: s.Skills, Highlights: s.Highlights,
		TimeEstimate: s.TimeEstimate, Resources: s.Resources, Projects: s.Projects,
		Certifications: s.Certifications,
	}
	for _, c := range s.Courses {
		out.Courses = append(out.Courses, roadmapCourseJSON(c))
	}
	for _, r := range s.Recommendations {
		out.Recommendations = append(out.Recommendations, roadmapRecommendationJSON(r))
	}
	for _, p := range s.Paths {
		out.Paths = append(out.Paths, roadmapPathJSON{
			Title:     p.Title,
			Readiness: p.Readiness,
			Gap:       append([]string{}, p.Gap...), // [] rather than null
		})
	}
	return out
}
