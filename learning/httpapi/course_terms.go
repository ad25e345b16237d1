package httpapi

import (
	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/learning/catalog"
)

// termsJSON are the terms of a course.
type termsJSON struct {
	_ struct{} `doc:"The terms of a course."`

	Certificate *certificateTermsJSON `json:"certificate,omitempty" doc:"What a certificate of the course asks beside all lectures."`
}

// certificateTermsJSON has the fields of [catalog.CertificateTerms], so that one converts to the
// other.
type certificateTermsJSON struct {
	Quizzes     bool `json:"quizzes,omitempty" doc:"All quizzes that are written by hand passed."`
	Assignments bool `json:"assignments,omitempty" doc:"All assignments graded."`
}

// termsOf returns the wire shape of terms, nil if there are none.
func termsOf(t catalog.Terms) *termsJSON {
	if t == (catalog.Terms{}) {
		return nil
	}
	return &termsJSON{Certificate: (*certificateTermsJSON)(&t.Certificate)}
}

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
	var t catalog.Terms
	if in.Certificate != nil {
		t.Certificate = catalog.CertificateTerms(*in.Certificate)
	}
	return &t
}
