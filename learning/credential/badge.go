package credential

import (
	"context"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning/certify"
)

// Achievement describes the course of a credential, in addition to its title.
type Achievement struct {
	Type        string // a term of Open Badges 3.0, such as Course or CertificateOfCompletion
	Description string // must not be empty
	Criteria    string // Markdown: what is needed to earn it
	Image       string // the URL of a PNG or SVG; "" for none
}

// Completion returns the achievement of having completed a course. It is the default of
// [WithAchievement].
func Completion(c certify.Certificate) Achievement {
	about := "Completion of the course “" + c.CourseTitle + "”."
	if c.EducatorName != "" {
		about = "Completion of the course “" + c.CourseTitle + "”, taught by " + c.EducatorName +
			"."
	}
	return Achievement{Type: "CertificateOfCompletion", Description: about,
		Criteria: "Complete every lecture of the course."}
}

// The types of Open Badges 3.0, with the properties that are used here. A list with one
// entry is encoded as a list, because every schema of Open Badges accepts that form.

type badge struct {
	Context     []string   `json:"@context"`
	ID          string     `json:"id"`
	Type        []string   `json:"type"`
	Name        string     `json:"name"`
	Issuer      profile    `json:"issuer"`
	ValidFrom   string     `json:"validFrom"`
	Subject     subject    `json:"credentialSubject"`
	Evidence    []evidence `json:"evidence"`
	Status      status     `json:"credentialStatus"`
	badgeClaims            // repeated as claims of the JWT
}

// badgeClaims are claims that must equal a property of the credential each (Open Badges
// 3.0, "JWT Payload Format").
type badgeClaims struct {
	Iss string `json:"iss"`
	Jti string `json:"jti"`
	Sub string `json:"sub"`
	Nbf int64  `json:"nbf"`
}

type profile struct {
	ID    string   `json:"id"`
	Type  []string `json:"type"`
	Name  string   `json:"name,omitempty"`
	URL   string   `json:"url,omitempty"`
	Image *image   `json:"image,omitempty"`
}

// named returns a copy of the profile with the issuer's name, which each certificate has itself.
func (p profile) named(name string) profile {
	p.Name = name
	return p
}

type image struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

type subject struct {
	ID          string      `json:"id"`
	Type        []string    `json:"type"`
	EndDate     string      `json:"activityEndDate"`
	Identifier  []identity  `json:"identifier,omitempty"`
	Achievement achievement `json:"achievement"`
}

type identity struct {
	Type         string `json:"type"`
	Hashed       bool   `json:"hashed"`
	IdentityHash string `json:"identityHash"`
	IdentityType string `json:"identityType"`
}

type achievement struct {
	ID              string   `json:"id"`
	Type            []string `json:"type"`
	AchievementType string   `json:"achievementType,omitempty"`
	Name            string   `json:"name"`
	Description     string   `json:"description"`
	Criteria        criteria `json:"criteria"`
	Image           *image   `json:"image,omitempty"`
}

type criteria struct {
	Narrative string `json:"narrative,omitempty"`
}

type evidence struct {
	ID          string   `json:"id"`
	Type        []string `json:"type"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
}

type status struct {
	ID         string `json:"id"`
	Type       string `json:"type"`
	Purpose    string `json:"statusPurpose"`
	Index      string `json:"statusListIndex"`
	Credential string `json:"statusListCredential"`
}

const (
	vcContext    = "https://www.w3.org/ns/credentials/v2"
	badgeContext = "https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json"
)

// SignCredential signs the Open Badges credential of a certificate, and returns it as a JWT. The
// claims of a certificate are the same at every call. It returns an error for a negative number,
// which has no place in a status list, if the key fails, and if ctx is done.
func (i *Issuer) SignCredential(ctx context.Context, c certify.Certificate) (string, error) {
	if c.Number < 0 {
		return "", fmt.Errorf("credential: certificate %s has the number %d", c.ID, c.Number)
	}
	token, err := i.sign(ctx, "JWT", i.badge(c))
	if err != nil {
		return "", fmt.Errorf("credential: %w", err)
	}
	return token, nil
}

// badge returns the credential of a certificate. It depends on the certificate and the options
// only.
func (i *Issuer) badge(c certify.Certificate) badge {
	b := badge{
		Context: []string{vcContext, badgeContext}, ID: i.credentialURL(c.ID),
		Type: []string{"VerifiableCredential", "OpenBadgeCredential"},
		Name: c.CourseTitle, Issuer: i.profile.named(c.IssuerName), ValidFrom: instant(c.IssuedAt),
		Subject: i.subject(c), Status: i.status(c.Number),
		Evidence: []evidence{{ID: i.verifyURL(c.ID), Type: []string{"Evidence"},
			Name:        "Certificate",
			Description: "The certificate with all that is printed on it, as the issuer has it."}},
	}
	// Each claim repeats a property: Iss the issuer's id, Jti the credential's, Sub the student's,
	// and Nbf the property ValidFrom.
	b.badgeClaims = badgeClaims{Iss: b.Issuer.ID, Jti: b.ID, Sub: b.Subject.ID,
		Nbf: c.IssuedAt.Unix()}
	return b
}

// subject returns the student and the achievement. Open Badges requires an id of the
// student. It is different in each certificate, so that two certificates do not show that
// they belong to one student.
func (i *Issuer) subject(c certify.Certificate) subject {
	about := i.about(c)
	s := subject{
		ID: i.credentialURL(c.ID) + "#recipient", Type: []string{"AchievementSubject"},
		EndDate: instant(c.CompletedAt),
		Achievement: achievement{
			ID: i.courseURL(c.CourseID), Type: []string{"Achievement"}, AchievementType: about.Type,
			Name:        c.CourseTitle,
			Description: about.Description, Criteria: criteria{about.Criteria},
		},
	}
	if about.Image != "" {
		s.Achievement.Image = &image{ID: about.Image, Type: "Image"}
	}
	if c.StudentName != "" { // in plain text: the property is IdentityHash also if Hashed is false
		s.Identifier = []identity{{Type: "IdentityObject", IdentityHash: c.StudentName,
			IdentityType: "name"}}
	}
	return s
}

// instant formats a time in UTC and in whole seconds, because validFrom must equal nbf, which
// has seconds only.
func instant(t time.Time) string { return t.UTC().Truncate(time.Second).Format(time.RFC3339) }
