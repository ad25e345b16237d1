package tutor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/study"
	"github.com/openlectern/openlectern/learning/tutor"
)

// roadmap returns a roadmap in the AI's format, with a change of its second stage. The first
// stage has all fields, the second only the required ones.
func roadmap(set func(stage map[string]any)) string {
	second := map[string]any{"id": "2", "label": "Then", "status": "future", "icon": "⛵",
		"description": "Sail on."}
	first := maps.Clone(second)
	maps.Copy(first, map[string]any{
		"id": "1", "status": "current", "skills": []string{"Knots"},
		"highlights": []string{"A boat"},
		"courses":    []any{map[string]any{"title": "Course 0", "completion": 99}},
		"recommendations": []any{map[string]any{"title": "Row", "priority": "low",
			"reason": "It is calm."}},
		"paths": []any{map[string]any{"title": "Captain", "readiness": 5,
			"gap": []string{"A ship.", "A crew."}}},
		"timeEstimate": "2 weeks", "resources": []string{"A book"},
		"projects": []string{"A raft"}, "certifications": []string{"A badge"},
	})
	set(second)
	return roadmapOf(first, second)
}

func roadmapOf(stages ...map[string]any) string {
	// such values always encode
	text, _ := json.Marshal(map[string]any{"title": "Sailing", "summary": "From land to sea.",
		"stages": stages})
	return string(text)
}

func asItIs(map[string]any) {}

func stage(name string, value any) string {
	return roadmap(func(s map[string]any) { s[name] = value })
}

func without(name string) string {
	return roadmap(func(s map[string]any) { delete(s, name) })
}

// stages returns a roadmap with so many stages.
func stages(n int) string {
	var list []map[string]any
	for i := range n {
		list = append(list, map[string]any{"id": fmt.Sprint(i), "label": "L", "status": "future",
			"icon": "⛵", "description": "D"})
	}
	return roadmapOf(list...)
}

var goodRoadmap = roadmap(asItIs)

