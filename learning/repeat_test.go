package learning_test

import (
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

// repeated is an operation that a worker of a host may call again, because the outcome of a call is
// unknown. The second call returns an error that matches again, or the same value as the first one.
type repeated struct {
	again error
	call  func(t *testing.T, k *learningtest.Kit) (any, error)
}

// repeatedOperations are the operations in the table of docs/transactions.md, by their names there.
func repeatedOperations() map[string]repeated {
	admin := learning.Actor{UserID: "service:tests", Role: core.Admin}
	ada := learning.Actor{UserID: "educator", Role: core.Educator, Name: "educator"}
	ben := learning.Actor{UserID: "ben", Role: core.Student, Name: "ben"}
	changed := learningtest.Start
	var paid payment.Payment
	return map[string]repeated{
		"System.ApplyIdentityEvent": {call: func(t *testing.T, k *learningtest.Kit) (any, error) {
			err := k.Platform.System().ApplyIdentityEvent(t.Context(), people.IdentityEvent{
				Type: people.UserUpdated, User: people.IdentityUser{ID: "ben", FirstName: "Benno",
					UpdatedAt: changed}})
			roomtest.Must(t, err)
			u, err := k.Platform.People.User(t.Context(), people.Claims{UserID: "ben"})
			return u.Name, err
		}},
		"System.MakeAdmin": {call: func(t *testing.T, k *learningtest.Kit) (any, error) {
			return nil, k.Platform.System().MakeAdmin(t.Context(), "ben")
		}},
		"Study.GrantEnrollment": {call: func(t *testing.T, k *learningtest.Kit) (any, error) {
			_, err := k.Platform.Study.GrantEnrollment(t.Context(), admin,
				study.Grant{UserID: "ben", CourseID: "sailing"})
			roomtest.Must(t, err)
			list, err := k.Platform.Study.Enrollments(t.Context(), admin,
				study.EnrollmentQuery{UserID: "ben"}, learning.PageRequest{Limit: 2})
			return [2]any{len(list.Rows), list.Rows[0].GrantedAt}, err
		}},
		"Study.EndEnrollment": {again: study.ErrEnrollmentNotFound,
			call: func(t *testing.T, k *learningtest.Kit) (any, error) {
				return nil, k.Platform.Study.EndEnrollment(t.Context(), admin, "dora", "rowing")
			}},
		"Study.CompleteLecture": {call: func(t *testing.T, k *learningtest.Kit) (any, error) {
			_, err := k.Platform.Study.CompleteLecture(t.Context(), dora(), "rowing", "lecture")
			return nil, err
		}},
		"Assess.SetExtraAttempts": {call: func(t *testing.T, k *learningtest.Kit) (any, error) {
			e := bank("rowing")
			_, err := k.Platform.Assess.SaveQuiz(t.Context(), admin, e)
			roomtest.Must(t, err)
			roomtest.Must(t, k.Platform.Assess.SetExtraAttempts(t.Context(), admin,
				assess.ExtraAttempts{UserID: "dora", CourseID: "rowing", ChapterID: e.ChapterID,
					Attempts: 2}))
			extra, err := k.Platform.Assess.ForRooms().ExtraAttempts(t.Context(), "dora", "rowing")
			return extra[e.ChapterID], err
		}},
		"Catalog.AddCourse": {again: core.ErrDuplicate,
			call: func(t *testing.T, k *learningtest.Kit) (any, error) {
				n := roomtest.NewCourse("added")
				return k.Platform.Catalog.AddCourse(t.Context(), ada, n, learningtest.Thumbnail(t))
			}},
		"Catalog.EditCourse": {again: catalog.ErrCourseChanged,
			call: func(t *testing.T, k *learningtest.Kit) (any, error) {
				title := "Edited"
				return k.Platform.Catalog.EditCourse(t.Context(), ada, "sailing",
					catalog.CourseEdit{Version: 1, Title: &title})
			}},
		"Files.UploadFile": {call: func(t *testing.T, k *learningtest.Kit) (any, error) {
			f, err := k.Platform.Files.UploadFile(t.Context(), ada, "plan.txt",
				strings.NewReader("Reef early."))
			return f.ID, err
		}},
		"System.ImportCatalogue": {call: func(t *testing.T, k *learningtest.Kit) (any, error) {
			done, err := k.Platform.System().ImportCatalogue(t.Context(), importedCatalogue,
				exchange.CatalogueFiles{Picture: func(string) ([]byte, error) {
					return learningtest.Thumbnail(t), nil
				}})
			return done.Added + done.Existing, err
		}},
		"System.RecordSale": {call: func(t *testing.T, k *learningtest.Kit) (any, error) {
			p, err := k.Platform.System().RecordSale(t.Context(), sale.SaleElsewhere{UserID: "dora",
				CourseID: "sailing", Amount: 1_00, Currency: "INR", Reference: "1",
				Source: "invoice"})
			return p.ID, err
		}},
		"System.NumberPapers": {call: func(t *testing.T, k *learningtest.Kit) (any, error) {
			_, err := k.Platform.System().NumberPapers(t.Context())
			return nil, err
		}},
		"System.ImportPeople": {call: func(t *testing.T, k *learningtest.Kit) (any, error) {
			done, err := k.Platform.System().ImportPeople(t.Context(), importedPeople,
				exchange.PeopleOptions{})
			n := done.Added[exchange.PersonProgress] + done.Existing[exchange.PersonProgress]
			return n, err
		}},
		"Sales.OpenOrder": {call: func(t *testing.T, k *learningtest.Kit) (any, error) {
			o, err := k.Platform.Sales.OpenOrder(t.Context(), ben,
				sale.OrderRequest{CourseID: "sailing"})
			return o.OrderID, err
		}},
		"System.CapturePayment": {call: func(t *testing.T, k *learningtest.Kit) (any, error) {
			if paid.ID == "" { // the first call pays
				o, err := k.Platform.Sales.OpenOrder(t.Context(), ben,
					sale.OrderRequest{CourseID: "sailing"})
				roomtest.Must(t, err)
				captured, err := k.Sandbox.Gateway().Pay(o.OrderID)
				roomtest.Must(t, err)
				paid = payment.Payment{ID: captured.ID, OrderID: o.OrderID, Captured: true}
			}
			roomtest.Must(t, k.Platform.System().CapturePayment(t.Context(), paid))
			u, err := k.Platform.People.User(t.Context(), people.Claims{UserID: "ben"})
			return strings.Join(u.Enrolled, " "), err
		}},
		"Refunds.Refund": {call: func(t *testing.T, k *learningtest.Kit) (any, error) {
			list, err := k.Platform.Staff.Purchases(t.Context(), admin, staff.PurchaseQuery{},
				learning.PageRequest{Limit: 1})
			roomtest.Must(t, err)
			amount := core.Money(100)
			p, err := k.Platform.Refunds.Refund(t.Context(), admin, refund.Request{
				PurchaseID: list.Rows[0].ID, Amount: &amount, Key: "ticket-7"})
			return p.RefundedAmount, err
		}},
		"Offers.CreateCoupon": {again: offer.ErrCouponExists,
			call: func(t *testing.T, k *learningtest.Kit) (any, error) {
				return k.Platform.Offers.CreateCoupon(t.Context(), admin,
					offer.NewCoupon{Code: "SPRING", PercentOff: 10_00, Active: true})
			}},
		"Certify.GenerateCertificate": {call: func(t *testing.T, k *learningtest.Kit) (any, error) {
			_, err := k.Platform.Study.CompleteLecture(t.Context(), dora(), "rowing", "lecture")
			roomtest.Must(t, err)
			c, err := k.Platform.Certify.GenerateCertificate(t.Context(), dora(), "rowing")
			return c.ID, err
		}},
		"System.RevokeCertificate": {call: func(t *testing.T, k *learningtest.Kit) (any, error) {
			_, err := k.Platform.Study.CompleteLecture(t.Context(), dora(), "rowing", "lecture")
			roomtest.Must(t, err)
			c, err := k.Platform.Certify.GenerateCertificate(t.Context(), dora(), "rowing")
			if errors.Is(err, certify.ErrCertificateRevoked) { // by the first call
				list, err := k.Platform.Certify.Certificates(t.Context(), dora())
				roomtest.Must(t, err)
				c.ID = list[0].ID
			}
			r, err := k.Platform.System().RevokeCertificate(t.Context(), c.ID, "copied")
			return r.Certificate.RevokedAt, err
		}},
		"Community.Rate": {call: func(t *testing.T, k *learningtest.Kit) (any, error) {
			return nil, k.Platform.Community.Rate(t.Context(), dora(), "rowing", 4)
		}},
		"Staff.Approve": {again: staff.ErrAlreadyApproved,
			call: func(t *testing.T, k *learningtest.Kit) (any, error) {
				list, err := k.Platform.Staff.Applications(t.Context(), admin, "",
					learning.PageRequest{Limit: 1})
				roomtest.Must(t, err)
				return nil, k.Platform.Staff.Approve(t.Context(), admin, list.Rows[0].ID)
			}},
	}
}

// dora is a student who has bought the course rowing.
func dora() learning.Actor {
	return learning.Actor{UserID: "dora", Role: core.Student, Name: "dora"}
}

// importedCatalogue has one course.
var importedCatalogue = exchange.Catalogue{
	Courses: []exchange.CatalogueCourse{{ID: "imported", Educator: "educator", Title: "Imported",
		Price: "0", Content: []exchange.CatalogueChapter{{Title: "One",
			Lectures: []exchange.CatalogueLecture{{Title: "A", URL: "https://v.example.org/1"}}}}}}}

// importedPeople has a lecture that dora has completed elsewhere.
var importedPeople = exchange.People{Rows: []exchange.PeopleRow{{Kind: exchange.PersonProgress,
	UserID: "dora", CourseID: "rowing", Percent: 100,
	At: time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)}}}

