package httpapi

import (
	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/learning"
)

// termsJSON are the terms of a course.
type termsJSON struct {
	_ struct{} `doc:"The terms of a course."`

	Certificate *certificateTermsJSON `json:"certificate,omitempty"`
}

// certificateTermsJSON is what a certificate asks beside all lectures.
type certificateTermsJSON struct {
	_ struct{} `doc:"What a certificate of the course asks beside all lectures."`

	Quizzes     bool `json:"quizzes,omitempty" doc:"All quizzes that are written by hand passed."`
	Assignments bool `json:"assignments,omitempty" doc:"All assignments graded."`
}

// termsOf returns the wire shape of terms, nil if there are none.
func termsOf(t learning.Terms) *termsJSON {
	if t == (learning.Terms{}) {
		return nil
	}
	return &termsJSON{Certificate: &certificateTermsJSON{Quizzes: t.Certificate.Quizzes,
		Assignments: t.Certificate.Assignments}}
}

// newTerms are the terms of a course in a request. Unlike elsewhere, an unknown field is refused:
// to ignore terms would sell the course on others.
type newTerms struct {
	_ struct{} `doc:"The terms of a course. An unknown field is refused."`

	Certificate *newCertificateTerms `json:"certificate,omitempty"`
}

// newCertificateTerms are certificateTermsJSON in a request.
type newCertificateTerms struct {
	_ struct{} `doc:"What a certificate of the course asks beside all lectures. An unknown field is refused."`

	Quizzes     bool `json:"quizzes,omitempty" doc:"All quizzes that are written by hand passed."`
	Assignments bool `json:"assignments,omitempty" doc:"All assignments graded."`
}

// JSONSchemaExtend refuses unknown fields.
func (newTerms) JSONSchemaExtend(s *jsonschema.Schema) {
	s.AdditionalProperties = jsonschema.FalseSchema
}

// JSONSchemaExtend refuses unknown fields.
func (newCertificateTerms) JSONSchemaExtend(s *jsonschema.Schema) {
	s.AdditionalProperties = jsonschema.FalseSchema
}

// terms returns the terms of a request; nil if it has none.
func (in *newTerms) terms() *learning.Terms {
	if in == nil {
		return nil
	}
	var t learning.Terms
	if c := in.Certificate; c != nil {
		t.Certificate = learning.CertificateTerms{Quizzes: c.Quizzes, Assignments: c.Assignments}
	}
	return &t
}
