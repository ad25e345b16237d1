package main

import (
	"time"

	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/people"
)

// history is what happened on the demo's platform in the weeks before its first start.
// All lists are oldest first.
type history struct {
	Students     []exchange.CataloguePerson `json:"people"`
	Applications []application              // the oldest first
	Visits       []visit                    // of places where a front end tracks time
	Quizzes      []quiz
	// at the quizzes, the oldest first, by students who have bought the course
	Attempts []attempt
	Sales    []demoSale // the oldest first
	Chats    []chat     // with the tutor, the oldest first
	Coupons  []coupon
	Bundles  []demoBundle
}

// moment is a time in the history, relative to the first start.
type moment struct {
	DaysAgo int     // UTC days
	Hour    float64 // of that day, from 0 to 24
}

// date returns the moment as a time. Hours of the current day are scaled to the part of
// the day that has passed.
func (m moment) date(now time.Time) time.Time {
	midnight, hour := now.UTC().Truncate(24*time.Hour), time.Hour
	if m.DaysAgo == 0 {
		hour = now.Sub(midnight) / 24
	}
	return midnight.AddDate(0, 0,
		-m.DaysAgo).Add(time.Duration(m.Hour * float64(hour)).Round(time.Second))
}

// between divides the time from the moment to now into equal parts, and returns the end of
// the part-th.
func (m moment) between(now time.Time, part, parts int) time.Time {
	then := m.date(now)
	return then.Add(now.Sub(then) / time.Duration(parts) * time.Duration(part))
}

// quiz is the quiz of a chapter.
type quiz struct {
	moment
	Course    string
	Chapter   string // its id
	Questions []struct {
		Question     string
		Options      []string
		CorrectIndex int
		Explanation  string
	}
}

// attempt holds the answers of a student to a quiz.
type attempt struct {
	moment
	Student string
	Course  string
	Chapter string
	Answers []int
}

// visit is time spent on a page. There is one for a student, a path and a day.
type visit struct {
	moment
	Student string
	Page    string
	Path    string
	Minutes float64
}

// application is an educator application in the history.
type application struct {
	moment
	Student           string
	ProfessionalTitle string
	Bio               string
	Expertise         []string
	LinkedinURL       string
	Status            people.ApplicationStatus
	Decided           moment // unless it is pending
	Reason            string
}