// badRoadmaps are invalid answers. The AI is asked once more to correct each of them.
var badRoadmaps = map[string]string{
	"nothing but blanks":       " \n\t",
	"prose":                    "I would rather not.",
	"prose before":             "Here is the roadmap:\n" + goodRoadmap,
	"prose behind":             goodRoadmap + "\nHave fun!",
	"prose around a fence":     "Sure!\n```json\n" + goodRoadmap + "\n```\nEnjoy.",
	"two roadmaps":             goodRoadmap + goodRoadmap,
	"a list":                   "[" + goodRoadmap + "]",
	"inside of another object": `{"roadmap":` + goodRoadmap + `}`,
	"cut off":                  goodRoadmap[:len(goodRoadmap)/2],
	"null":                     "null",
	"no stages":                roadmapOf([]map[string]any{}...),
	"an empty list of stages": stages(1)[:strings.Index(stages(1), "[")] +
		`[],"summary":"S","title":"T"}`,
	"13 stages": stages(13),
	"no title": strings.Replace(goodRoadmap, `"title":"Sailing"`,
		`"name":"Sailing"`, 1),
	"a blank title": strings.Replace(goodRoadmap, "Sailing", "  ", 1),
	"a title that is too long": strings.Replace(goodRoadmap, "Sailing",
		strings.Repeat("⛵", 201), 1),
	"no summary": strings.Replace(goodRoadmap,
		`"summary":"From land to sea.",`, "", 1),
	"a blank summary": strings.Replace(goodRoadmap, "From land to sea.", "\u00a0",
		1),
	"another field":                  strings.Replace(goodRoadmap, "{", `{"note":"x",`, 1),
	"the stages twice":               strings.Replace(goodRoadmap, "{", `{"stages":[],`, 1),
	"another field in a stage":       stage("duration", "2 weeks"),
	"no id":                          without("id"),
	"an id that is a number":         stage("id", 2),
	"a blank id":                     stage("id", " "),
	"the same id twice":              stage("id", "1"),
	"the same id but for blanks":     stage("id", " 1\n"),
	"no label":                       without("label"),
	"a blank label":                  stage("label", "\t"),
	"no status":                      without("status"),
	"another status":                 stage("status", "done"),
	"a status in capitals":           stage("status", "Current"),
	"null as the status":             stage("status", nil),
	"no icon":                        without("icon"),
	"an icon that is a picture":      stage("icon", "data:image/png;base64,iVBORw0KGgo="),
	"no description":                 without("description"),
	"a description that is too long": stage("description", strings.Repeat("⛵", 2001)),
	"skills that are one text":       stage("skills", "Knots"),
	"a blank skill":                  stage("skills", []string{"Knots", " "}),
	"an empty skill":                 stage("skills", []string{""}),
	"a skill that is no text":        stage("skills", []any{"Knots", 7}),
	"a skill that is too long":       stage("skills", []string{strings.Repeat("⛵", 301)}),
	"21 skills":                      stage("skills", strings.Split(strings.Repeat("x", 21), "")),
	"null for skills":                stage("skills", nil),
	"a course without a title":       stage("courses", []any{map[string]any{"completion": 5}}),
	"a course with a blank title": stage("courses",
		[]any{map[string]any{"title": " ", "completion": 5}}),
	"a course that is a text": stage("courses", []string{"Knots"}),
	"more than all of a course": stage("courses",
		[]any{map[string]any{"title": "Knots", "completion": 101}}),
	"less than nothing of a course": stage("courses",
		[]any{map[string]any{"title": "Knots", "completion": -1}}),
	"a fraction of a course": stage("courses",
		[]any{map[string]any{"title": "Knots", "completion": 0.5}}),
	"a boolean completion": stage("courses",
		[]any{map[string]any{"title": "Knots", "completion": true}}),
	"a completion with a percent sign": stage("courses",
		[]any{map[string]any{"title": "Knots", "completion": "50%"}}),
	"a recommendation without reason": stage("recommendations",
		[]any{map[string]any{"title": "Row", "priority": "low"}}),
	"another priority": stage("recommendations",
		[]any{map[string]any{"title": "Row", "priority": "urgent", "reason": "R"}}),
	"a path that is more than ready": stage("paths",
		[]any{map[string]any{"title": "Captain", "readiness": 1000, "gap": []string{"A ship."}}}),
	"a path without a gap": stage("paths",
		[]any{map[string]any{"title": "Captain", "readiness": 10}}),
	"a path whose gap is one text": stage("paths",
		[]any{map[string]any{"title": "Captain", "readiness": 10, "gap": "A ship."}}),
	"a path with a blank in its gap": stage("paths",
		[]any{map[string]any{"title": "Captain", "readiness": 10,
			"gap": []string{"A ship.", " "}}}),
	"a gap of 21 texts": stage("paths",
		[]any{map[string]any{"title": "Captain", "readiness": 10,
			"gap": strings.Split(strings.Repeat("x", 21), "")}}),
	"null for a gap": stage("paths",
		[]any{map[string]any{"title": "Captain", "readiness": 10, "gap": nil}}),
	"a number as the time": stage("timeEstimate", 2),
	"a blank resource":     stage("resources", []string{" "}),
	"resources that are objects": stage("resources",
		[]any{map[string]any{"title": "A book", "url": "https://example.org"}}),
	"a blank project":       stage("projects", []string{"\n"}),
	"a blank certification": stage("certifications", []string{" "}),
}

func TestRoadmap_InvalidAnswerIsRepeatedOnce(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	w.Studies(t, "ada", "0", 2, 1)
	box := w.Sandbox.AI()
	clean := w.Dump(t, "ai_usage")
	for name, bad := range badRoadmaps {
		t.Run(name, func(t *testing.T) {
			calls := len(box.Calls())
			box.Answer(bad, bad)
			if r, err := w.Platform.Tutor.PersonalRoadmap(ctx(), roomtest.Ada); err == nil ||
				isPublic(err) ||
				r.Stages != nil {
				t.Errorf("got %+v, %v", r, err)
			}
			if n := len(box.Calls()) - calls; n != 2 {
				t.Errorf("%d calls, want 2", n)
			}
			box.Answer(bad, goodRoadmap)
			if r, err := w.Platform.Tutor.CustomRoadmap(ctx(), roomtest.Ada,
				"Sailing"); err != nil ||
				len(r.Stages) != 2 {
				t.Errorf("then a valid one: %+v, %v", r, err)
			}
		})
	}
	if diff := cmp.Diff(clean, w.Dump(t, "ai_usage")); diff != "" {
		t.Errorf("something is stored: %s", diff)
	}
}

