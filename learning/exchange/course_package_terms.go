package exchange

import (
	"time"

	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/learning/catalog"
)

// describeTerms returns the description of the terms of a course, nil if there are none. The
// courses that it requires are left out, because they are of this platform.
func describeTerms(t catalog.Terms) *coursepackage.Terms {
	if t.IsZero() {
		return nil
	}
	return &coursepackage.Terms{
		Certificate: coursepackage.CertificateTerms(t.Certificate),
		Days:        t.Days,
		Until:       t.Until,
		InOrder:     t.InOrder,
	}
}

// describedTerms is the reverse of describeTerms.
func describedTerms(t *coursepackage.Terms) catalog.Terms {
	if t == nil {
		return catalog.Terms{}
	}
	return catalog.Terms{
		Certificate: catalog.CertificateTerms(t.Certificate),
		Days:        t.Days,
		Until:       t.Until,
		InOrder:     t.InOrder,
	}
}

// describeOpening returns the description of when a chapter opens, nil if it is always open.
func describeOpening(o catalog.Opening) *coursepackage.Opening {
	if o.IsZero() {
		return nil
	}
	return &coursepackage.Opening{AfterDays: o.AfterDays, At: o.At}
}

// describedOpening is the reverse of describeOpening.
func describedOpening(o *coursepackage.Opening) catalog.Opening {
	if o == nil {
		return catalog.Opening{}
	}
	opening := catalog.Opening{AfterDays: o.AfterDays, At: o.At}
	if opening.At.IsZero() {
		opening.At = time.Time{}
	}
	return opening
}
