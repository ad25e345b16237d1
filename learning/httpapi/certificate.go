package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/openlectern/openlectern/learning"
)

type certificateCheckAnswer struct {
	Eligible bool `json:"eligible"`
	Exists   bool `json:"certificateExists"`
	Revoked  bool `json:"isRevoked"`
}

func (a *api) checkCertificate(c *call, _ none) (certificateCheckAnswer, error) {
	state, err := a.platform.CheckCertificate(c.Context(), c.actor, c.param("courseId"))
	return certificateCheckAnswer{Eligible: state.Earned, Exists: state.Exists, Revoked: state.Revoked}, err
}

type generateCertificateAnswer struct {
	Created bool   `json:"created"`
	Message string `json:"message"`
	PDFURL  string `json:"pdfUrl"`
}

func (a *api) generateCertificate(c *call, _ none) (generateCertificateAnswer, error) {
	issued, err := a.platform.GenerateCertificate(c.Context(), c.actor, c.param("courseId"))
	if err != nil {
		return generateCertificateAnswer{}, err
	}
	message := "Certificate already exists"
	if issued.IsNew {
		message = "Certificate generated successfully"
	}
	return generateCertificateAnswer{
		Created: issued.IsNew, Message: message, PDFURL: a.platform.MediaURL(issued.File()),
	}, nil
}

type ownCertificateAnswer struct {
	Message string `json:"message"`
	PDFURL  string `json:"pdfUrl"`
}

func (a *api) ownCertificate(c *call, _ none) (ownCertificateAnswer, error) {
	certificate, err := a.platform.Certificate(c.Context(), c.actor, c.param("courseId"))
	if err != nil {
		return ownCertificateAnswer{}, err
	}
	return ownCertificateAnswer{"Certificate fetched successfully", a.platform.MediaURL(certificate.File())}, nil
}

type certificatesAnswer struct {
	Certificates []ownedCertificateJSON `json:"certificates"`
}

// ownedCertificateJSON is a certificate in the list of its student.
type ownedCertificateJSON struct {
	ID            string  `json:"certificateId"`
	CourseID      string  `json:"courseId"`
	Course        string  `json:"courseTitle"`
	IssuedAt      instant `json:"issuedAt"`
	PDFURL        *string `json:"pdfUrl" jsonschema:"nullable"`
	VerifyURL     *string `json:"verifyUrl" jsonschema:"nullable"`
	CredentialURL *string `json:"credentialUrl" jsonschema:"nullable"`
	Revoked       bool    `json:"isRevoked"`
}

func (a *api) ownCertificates(c *call, _ none) (certificatesAnswer, error) {
	list, err := a.platform.Certificates(c.Context(), c.actor)
	answer := certificatesAnswer{make([]ownedCertificateJSON, 0, len(list))}
	for _, one := range list {
		urls := a.platform.CertificateURLs(one)
		answer.Certificates = append(answer.Certificates, ownedCertificateJSON{one.ID, one.CourseID, one.CourseTitle, instant(one.IssuedAt),
			nullable(urls.PDF), nullable(urls.Verify), nullable(urls.Credential), one.Revoked()})
	}
	return answer, err
}

// certificateJSON holds everything that is printed, so that a forged print is noticed.
type certificateJSON struct {
	ID          string  `json:"certificateId"`
	Student     string  `json:"studentName"`
	Course      string  `json:"courseTitle"`
	Educator    string  `json:"educatorName"`
	Issuer      string  `json:"issuerName"`
	CompletedAt instant `json:"completionDate"`
	IssuedAt    instant `json:"issuedAt"`
}

type verifyCertificateAnswer struct {
	Valid       bool            `json:"valid"`
	Reason      string          `json:"reason,omitempty"` // only of a revoked certificate, as RevokedAt
	RevokedAt   *instant        `json:"revokedAt,omitempty"`
	Certificate certificateJSON `json:"certificate"`
}

// unknownCertificate is the answer of verification for an unknown id.
type unknownCertificate struct {
	Success no     `json:"success"`
	Valid   no     `json:"valid"`
	Message string `json:"message"`
}

// errUnknownCertificate has the message of the platform's error.
var errUnknownCertificate = &failure{http.StatusNotFound, learning.ErrCertificateNotFound.Message}

// verifyCertificate answers JSON, or a page to browsers, because phones scan the QR code of a
// certificate. The answer must not be cached: it can change at any time, and it names a
// person.
func (a *api) verifyCertificate(w http.ResponseWriter, c *call) error {
	h := w.Header()
	h.Add("Vary", "Accept")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex")
	certificate, err := a.platform.VerifyCertificate(c.Context(), c.param("certificateId"))
	known := !errors.Is(err, learning.ErrCertificateNotFound)
	switch {
	case known && err != nil:
		return err
	case prefersHTML(c.Header.Values("Accept")):
		return writeCertificatePage(w, certificate, known)
	case !known:
		return refuseCertificate(w)
	default:
		return writeSuccess(w, verified(certificate))
	}
}

func verified(c learning.Certificate) verifyCertificateAnswer {
	answer := verifyCertificateAnswer{Valid: !c.Revoked(), Certificate: certificateJSON{c.ID, c.StudentName, c.CourseTitle, c.EducatorName, c.IssuerName,
		instant(c.CompletedAt), instant(c.IssuedAt)}}
	if c.Revoked() {
		answer.Reason, answer.RevokedAt = c.RevocationReason, new(instant(c.RevokedAt))
	}
	return answer
}

func refuseCertificate(w http.ResponseWriter) error {
	body, err := json.Marshal(unknownCertificate{Message: errUnknownCertificate.message})
	if err != nil {
		return fmt.Errorf("encode a refusal: %w", err)
	}
	writeJSON(w, errUnknownCertificate.status, body)
	return nil
}