func TestRoadmap_ValidAnswerIsUnchanged(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	for name, answer := range map[string]string{
		"all of it": goodRoadmap, "one stage": stages(1), "the most stages": stages(12),
		"a fence": "```json\n" + goodRoadmap + "\n```",
		"empty lists": roadmap(
			func(s map[string]any) {
				s["skills"], s["courses"], s["timeEstimate"] = []string{},
					[]any{}, ""
			}),
		"a path without a gap": stage("paths",
			[]any{map[string]any{"title": "Captain", "readiness": 100, "gap": []string{}}}),
		"the longest texts": roadmap(func(s map[string]any) {
			s["description"] = strings.Repeat("⛵", 2000)
			s["icon"] = strings.Repeat("⛵", 16)
			s["skills"] = strings.Split(strings.Repeat("⛵", 20), "")
		}),
	} {
		calls := len(w.Sandbox.AI().Calls())
		w.Sandbox.AI().Answer(answer)
		if r, err := w.Platform.Tutor.CustomRoadmap(ctx(), roomtest.Ada, "Sailing"); err != nil ||
			len(r.Stages) == 0 || len(w.Sandbox.AI().Calls()) != calls+1 {
			t.Errorf("%s: %+v (%v) after %d calls", name, r, err, len(w.Sandbox.AI().Calls())-calls)
		}
	}
}

func TestRoadmap_TrimsTexts(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	w.Sandbox.AI().Answer(strings.NewReplacer(`"Knots"`, `" Knots\n"`, `"Row"`, `" Row"`,
		`"Captain"`, `"Captain "`, `"2 weeks"`, `" 2 weeks"`, `"Sailing"`,
		`" Sailing "`).Replace(goodRoadmap))
	got, err := w.Platform.Tutor.CustomRoadmap(ctx(), roomtest.Ada, "Sailing")
	if err != nil {
		t.Fatal(err)
	}
	want := tutor.Roadmap{Title: "Sailing", Summary: "From land to sea.",
		Stages: []tutor.Stage{
			{ID: "1", Label: "Then", Status: "current", Icon: "⛵", Description: "Sail on.",
				Skills: []string{"Knots"}, Highlights: []string{"A boat"},
				Courses: []tutor.StageCourse{{Title: "Course 0"}},
				Recommendations: []tutor.Recommendation{{Title: "Row", Priority: "low",
					Reason: "It is calm."}},
				Paths: []tutor.CareerPath{{Title: "Captain", Readiness: 5,
					Gap: []string{"A ship.", "A crew."}}},
				TimeEstimate: "2 weeks", Resources: []string{"A book"},
				Projects:       []string{"A raft"},
				Certifications: []string{"A badge"}},
			{ID: "2", Label: "Then", Status: "future", Icon: "⛵", Description: "Sail on."},
		}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRoadmap_FailedAnswer(t *testing.T) {
	for name, serve := range noAnswers(goodRoadmapInASCII,
		strings.Replace(goodRoadmapInASCII, "D.", strings.Repeat("x", 10<<20), 1)) {
		t.Run(name, func(t *testing.T) {
			w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithPlatform(answeredBy(t, serve)...))
			before, clean := runtime.NumGoroutine(), w.Dump(t, "ai_usage")
			if r, err := w.Platform.Tutor.CustomRoadmap(ctx(), roomtest.Ada,
				"Sailing"); err == nil ||
				isPublic(err) || r.Stages != nil {
				t.Errorf("got %+v, %v", r, err)
			}
			if diff := cmp.Diff(clean, w.Dump(t, "ai_usage")); diff != "" {
				t.Errorf("something is stored: %s", diff)
			}
			roomtest.WantGoroutines(t, before)
		})
	}
}

const goodRoadmapInASCII = `{"title":"T","summary":"S","stages":[{"id":"1","label":"L","status":"future","icon":"x","description":"D."}]}`

// The sandbox writes a valid roadmap from any titles at the first call.
func TestRoadmap_Sandbox(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	w.Studies(t, "ada", "0", 2, 1)
	w.Studies(t, "ada", "1", 2, 2)
	r, err := w.Platform.Tutor.PersonalRoadmap(ctx(), roomtest.Ada)
	if err != nil || !strings.HasPrefix(r.Title, "[Sandbox] ") || len(r.Stages) != 4 ||
		!strings.Contains(r.Stages[1].Description, "Course ") {
		t.Errorf("%+v (%v)", r, err)
	}
	if again, err := w.Platform.Tutor.PersonalRoadmap(ctx(), roomtest.Ada); err != nil ||
		!cmp.Equal(r,
			again) {
		t.Errorf("the same titles give another roadmap: %s (%v)", cmp.Diff(r, again), err)
	}
	for _, topic := range append([]string{"Go", strings.Repeat("界", 120)}, roomtest.Attacks...) {
		if r, err := w.Platform.Tutor.CustomRoadmap(ctx(), roomtest.Ada, topic); err != nil ||
			!strings.HasPrefix(r.Title, "[Sandbox] ") {
			t.Errorf("%q: %+v (%v)", topic, r, err)
		}
	}
	if n := len(w.Sandbox.AI().Calls()); n != 2+2+len(roomtest.Attacks) {
		t.Errorf("%d calls: an answer was invalid", n)
	}
}

func TestPersonalRoadmap_CompletionIsThatOfTheStore(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	w.Studies(t, "ada", "0", 3, 2)
	w.Studies(t, "ada", "1", 3, 0)
	w.Studies(t, "bob", "2", 3, 3)
	w.Sandbox.AI().Answer(stage("courses",
		[]any{map[string]any{"title": " Course 0 ", "completion": 100},
			map[string]any{"title": "Course 1", "completion": 100},
			map[string]any{"title": "Course 2", "completion": 100}}))
	r, err := w.Platform.Tutor.PersonalRoadmap(ctx(), roomtest.Ada)
	if err != nil {
		t.Fatal(err)
	}
	want := tutor.PersonalRoadmap{Courses: []study.CourseStats{
		{Title: "Course 0", Description: "About 0", Lectures: 3, Done: 2},
		{Title: "Course 1", Description: "About 1", Lectures: 3}}}
	if diff := cmp.Diff(want.Courses, r.Courses); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]tutor.StageCourse{{Title: "Course 0", Completion: 67},
		{Title: "Course 1"}, {Title: "Course 2"}}, r.Stages[1].Courses); diff != "" {
		t.Error(diff)
	}
}

