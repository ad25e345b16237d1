package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/sale"
)

// peopleCheck compares rows with each other and with the platform. It reads each user, course and
// enrolment once.
type peopleCheck struct {
	service *Service

	added    map[string]bool     // the ids of the users of the file, without those with faults
	byEmail  map[string][]string // the ids of users by their addresses in small letters
	unusable map[string]string   // why other rows cannot name a user, by the id; "" if they can
	courses  map[string]*courseToFill
	enrolled map[userInCourse]bool

	certificates map[string]userInCourse          // by their ids in the file
	sales        map[[2]string]sale.SaleElsewhere // by their sources and references in the file
}

// userInCourse names what there is at most one of for a user and a course.
type userInCourse struct{ userID, courseID string }

// courseToFill is a course that rows name.
type courseToFill struct {
	catalog.Course
	lectures []string // in the order of the course
	chapters []catalog.Chapter
}

// chapter returns a chapter, and whether there is one.
func (c *courseToFill) chapter(id string) (catalog.Chapter, bool) {
	i := slices.IndexFunc(c.chapters, func(ch catalog.Chapter) bool { return ch.ID == id })
	if i < 0 {
		return catalog.Chapter{}, false
	}
	return c.chapters[i], true
}

// checkPeople returns the rows that can be imported, with the ids of those whom they name by an
// address, and the faults of the others.
func (s *Service) checkPeople(
	ctx context.Context, rows []PeopleRow,
) (*peopleCheck, []PeopleRow, []PeopleFault, error) {
	c := &peopleCheck{service: s, added: map[string]bool{}, byEmail: map[string][]string{},
		unusable: map[string]string{}, courses: map[string]*courseToFill{},
		enrolled: map[userInCourse]bool{}, certificates: map[string]userInCourse{},
		sales: map[[2]string]sale.SaleElsewhere{}}

	// Users and enrolments of the file count wherever they stand in it, so they come first.
	if err := c.readEmails(ctx, rows); err != nil {
		return nil, nil, nil, err
	}
	rank := func(r PeopleRow) int {
		switch r.Kind {
		case PersonUser:
			return 0
		case PersonSale, PersonEnrollment:
			return 1
		}
		return 2
	}
	var faults []PeopleFault
	valid := make([]PeopleRow, 0, len(rows))
	for pass := range 3 {
		for _, r := range rows {
			if rank(r) != pass {
				continue
			}
			field, reason, err := c.check(ctx, &r)
			switch {
			case err != nil:
				return nil, nil, nil, err
			case reason != "":
				faults = append(faults, r.fault(field, reason))
			default:
				valid = append(valid, r)
			}
		}
	}
	return c, valid, faults, nil
}

// readEmails reads who has which address, if a row names a person by one.
func (c *peopleCheck) readEmails(ctx context.Context, rows []PeopleRow) error {
	isNeeded := slices.ContainsFunc(rows, func(r PeopleRow) bool { return r.UserID == "" })
	if !isNeeded {
		return nil
	}
	return c.service.store.UserEmails(ctx, func(id, email string) error {
		c.addEmail(id, email)
		return nil
	})
}

// addEmail notes that a user has an address.
func (c *peopleCheck) addEmail(userID, email string) {
	email = strings.ToLower(email)
	if email != "" && !slices.Contains(c.byEmail[email], userID) {
		c.byEmail[email] = append(c.byEmail[email], userID)
	}
}

// check returns the field of a row that is wrong, and why; "" if none is. It gives the row the id
// of the person whom it names by an address.
func (c *peopleCheck) check(ctx context.Context, r *PeopleRow) (field, reason string, err error) {
	// Check the row itself. A store keeps no parts of a microsecond.
	r.At = r.At.UTC().Truncate(time.Microsecond)
	if field, reason := r.check(); reason != "" {
		return field, reason, nil
	}
	if r.At.After(c.service.base.Now()) {
		return "createdAt", "must not be in the future", nil
	}

	// Find the person.
	idField := "userId"
	switch found := c.byEmail[strings.ToLower(r.Email)]; {
	case r.Kind == PersonUser:
		idField = "id"
		c.added[r.UserID] = true
		c.addEmail(r.UserID, r.Email)
	case r.UserID == "" && len(found) == 1:
		r.UserID, idField = found[0], "email"
	case r.UserID == "":
		return "email", fmt.Sprintf("%q is the address of %d users: name the person by userId",
			r.Email, len(found)), nil
	}
	if reason, err := c.person(ctx, r.UserID); err != nil || reason != "" {
		return idField, reason, err
	}
	if r.Kind == PersonUser {
		return "", "", nil
	}

	// Find the course and what the row names in it.
	course, err := c.course(ctx, r.CourseID)
	if err != nil {
		return "", "", err
	}
	if course == nil {
		return "courseId", fmt.Sprintf("%q: there is no such course; import the courses first",
			r.CourseID), nil
	}
	if r.LectureID != "" && !slices.Contains(course.lectures, r.LectureID) {
		return "lectureId", fmt.Sprintf("%q: the course has no such lecture", r.LectureID), nil
	}
	if _, isThere := course.chapter(r.ChapterID); r.ChapterID != "" && !isThere {
		return "chapterId", fmt.Sprintf("%q: the course has no such chapter", r.ChapterID), nil
	}
	switch r.Kind {
	case PersonSale:
		field, reason, err = c.sale(ctx, r)
	case PersonCertificate:
		field, reason, err = c.certificate(ctx, r)
	}
	if err != nil || reason != "" {
		return field, reason, err
	}
	return c.enrolment(ctx, r)
}

