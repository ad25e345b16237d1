package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/record"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

// PeopleOptions are how [System.ImportPeople] imports. The zero value imports all or nothing that
// has a fault, and tells nobody.
type PeopleOptions struct {
	DryRun      bool // count what would be stored, and store nothing
	SkipInvalid bool // leave out the rows with faults, and import the others
	// Tell writes the events of what is stored, with the present as their time.
	Tell bool
	// Progress is called with the number of rows that are done; nil for nobody.
	Progress func(done, total int)
}

// PeopleImport says what [System.ImportPeople] has done.
type PeopleImport struct {
	Added    map[PeopleKind]int // rows that were stored
	Existing map[PeopleKind]int // rows that were there before, in the platform or in the file
	Faults   []PeopleFault      // rows that were left out, in the order of the file
}

// importBatch is how many rows are stored in a transaction.
const importBatch = 200

// importedSource is the source of sales whose rows name none.
const importedSource = "import"

// importedBy is who has granted the enrolments of an import.
const importedBy = "service:import"

// ImportPeople imports people and their history. All rows are checked first. If one has a fault,
// nothing is stored, unless the options say to leave it out; the error has a line for each of the
// faults, which the result has too. Then the rows are stored in batches, each in a transaction with
// its totals: users first, and what is theirs in the order of [PeopleKinds].
//
// The same rows again change nothing. So an import that was interrupted is finished by the same
// call, and what the platform has stays: the record of a user, an enrolment, a later rating, a
// certificate. An enrolment that has ended here is not given again.
func (s System) ImportPeople(
	ctx context.Context, p People, options PeopleOptions,
) (PeopleImport, error) {
	// Check all rows.
	result := PeopleImport{Added: map[PeopleKind]int{}, Existing: map[PeopleKind]int{},
		Faults: p.Faults}
	check, rows, faults, err := s.service.checkPeople(ctx, p.Rows)
	if err != nil {
		return result, core.Wrap("check people", err)
	}
	result.Faults = append(slices.Clone(result.Faults), faults...)
	slices.SortStableFunc(result.Faults, func(a, b PeopleFault) int { return a.Line - b.Line })
	if len(result.Faults) > 0 && !options.SkipInvalid {
		return result, faultsError(result.Faults)
	}

	// Store them, those of a kind together, in the order of users, which is one of locks.
	in := peopleImport{service: s.service, check: check, options: options}
	done := 0
	for _, kind := range PeopleKinds {
		of, repeated := withoutRepetitions(slices.DeleteFunc(slices.Clone(rows),
			func(r PeopleRow) bool { return r.Kind != kind }))
		slices.SortStableFunc(of, func(a, b PeopleRow) int {
			return cmp.Or(strings.Compare(a.UserID, b.UserID), a.At.Compare(b.At))
		})
		result.Existing[kind] += repeated
		done += repeated
		for batch := range slices.Chunk(of, importBatch) {
			added, err := in.store(ctx, batch)
			if err != nil {
				return result, fmt.Errorf("import people, after %d of %d rows (running it again "+
					"is safe): %w", done, len(rows), err)
			}
			result.Added[kind] += added
			result.Existing[kind] += len(batch) - added
			if done += len(batch); options.Progress != nil {
				options.Progress(done, len(rows))
			}
		}
	}
	return result, nil
}

// withoutRepetitions removes the rows that stand in the list before, and returns how many it has
// removed.
func withoutRepetitions(rows []PeopleRow) ([]PeopleRow, int) {
	type key struct {
		userID, courseID, part string
		percent                int
		at                     time.Time
	}
	seen, kept := map[key]bool{}, rows[:0]
	for _, r := range rows {
		part := r.LectureID + r.ChapterID + r.CertificateID
		if r.Kind == PersonSale {
			part = r.Source + "\x00" + r.Reference
		}
		k := key{r.UserID, r.CourseID, part, r.Percent, r.At}
		if r.Kind == PersonUser || r.Kind == PersonEnrollment {
			k.at = time.Time{} // there is one of them, whenever it was
		}
		if !seen[k] {
			seen[k] = true
			kept = append(kept, r)
		}
	}
	return kept, len(rows) - len(kept)
}

// faultsError returns an error with a line for each fault.
func faultsError(faults []PeopleFault) error {
	errs := make([]error, len(faults))
	for i, f := range faults {
		errs[i] = f
	}
	return errors.Join(errs...)
}

// peopleImport is an import that runs.
type peopleImport struct {
	service *Service
	check   *peopleCheck
	options PeopleOptions
}

// kindsOfCourses are the kinds whose rows lock their course.
var kindsOfCourses = []PeopleKind{PersonSale, PersonEnrollment, PersonRating}