func TestPersonalRoadmap_NoCourses(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	w.Studies(t, "bob", "0", 3, 3)
	if _, err := w.Platform.Tutor.PersonalRoadmap(ctx(), roomtest.Ada); !errors.Is(err,
		tutor.ErrNoCourses) {
		t.Error(err)
	}
	if _, err := w.Platform.Tutor.PersonalRoadmap(ctx(), learning.Actor{}); !errors.Is(err,
		core.ErrUnauthenticated) {
		t.Error(err)
	}
	if _, err := w.Platform.Tutor.CustomRoadmap(ctx(), learning.Actor{}, "Sailing"); !errors.Is(err,
		core.ErrUnauthenticated) {
		t.Error(err)
	}
	for _, topic := range []string{"", "x", "  x  ", " \n\t ", strings.Repeat("界", 120+1)} {
		if _, err := w.Platform.Tutor.CustomRoadmap(ctx(), roomtest.Ada, topic); !errors.Is(err,
			core.ErrInvalidRequest) {
			t.Errorf("%q: %v", topic, err)
		}
	}
	if n := len(w.Sandbox.AI().Calls()) + w.Count(t, "ai_usage"); n != 0 {
		t.Errorf("the AI was asked %d times", n)
	}
}

func TestRoadmap_TextsAreData(t *testing.T) {
	for i, attack := range roomtest.Attacks {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			w := roomtest.New(t, roomtest.SQLite(t))
			w.Person(t, "educator", core.Educator)
			mark := fmt.Sprintf("typed-%d", i)
			course := w.PublishTyped(t, mark+attack)
			w.Exec(t, "UPDATE courses SET description = ?", mark+attack)
			student := w.Enrolls(t, "ada", course)
			w.Completes(t, student, course)
			if _, err := w.Platform.Tutor.PersonalRoadmap(ctx(), student); err != nil {
				t.Error(err)
			}
			if _, err := w.Platform.Tutor.CustomRoadmap(ctx(), student, mark+attack); err != nil {
				t.Error(err)
			}
			calls := w.Sandbox.AI().Calls()
			if len(calls) != 2 {
				t.Fatalf("%d calls, want 2", len(calls))
			}
			for _, call := range calls {
				roomtest.WantData(t, call, mark)
			}
		})
	}
}

