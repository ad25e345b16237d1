package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
)

// assessment is what educators have written by hand to ask of students, and what these have
// answered. All lists are oldest first.
type assessment struct {
	HandQuizzes  []handQuiz
	HandAttempts []handAttempt // by students who have bought the course
	Submissions  []submission  // likewise
}

// handQuiz is a quiz that the educator of a course has written.
type handQuiz struct {
	moment
	Course    string
	Chapter   string // its id
	Settings  assess.QuizSettings
	Questions []struct {
		ID          string
		Kind        assess.QuestionKind
		Question    string
		Options     []string
		Answer      any // with the texts of options
		Tolerance   float64
		Points      int // 1 if missing
		Explanation string
	}
}

// handAttempt is an attempt of a student at such a quiz.
type handAttempt struct {
	moment
	Student string
	Course  string
	Chapter string
	Minutes float64        // from its start to its submission
	Answers map[string]any // by the id of the question, with the texts of options
}

// submission is the work of a student on an assignment.
type submission struct {
	moment
	Student string
	Course  string
	Lecture string // its id
	Text    string
	Decided struct {
		moment
		Status   assess.SubmissionStatus // "" if it waits
		Points   []int
		Feedback string
	}
}

// educatorOf returns the educator of a course of the catalogue.
func (sd *seeder) educatorOf(courseID string) (learning.Actor, error) {
	i := slices.IndexFunc(sd.Courses, func(c exchange.CatalogueCourse) bool { return c.ID == courseID })
	if i < 0 {
		return learning.Actor{}, fmt.Errorf("there is no course %q", courseID)
	}
	return learning.Actor{UserID: sd.Courses[i].Educator, Role: core.Educator}, nil
}

// seedHandQuiz saves a quiz by hand, by the educator of its course.
func (sd *seeder) seedHandQuiz(ctx context.Context, q handQuiz) error {
	educator, err := sd.educatorOf(q.Course)
	if err != nil {
		return err
	}
	edit := assess.QuizEdit{CourseID: q.Course, ChapterID: q.Chapter, Settings: q.Settings}
	for _, given := range q.Questions {
		question := assess.Question{
			ID:       given.ID,
			Kind:     given.Kind,
			Text:     given.Question,
			Points:   given.Points,
			Solution: &assess.Solution{Tolerance: given.Tolerance, Explanation: given.Explanation},
		}
		indexes := map[string]any{}
		for i, text := range given.Options {
			question.Options = append(question.Options, assess.Choice{Text: text})
			indexes[text] = float64(i)
		}
		question.Solution.Answer = answerOf(given.Answer, indexes)
		edit.Questions = append(edit.Questions, question)
	}
	sd.clock.at = q.date(sd.now)
	_, err = sd.past.Assess.SaveQuiz(ctx, educator, edit)
	return err
}

// answerOf returns an answer with what options has in place of the texts of options.
func answerOf(given any, options map[string]any) assess.Answer {
	replaced := func(text any) any {
		if name, isText := text.(string); isText && options[name] != nil {
			return options[name]
		}
		return text
	}
	list, isList := given.([]any)
	if !isList {
		return assess.AnswerOfJSON(replaced(given))
	}
	all := make([]any, len(list))
	for i, text := range list {
		all[i] = replaced(text)
	}
	return assess.AnswerOfJSON(all)
}

// seedHandAttempts begins and submits the attempts of the student of a sale at the quizzes by hand
// of its course.
func (sd *seeder) seedHandAttempts(ctx context.Context, s demoSale) error {
	for _, a := range sd.HandAttempts {
		if a.Student != s.Student || a.Course != s.Course {
			continue
		}
		student, answers := demoActor(a.Student), map[string]assess.Answer{}
		sd.clock.at = a.date(sd.now)
		begun, err := sd.past.Assess.StartAttempt(ctx, student, a.Course, a.Chapter)
		if err != nil {
			return fmt.Errorf("begin an attempt at the quiz of chapter %s: %w", a.Chapter, err)
		}
		for _, q := range begun.Questions {
			given, isAnswered := a.Answers[q.ID]
			if !isAnswered {
				continue
			}
			ids := map[string]any{}
			for _, option := range q.Options {
				ids[option.Text] = option.ID
			}
			answers[q.ID] = answerOf(given, ids)
		}
		sd.clock.at = sd.clock.at.Add(time.Duration(a.Minutes * float64(time.Minute)))
		if _, err = sd.past.Assess.SubmitAttempt(ctx, student, begun.ID, answers); err != nil {
			return fmt.Errorf("submit an attempt at the quiz of chapter %s: %w", a.Chapter, err)
		}
	}
	return nil
}

// seedSubmissions submits the work of the student of a sale on the assignments of its course, and
// decides on it as the educator of the course.
func (sd *seeder) seedSubmissions(ctx context.Context, s demoSale) error {
	for _, w := range sd.Submissions {
		if w.Student != s.Student || w.Course != s.Course {
			continue
		}
		sd.clock.at = w.date(sd.now)
		student := demoActor(w.Student)
		_, err := sd.past.Assess.SaveDraft(ctx, student, w.Course, w.Lecture,
			assess.Work{Text: w.Text})
		if err != nil {
			return fmt.Errorf("save the work in lecture %s: %w", w.Lecture, err)
		}
		made, err := sd.past.Assess.Submit(ctx, student, w.Course, w.Lecture)
		if err != nil {
			return fmt.Errorf("submit the work in lecture %s: %w", w.Lecture, err)
		}
		if w.Decided.Status == "" {
			continue
		}
		educator, err := sd.educatorOf(w.Course)
		if err != nil {
			return err
		}
		sd.clock.at = w.Decided.date(sd.now)
		_, err = sd.past.Assess.Grade(ctx, educator, made.ID, assess.Grade{
			Version:  made.Version,
			Status:   w.Decided.Status,
			Points:   w.Decided.Points,
			Feedback: w.Decided.Feedback,
		})
		if err != nil {
			return fmt.Errorf("decide on the work in lecture %s: %w", w.Lecture, err)
		}
	}
	return nil
}