// sale returns the field of a sale that is wrong, and why. The file may have the sale twice.
func (c *peopleCheck) sale(ctx context.Context, r *PeopleRow) (field, reason string, err error) {
	r.Source = cmp.Or(r.Source, importedSource)
	name := [2]string{r.Source, r.Reference}
	first, isKnown := c.sales[name]
	if !isKnown {
		first, err = r.sale(), c.service.sales.CheckSale(ctx, r.sale())
	}
	wrong, isWrong := errors.AsType[*core.FieldError](err)
	switch {
	case isWrong:
		return wrong.Field, wrong.Reason, nil
	case errors.Is(err, sale.ErrReferenceUsed) || err == nil && first != r.sale():
		return "reference", fmt.Sprintf("%q was used for another sale of the source %s",
			r.Reference, r.Source), nil
	}
	c.sales[name] = first
	return "", "", err
}

// certificate returns why a certificate cannot have its id.
func (c *peopleCheck) certificate(
	ctx context.Context, r *PeopleRow,
) (field, reason string, err error) {
	of := userInCourse{r.UserID, r.CourseID}
	first, isKnown := c.certificates[r.CertificateID]
	if !isKnown {
		stored, err := c.service.store.Certificate(ctx, r.CertificateID)
		if err != nil && !errors.Is(err, core.ErrNoRecord) {
			return "", "", fmt.Errorf("read a certificate: %w", err)
		}
		first = of
		if err == nil {
			first = userInCourse{stored.UserID, stored.CourseID}
		}
	}
	if first != of {
		return "certificateId", fmt.Sprintf("%q is that of another certificate", r.CertificateID),
			nil
	}
	c.certificates[r.CertificateID] = of
	return "", "", nil
}

// person returns why a row cannot be one of a user; "" if it can.
func (c *peopleCheck) person(ctx context.Context, userID string) (string, error) {
	reason, isKnown := c.unusable[userID]
	if isKnown {
		return reason, nil
	}
	state, err := c.service.store.AccountState(ctx, userID)
	switch {
	case err != nil:
		return "", fmt.Errorf("read a user: %w", err)
	case state.Deleted:
		reason = fmt.Sprintf("%q was deleted, which is permanent", userID)
	case !state.Known && !c.added[userID]:
		reason = fmt.Sprintf("%q: there is no such user; add a row of the kind user", userID)
	}
	c.unusable[userID] = reason
	return reason, nil
}

// course returns a course, nil if there is none.
func (c *peopleCheck) course(ctx context.Context, id string) (*courseToFill, error) {
	if course, isKnown := c.courses[id]; isKnown {
		return course, nil
	}
	found, err := c.service.store.Course(ctx, id)
	if errors.Is(err, core.ErrNoRecord) {
		c.courses[id] = nil
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a course: %w", err)
	}
	course := &courseToFill{Course: found}
	if course.chapters, err = c.service.store.CourseContent(ctx, id); err != nil {
		return nil, fmt.Errorf("read the content of a course: %w", err)
	}
	for _, chapter := range course.chapters {
		for _, l := range chapter.Lectures {
			course.lectures = append(course.lectures, l.ID)
		}
	}
	c.courses[id] = course
	return course, nil
}

// enrolment notes a row of an enrolment, and returns why another row cannot be without one. A
// certificate can: it is a proof, and stays when the access ends.
func (c *peopleCheck) enrolment(
	ctx context.Context, r *PeopleRow,
) (field, reason string, err error) {
	at := userInCourse{r.UserID, r.CourseID}
	switch r.Kind {
	case PersonEnrollment, PersonSale:
		c.enrolled[at] = true
		return "", "", nil
	case PersonCertificate:
		return "", "", nil
	}
	enrolled, isKnown := c.enrolled[at]
	if !isKnown {
		if enrolled, err = c.service.store.Enrolled(ctx, r.UserID, r.CourseID); err != nil {
			return "", "", fmt.Errorf("read an enrolment: %w", err)
		}
		c.enrolled[at] = enrolled
	}
	if !enrolled {
		return "courseId", fmt.Sprintf("%q: the user is not enrolled in it; add a row of the kind "+
			"enrollment", r.CourseID), nil
	}
	return "", "", nil
}