// errDryRun rolls back the transaction of a dry run.
var errDryRun = errors.New("dry run")

// store stores rows of one kind in a transaction, and returns how many were not there.
func (in peopleImport) store(ctx context.Context, rows []PeopleRow) (added int, err error) {
	err = record.RetryDuplicate(ctx, func() error {
		return in.service.base.Change(ctx, func(tx Tx, changes *core.Changes) error {
			added = 0
			if !in.options.Tell {
				changes.Silence()
			}
			// Lock the users in their order. New ones have no row to lock.
			for i, r := range rows {
				isLocked := r.Kind == PersonUser || i > 0 && rows[i-1].UserID == r.UserID
				if isLocked {
					continue
				}
				if err := core.LockUndeleted(ctx, tx, r.UserID); err != nil {
					return fmt.Errorf("user %s: %w", r.UserID, err)
				}
			}

			// Store the rows. Rows of courses are locked in the order of courses.
			inOrder := slices.Clone(rows)
			if slices.Contains(kindsOfCourses, rows[0].Kind) {
				slices.SortStableFunc(inOrder, func(a, b PeopleRow) int {
					return strings.Compare(a.CourseID, b.CourseID)
				})
			}
			for _, r := range inOrder {
				isNew, err := in.storeRow(ctx, tx, changes, r)
				if err != nil {
					return fmt.Errorf("%v%s of the user %s: %w", r.places[""], r.Kind, r.UserID,
						err)
				}
				if isNew {
					added++
				}
			}
			if in.options.DryRun {
				return errDryRun
			}
			return nil
		})
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return added, err
}

// storeRow stores a row, and reports whether it was not there.
func (in peopleImport) storeRow(
	ctx context.Context, tx Tx, changes *core.Changes, r PeopleRow,
) (bool, error) {
	s := in.service
	if r.Kind == PersonUser {
		u := people.User{ID: r.UserID, Name: r.Name, Email: r.Email, ImageURL: r.ImageURL,
			CreatedAt: cmp.Or(r.At, s.base.Now()), ChangedAt: longAgo}
		return s.people.ForRooms().ImportUser(ctx, tx, changes, u)
	}
	course := in.check.courses[r.CourseID]
	switch r.Kind {
	case PersonSale:
		_, isNew, err := s.sales.RecordSale(ctx, tx, changes, r.sale(), offer.OfCourse(course.Course))
		return isNew, err
	case PersonEnrollment:
		e := study.Enrollment{UserID: r.UserID, CourseID: r.CourseID, GrantedBy: importedBy,
			GrantedAt: r.At, CreatedAt: r.At, ExpiresAt: r.ExpiresAt, GrantExpiresAt: r.ExpiresAt}
		return s.study.ImportEnrollment(ctx, tx, changes, e, course.Title)
	case PersonProgress:
		return s.study.ImportProgress(ctx, tx, changes, study.ImportedProgress{UserID: r.UserID,
			CourseID: r.CourseID, LectureID: r.LectureID, Percent: r.Percent, At: r.At,
			Lectures: course.lectures, Title: course.Title})
	case PersonResult:
		chapter, _ := course.chapter(r.ChapterID) // it is there: see peopleCheck
		return s.assess.ForRooms().ImportResult(ctx, tx, changes, assess.ImportedResult{
			UserID: r.UserID, CourseID: r.CourseID, ChapterID: r.ChapterID, Score: r.Score,
			Total: r.Total, Passed: r.Passed, At: r.At, CourseTitle: course.Title,
			ChapterTitle: chapter.Title})
	case PersonCertificate:
		return s.certify.ImportCertificate(ctx, tx, changes, certify.Certificate{
			ID: r.CertificateID, UserID: r.UserID, CourseID: r.CourseID, CourseTitle: course.Title,
			EducatorName: course.Educator.Name, CompletedAt: r.At, IssuedAt: r.At})
	default:
		return s.community.ImportRating(ctx, tx, changes, community.ImportedRating{
			UserID: r.UserID, CourseID: r.CourseID, Stars: r.Stars, Text: r.Review, At: r.At,
			Title: course.Title, EducatorID: course.Educator.ID})
	}
}

// sale returns the sale of a row. An amount with more decimals than its currency has is -1, which
// no sale may have.
func (r PeopleRow) sale() sale.SaleElsewhere {
	amount, err := core.ParseMoney(cmp.Or(r.Amount, "0"), r.Currency)
	if err != nil {
		amount = -1
	}
	return sale.SaleElsewhere{UserID: r.UserID, CourseID: r.CourseID, Amount: amount,
		Currency: r.Currency, Reference: r.Reference, Source: r.Source, SoldAt: r.At}
}

// longAgo is the time of records that every event of the identity provider replaces.
var longAgo = time.Unix(1, 0).UTC()