// A prompt contains no data of other users, no names of users, and no URLs.
func TestPersonalRoadmap_SendsOnlyDataOfTheStudent(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	w.Person(t, "educator", core.Educator)
	w.Studies(t, "ada", "0", 3, 1)
	w.Studies(t, "bob", "of bob", 3, 1)
	if _, err := w.Platform.Tutor.PersonalRoadmap(ctx(),
		learning.Actor{UserID: "ada", Role: core.Student, Name: "Ada Lovelace"}); err != nil {
		t.Fatal(err)
	}
	messages := w.Sandbox.AI().Calls()[0].Messages
	want := "<data>\n" +
		`{"courses":[{"title":"Course 0","description":"About 0","completion":33}]}` + "\n</data>"
	if len(messages) != 2 || messages[1].Content != want {
		t.Errorf("the prompt is %+v", messages)
	}
}

func TestPersonalRoadmap_LimitsThePrompt(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	for i := range 500 {
		w.Studies(t, "ada", fmt.Sprintf("%03d", i), 2, map[bool]int{true: 1}[i%100 == 7])
	}
	w.Exec(t, "UPDATE courses SET title = ?||id, description = ?",
		strings.Repeat("<", catalog.MaxCourseTitle-3),
		strings.Repeat("&", catalog.MaxCourseDescription))
	r, err := w.Platform.Tutor.PersonalRoadmap(ctx(), roomtest.Ada)
	if err != nil || len(r.Courses) != 500 ||
		utf8.RuneCountInString(r.Courses[0].Description) != catalog.MaxCourseDescription {
		t.Fatalf("%d courses (%v)", len(r.Courses), err)
	}
	var told struct {
		Courses []struct {
			Title, Description string
			Completion         int
		}
	}
	prompt := w.Sandbox.AI().Calls()[0].Messages[1].Content
	inside := strings.TrimSuffix(strings.TrimPrefix(prompt, "<data>\n"), "\n</data>")
	if err := json.Unmarshal([]byte(inside), &told); err != nil || len(prompt) > 200_000 ||
		len(told.Courses) != 40 {
		t.Fatalf("%d bytes, %d courses (%v)", len(prompt), len(told.Courses), err)
	}
	var ids []string
	for _, c := range told.Courses[:7] {
		ids = append(ids, strings.TrimLeft(c.Title, "<"))
		if utf8.RuneCountInString(c.Description) != 300 {
			t.Errorf("a description of %d characters", utf8.RuneCountInString(c.Description))
		}
	}
	if diff := cmp.Diff([]string{"407", "307", "207", "107", "007", "499", "498"}, ids); diff !=
		"" {
		t.Errorf("begun and new ones come first: %s", diff)
	}
}

func TestRoadmap_AIErrorLeavesNothing(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	hurried := w.OtherInstance(t,
		learningtest.WithPlatform(learning.WithAITimeout(100*time.Millisecond)))
	w.Studies(t, "ada", "0", 3, 1)
	before, clean := runtime.NumGoroutine(), w.Dump(t, "ai_usage")
	for _, kind := range []sandbox.FaultKind{sandbox.FaultStatus, sandbox.FaultNonsense,
		sandbox.FaultEmpty, sandbox.FaultDrop, sandbox.FaultCut, sandbox.FaultBreak,
		sandbox.FaultProse, sandbox.FaultHang, sandbox.FaultStall} {
		on := w
		if kind == sandbox.FaultHang || kind == sandbox.FaultStall {
			on = hurried
		}
		w.Sandbox.AI().Faults().Next(-1, sandbox.Fault{Kind: kind, Status: 400})
		if r, err := on.Platform.Tutor.PersonalRoadmap(ctx(), roomtest.Ada); err == nil ||
			isPublic(err) ||
			r.Stages != nil {
			t.Errorf("%s: %+v, %v", kind, r, err)
		}
		if r, err := on.Platform.Tutor.CustomRoadmap(ctx(), roomtest.Ada, "Sailing"); err == nil ||
			isPublic(err) || r.Stages != nil {
			t.Errorf("%s: %+v, %v", kind, r, err)
		}
		w.Sandbox.AI().Faults().Clear()
	}
	if diff := cmp.Diff(clean, w.Dump(t, "ai_usage")); diff != "" {
		t.Errorf("something is stored: %s", diff)
	}
	roomtest.WantGoroutines(t, before)
	if _, err := w.Platform.Tutor.PersonalRoadmap(ctx(), roomtest.Ada); err != nil {
		t.Errorf("the next one: %v", err)
	}
}

