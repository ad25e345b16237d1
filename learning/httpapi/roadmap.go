package httpapi

import "github.com/openlectern/openlectern/learning"

// roadmapJSON is a roadmap (docs/api.md §13).
type roadmapJSON struct {
	Title   string             `json:"title"`
	Summary string             `json:"summary"`
	Stages  []roadmapStageJSON `json:"stages"`
}

type roadmapStageJSON struct {
	ID              string                      `json:"id"`
	Label           string                      `json:"label"`
	Status          string                      `json:"status" jsonschema:"enum=completed,enum=current,enum=upcoming,enum=future"`
	Icon            string                      `json:"icon"`
	Description     string                      `json:"description"`
	Skills          []string                    `json:"skills,omitempty"`
	Highlights      []string                    `json:"highlights,omitempty"`
	Courses         []roadmapCourseJSON         `json:"courses,omitempty"`
	Recommendations []roadmapRecommendationJSON `json:"recommendations,omitempty"`
	Paths           []roadmapPathJSON           `json:"paths,omitempty"`
	TimeEstimate    string                      `json:"timeEstimate,omitempty"`
	Resources       []string                    `json:"resources,omitempty"`
	Projects        []string                    `json:"projects,omitempty"`
	Certifications  []string                    `json:"certifications,omitempty"`
}

type roadmapCourseJSON struct {
	Title      string `json:"title"`
	Completion int    `json:"completion"`
}

type roadmapRecommendationJSON struct {
	Title    string `json:"title"`
	Priority string `json:"priority" jsonschema:"enum=high,enum=medium,enum=low"`
	Reason   string `json:"reason"`
}

type roadmapPathJSON struct {
	Title     string   `json:"title"`
	Readiness int      `json:"readiness"`
	Gap       []string `json:"gap"`
}

type courseStatsJSON struct {
	Title             string `json:"title"`
	Description       string `json:"description"`
	CompletionPercent int    `json:"completionPercent"`
	TotalLectures     int    `json:"totalLectures"`
	DoneLectures      int    `json:"doneLectures"`
}

type personalRoadmapAnswer struct {
	Roadmap     roadmapJSON       `json:"roadmap"`
	CourseStats []courseStatsJSON `json:"courseStats"`
}

func (a *api) personalRoadmap(c *call, _ none) (personalRoadmapAnswer, error) {
	r, err := a.platform.PersonalRoadmap(c.Context(), c.actor)
	answer := personalRoadmapAnswer{roadmapOf(r.Roadmap), make([]courseStatsJSON, 0, len(r.Courses))}
	for _, s := range r.Courses {
		answer.CourseStats = append(answer.CourseStats, courseStatsJSON{s.Title, s.Description, s.CompletionPercent(), s.Lectures, s.Done})
	}
	return answer, err
}

type customRoadmapRequest struct {
	Topic string `json:"topic" jsonschema:"minLength=2,maxLength=120"`
}

type customRoadmapAnswer struct {
	Roadmap roadmapJSON `json:"roadmap"`
}

func (a *api) customRoadmap(c *call, in customRoadmapRequest) (customRoadmapAnswer, error) {
	r, err := a.platform.CustomRoadmap(c.Context(), c.actor, in.Topic)
	return customRoadmapAnswer{roadmapOf(r)}, err
}

func roadmapOf(r learning.Roadmap) roadmapJSON {
	out := roadmapJSON{r.Title, r.Summary, make([]roadmapStageJSON, len(r.Stages))}
	for i, s := range r.Stages {
		out.Stages[i] = stageOf(s)
	}
	return out
}

func stageOf(s learning.Stage) roadmapStageJSON {
	out := roadmapStageJSON{
		ID: s.ID, Label: s.Label, Status: s.Status, Icon: s.Icon, Description: s.Description, Skills: s.Skills, Highlights: s.Highlights,
		TimeEstimate: s.TimeEstimate, Resources: s.Resources, Projects: s.Projects, Certifications: s.Certifications,
	}
	for _, c := range s.Courses {
		out.Courses = append(out.Courses, roadmapCourseJSON(c))
	}
	for _, r := range s.Recommendations {
		out.Recommendations = append(out.Recommendations, roadmapRecommendationJSON(r))
	}
	for _, p := range s.Paths {
		out.Paths = append(out.Paths, roadmapPathJSON{p.Title, p.Readiness, append([]string{}, p.Gap...)}) // [] rather than null
	}
	return out
}
