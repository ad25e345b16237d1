package httpapi

import (
	"time"

	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/study"
)

// termsJSON are the terms of a course.
type termsJSON struct {
	_ struct{} `doc:"The terms of a course."`

	Certificate *certificateTermsJSON `json:"certificate,omitempty" doc:"What a certificate of the course asks beside all lectures."`
	Days        int                   `json:"days,omitempty" jsonschema:"minimum=1,maximum=3650" doc:"How many days of 24 hours access lasts from the enrolment on. Without it: no such end."`
	Until       *instant              `json:"until,omitempty" doc:"When access ends at the latest, and the sale of the course. Without it: no such end."`
	InOrder     bool                  `json:"inOrder,omitempty" doc:"Whether a lecture opens when all before it are completed."`
	Requires    []string              `json:"requires,omitempty" jsonschema:"maxItems=10" doc:"The ids of the courses that must be completed before this one is bought."`
}

// certificateTermsJSON has the fields of [catalog.CertificateTerms], so that one converts to the
// other.
type certificateTermsJSON struct {
	Quizzes     bool `json:"quizzes,omitempty" doc:"All quizzes that are written by hand passed."`
	Assignments bool `json:"assignments,omitempty" doc:"All assignments graded."`
}

// termsOf returns the wire shape of terms, nil if there are none.
func termsOf(t catalog.Terms) *termsJSON {
	if t.IsZero() {
		return nil
	}
	one := &termsJSON{Days: t.Days, InOrder: t.InOrder, Requires: t.Requires,
		Until: nullableTime(t.Until)}
	if t.Certificate != (catalog.CertificateTerms{}) {
		one.Certificate = (*certificateTermsJSON)(&t.Certificate)
	}
	return one
}

// publicTermsOf returns the wire shape of terms as everyone sees them: the courses that the course
// requires stand beside them, as far as they are published.
func publicTermsOf(t catalog.Terms) *termsJSON {
	t.Requires = nil
	return termsOf(t)
}

// requiredJSON is a course that must be completed before another one is bought.
type requiredJSON struct {
	_ struct{} `doc:"A course that must be completed before the course is bought."`

	CourseID    string `json:"courseId"`
	CourseTitle string `json:"courseTitle"`
	IsCompleted *bool  `json:"isCompleted,omitempty" doc:"Whether the caller has completed it. Only where the caller is enrolled in the course."`
}

// requiredOf returns the wire shape of required courses. withProgress is whether it says which of
// them the caller has completed.
func requiredOf(list []study.RequiredCourse, withProgress bool) []requiredJSON {
	var out []requiredJSON
	for _, r := range list {
		one := requiredJSON{CourseID: r.CourseID, CourseTitle: r.CourseTitle}
		if withProgress {
			one.IsCompleted = new(r.IsCompleted)
		}
		out = append(out, one)
	}
	return out
}

// opensJSON is when a chapter opens.
type opensJSON struct {
	_ struct{} `doc:"When a chapter opens: either 'afterDays' or 'at'."`

	AfterDays int      `json:"afterDays,omitempty" jsonschema:"minimum=0,maximum=3650" doc:"Days of 24 hours after the first enrolment of the student."`
	At        *instant `json:"at,omitempty" doc:"A time, for all students."`
}

// opensOf returns the wire shape of when a chapter opens, nil if it is open from the beginning.
func opensOf(o catalog.Opening) *opensJSON {
	if o.IsZero() {
		return nil
	}
	return &opensJSON{AfterDays: o.AfterDays, At: nullableTime(o.At)}
}

// opening returns when a chapter of a request opens.
func (in *newOpens) opening() catalog.Opening {
	if in == nil {
		return catalog.Opening{}
	}
	o := catalog.Opening{AfterDays: in.AfterDays}
	if in.At != nil {
		o.At = time.Time(*in.At)
	}
	return o
}

// newOpens is when a chapter of a request opens. An unknown field is refused, as in newTerms.
type newOpens opensJSON

// JSONSchemaExtend refuses unknown fields.
func (newOpens) JSONSchemaExtend(s *jsonschema.Schema) { refuseUnknown(s) }

// newTerms are the terms of a course in a request. Unlike elsewhere, an unknown field is refused:
// to ignore terms would sell the course on others.
type newTerms termsJSON

// JSONSchemaExtend refuses unknown fields.
func (newTerms) JSONSchemaExtend(s *jsonschema.Schema) { refuseUnknown(s) }

// refuseUnknown makes an object, and the objects in its fields, refuse unknown fields.
func refuseUnknown(s *jsonschema.Schema) {
	if s.Properties == nil {
		return
	}
	s.AdditionalProperties = jsonschema.FalseSchema
	for field := s.Properties.Oldest(); field != nil; field = field.Next() {
		refuseUnknown(field.Value)
	}
}

// terms returns the terms of a request; nil if it has none.
func (in *newTerms) terms() *catalog.Terms {
	if in == nil {
		return nil
	}
	t := catalog.Terms{Days: in.Days, InOrder: in.InOrder, Requires: in.Requires}
	if in.Certificate != nil {
		t.Certificate = catalog.CertificateTerms(*in.Certificate)
	}
	if in.Until != nil {
		t.Until = time.Time(*in.Until)
	}
	return &t
}