// explosive is a model that panics.
type explosive struct{ tutor.AI }

func (explosive) Complete(context.Context, tutor.AIRequest) (tutor.AIReply, error) {
	panic("on purpose")
}

func TestRoadmap_PanicOfTheAI(t *testing.T) {
	w := newAIFixture(t, explosive{})
	for range 2 {
		if _, err := w.Platform.Tutor.CustomRoadmap(ctx(), roomtest.Ada, "Sailing"); err == nil ||
			isPublic(err) {
			t.Errorf("got %v", err)
		}
	}
	w.WantLogged(t, "on purpose", 2)
	// The provider may have worked before the panic, so that both calls count at their maximum.
	if used := w.UsedBy(t, "ada"); used.Prompt == 0 || used.Completion == 0 {
		t.Errorf("booked %+v, want the most that both calls can have used", used)
	}
}

func TestRoadmap_CallLimitAndBudget(t *testing.T) {
	g := newGate() // 100 tokens a call; the answers are not roadmaps
	w := newAIFixture(t, g, learning.WithAIBudget(400, 0))
	w.Studies(t, "ada", "0", 3, 1)
	asks := []func() error{
		func() error {
			_, err := w.Platform.Tutor.PersonalRoadmap(ctx(), roomtest.Ada)
			return err
		},
		func() error {
			_, err := w.Platform.Tutor.CustomRoadmap(ctx(), roomtest.Ada, "Sailing")
			return err
		},
	}
	errs := make(chan error, len(asks))
	for _, ask := range asks {
		go func() { errs <- ask() }()
	}
	for range asks {
		<-g.begun
	}
	if _, err := w.Platform.Tutor.CustomRoadmap(ctx(), roomtest.Ada, "Rowing"); !errors.Is(err,
		tutor.ErrAIBusy) {
		t.Errorf("a third at once: %v", err)
	}
	close(g.end)
	for range asks {
		if err := <-errs; err == nil || isPublic(err) {
			t.Errorf("got %v", err)
		}
	}
	w.WantUsed(t, "ada", 240, 160) // two rounds each
	for _, ask := range asks {
		if err := ask(); !errors.Is(err, tutor.ErrAIBudget) {
			t.Errorf("with a spent budget: %v", err)
		}
	}
}

func TestRoadmap_ConcurrentCallsOfOneUserShareOne(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	w.Studies(t, "ada", "0", 3, 1)
	w.Studies(t, "bob", "1", 3, 1)
	w.Studies(t, "ada:Sailing", "2", 3, 1)
	alike := learning.Actor{UserID: "ada:Sailing", Role: core.Student}
	box := w.Sandbox.AI()
	release := make(chan struct{})
	box.Faults().Next(-1, sandbox.Fault{Kind: sandbox.FaultHang, Release: release})
	const clicks = 10
	got := make(chan tutor.Roadmap, 4*clicks)
	personal := func(who learning.Actor) func() (tutor.Roadmap, error) {
		return func() (tutor.Roadmap, error) {
			r, err := w.Platform.Tutor.PersonalRoadmap(ctx(), who)
			return r.Roadmap, err
		}
	}
	for name, ask := range map[string]func() (tutor.Roadmap, error){
		"roadmap of ada":         personal(roomtest.Ada),
		"roadmap of bob":         personal(roomtest.Bob),
		"roadmap of ada:Sailing": personal(alike),
		"roadmap of ada to Sailing": func() (tutor.Roadmap,
			error) {
			return w.Platform.Tutor.CustomRoadmap(ctx(), roomtest.Ada, "Sailing ")
		},
	} {
		for range clicks {
			go func() {
				r, err := ask()
				if err != nil {
					t.Error(err)
				}
				got <- r
			}()
		}
		waitForCallers(t, w, name, clicks)
	}
	close(release)
	titles := map[string]int{}
	for range cap(got) {
		titles[(<-got).Title]++
	}
	want := map[string]int{"[Sandbox] Roadmap: Course 0": clicks,
		"[Sandbox] Roadmap: Course 1": clicks,
		"[Sandbox] Roadmap: Course 2": clicks, "[Sandbox] Roadmap: Sailing": clicks}
	if diff := cmp.Diff(want, titles); diff != "" || len(box.Calls()) != 4 {
		t.Errorf("%d calls, want 4 %s", len(box.Calls()), diff)
	}
	if _, err := w.Platform.Tutor.PersonalRoadmap(ctx(), roomtest.Ada); err != nil ||
		len(box.Calls()) != 5 {
		t.Errorf("later it is written anew: %d calls (%v)", len(box.Calls()), err)
	}
	wantNoneAtWork(t)
}