// A worker of a host repeats a call whose outcome it does not know. The table of
// docs/transactions.md says what it gets then.
func TestOperations_MayBeRepeated(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(repeatedOperations())) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := learningtest.New(t)
			ben := k.Person(t, "ben", core.Student)
			k.Person(t, "dora", core.Student)
			k.Course(t, "sailing", 499_00)
			k.Course(t, "rowing", 499_00)
			k.Buy(t, dora(), "rowing")
			_, err := k.Platform.Staff.Apply(t.Context(), ben, staff.NewApplication{
				ProfessionalTitle: "Skipper", Bio: strings.Repeat("I sail. ", 20),
				Expertise: []string{"Knots"}})
			roomtest.Must(t, err)

			operation := repeatedOperations()[name]
			first, err := operation.call(t, k)
			if err != nil {
				t.Fatalf("the first call: %v", err)
			}
			k.Clock.Advance(time.Hour) // so that a second effect would have another time
			second, err := operation.call(t, k)
			if !errors.Is(err, operation.again) {
				t.Errorf("the second call: %v, want %v", err, operation.again)
			}
			if operation.again == nil && first != second {
				t.Errorf("the first call returned %v, the second one %v", first, second)
			}
		})
	}
}

// repeatedRow is a row of the table of docs/transactions.md.
var repeatedRow = regexp.MustCompile("(?m)^\\| `((?:[A-Z][a-z]+)\\.[A-Za-z]+)` \\|")

func TestTransactionsPage_ListsTheOperationsThatWereRepeated(t *testing.T) {
	page, err := os.ReadFile("../docs/transactions.md")
	roomtest.Must(t, err)
	var listed []string
	for _, row := range repeatedRow.FindAllStringSubmatch(string(page), -1) {
		listed = append(listed, row[1])
	}
	slices.Sort(listed)
	if want := slices.Sorted(maps.Keys(repeatedOperations())); !slices.Equal(listed, want) {
		t.Errorf("docs/transactions.md lists\n%v, and tried are\n%v", listed, want)
	}
}