// wantNoneAtWork waits until no call is in progress. Unlike wantGoroutines it allows idle
// connections.
func wantNoneAtWork(t *testing.T) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for end := time.Now().Add(roomtest.Bound); ; runtime.Gosched() {
		all := string(stacks[:runtime.Stack(stacks, true)])
		if !strings.Contains(all, "singleflight.(*Group") {
			return
		}
		if time.Now().After(end) {
			t.Fatal(all)
		}
	}
}

func TestRoadmap_OnlyTheLastCallerCancels(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	w.Studies(t, "ada", "0", 3, 1)
	box, before := w.Sandbox.AI(), runtime.NumGoroutine()
	ask := func() (leave context.CancelFunc, done chan error) {
		ctx, leave := context.WithCancel(ctx())
		done = make(chan error, 1)
		go func() {
			_, err := w.Platform.Tutor.PersonalRoadmap(ctx, roomtest.Ada)
			done <- err
		}()
		return leave, done
	}
	release := make(chan struct{})
	box.Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultHang, Release: release})
	leave, first := ask()
	roomtest.WaitFor(t, box.WaitCalls, 1)
	stay, second := ask()
	defer stay()
	waitForCallers(t, w, "roadmap of ada", 2)
	leave()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(release)
	if err := <-second; err != nil || len(box.Calls()) != 1 {
		t.Errorf("%v after %d calls", err, len(box.Calls()))
	}

	box.Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultHang})
	leave, last := ask()
	roomtest.WaitFor(t, box.WaitCalls, 2)
	gone := time.Now()
	leave()
	roomtest.WaitFor(t, box.WaitCancelled, 1)
	if took := time.Since(gone); took > roomtest.Bound/2 {
		t.Errorf("the provider's call was cancelled after %v", took)
	}
	if err := <-last; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	roomtest.WantGoroutines(t, before)
}

func TestPersonalRoadmap_ConstantNumberOfQueries(t *testing.T) {
	// The store counts steps and runs no sweep of markers, which transactions run by chance.
	steps := &roomtest.FaultyStore{}
	w := roomtest.New(t, roomtest.SQLite(t), roomtest.WithFaultyStore(steps))
	taken := map[int]int{}
	for i := range 50 {
		w.Studies(t, "ada", fmt.Sprint(i), 3, i%4)
		if i != 0 && i != 1 && i != 49 { // the first call is also the first of the day
			continue
		}
		before := steps.Count()
		if _, err := w.Platform.Tutor.PersonalRoadmap(ctx(), roomtest.Ada); err != nil {
			t.Fatal(err)
		}
		taken[i+1] = steps.Count() - before
	}
	if taken[2] != taken[50] || taken[1] > taken[2] || taken[50] > 24 {
		t.Errorf("steps by courses: %v", taken)
	}
	t.Logf("steps by courses: %v", taken)
}

func TestRoadmap_StoreError(t *testing.T) {
	b := &roomtest.FaultyStore{}
	w := roomtest.New(t, roomtest.SQLite(t), roomtest.WithFaultyStore(b))
	w.Studies(t, "ada", "0", 3, 1)
	for _, step := range []string{"list the courses of a student",
		"list the completed lectures of all courses", "read the lectures of begun courses"} {
		b.FailOn(step)
		if _, err := w.Platform.Tutor.PersonalRoadmap(ctx(), roomtest.Ada); !errors.Is(err,
			roomtest.ErrInjected) ||
			b.Disarm() != step {
			t.Errorf("%s: %v", step, err)
		}
	}
	if n := len(w.Sandbox.AI().Calls()); n != 0 {
		t.Errorf("the AI was asked %d times", n)
	}
}
