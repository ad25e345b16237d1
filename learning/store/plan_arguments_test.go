package store

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/outbox"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/due"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/staff"
)

// wholeTable names the methods that read or sort a whole table, with the reason.
var wholeTable = map[string]string{
	"AddToTotals":           "it inserts rows and looks for none",
	"AddToQuestionTotals":   "it inserts rows and looks for none",
	"AddToFileTotals":       "it inserts rows and looks for none",
	"IncrementCertificates": "it inserts a row and looks for none",
	"IncrementPaperNumber":  "it inserts a row and looks for none",
	"ReplaceBilling":        "it inserts a row and looks for none",
	"CatalogueRevision":     "it is a sum over all published courses",
	"Coupons":               "admins list all of them",
	"CoursesOfBundles": "PostgreSQL joins the few rows of the test in the order of the courses; " +
		"on a large table it uses the primary key",
	"EachGroupID": "the list of groups is all of them, sorted",
	"EachPostID": "the order of a list is all its posts; see " +
		"TestPostLists_ReadRowsInTheOrderOfAnIndex",
	"LockRequirements":     "it inserts a row and looks for none",
	"ReplacePositions":     "it inserts rows and looks for none",
	"ReplaceNotifications": "it inserts rows and looks for none",
	"SetQuizRemark":        "it inserts a row and looks for none",
	"SetDues":              "it inserts rows and looks for none",
	"UserEmails":           "an import compares addresses with those of all users, once",
	"WrongTotals":          "it compares totals with all rows that they count",
	"WrongQuestionTotals":  "it compares totals with all rows that they count",
	"WrongFileTotals":      "it compares totals with all rows that they count",
}

// withoutPlan reports whether the plan of a method is not checked here. A method without a context
// runs no statement, WithHost none of the store, and a method InsertX looks for no rows. The
// reports have a test of their own.
func withoutPlan(m reflect.Method) bool {
	_, whole := wholeTable[m.Name]
	_, report := reports[m.Name]
	hasContext := m.Type.NumIn() > 0 && m.Type.In(0) == reflect.TypeFor[context.Context]()
	return !hasContext || whole || report || m.Name == "WithHost" ||
		strings.HasPrefix(m.Name, "Insert")
}

// arguments has the arguments of methods that find no rows with those of ofType. They are in the
// order of the method, without the context.
var arguments = map[string][]any{
	"AIUsageOf":         {"0020", "002"},
	"AssignmentCourses": {"0020", "", populatedAt.Add(20 * time.Minute)},
	"StudentsDue": {due.AssignmentDue{CourseID: "0020", LectureID: "0020",
		ToldTo: core.Position{At: populatedAt.Add(15 * time.Minute), ID: "0015"}},
		due.DueWindow{From: populatedAt, Until: populatedAt.Add(24 * time.Hour),
			Now: populatedAt}, 10},
	"DuesAt":                 {populatedAt.Add(20 * time.Minute), 10},
	"FirstEnrolled":          {"0020", populatedAt},
	"AISpentBy":              {"0020", "002", populatedAt},
	"RevokedNumbers":         {int64(0), int64(certify.StatusListSize)},
	"LastEventSeqs":          {[]string{"0020"}, []string{"0020"}},
	"CountLeases":            {populatedAt.Add(1000 * 24 * time.Hour)},
	"CountUndeliveredEvents": {[]string{"0020", "0021"}},
	"FirstPending":           {[]string{"0020", "0022"}},
	"DueEvents": {"0020", populatedAt.Add(24 * time.Hour),
		outbox.Delivery{Event: outbox.Event{Subject: "001"},
			StatusAt: populatedAt.Add(20 * time.Minute)}, 10},
	"UndeliveredEventsIn": {"0020",
		[]outbox.Range{{Subject: "0020", From: 0, To: 10}, {Subject: "0020", From: 11, To: 20}}},
	"OldestEvent":     {"0021", learning.EventDelivered, 1},
	"NextEventTarget": {"0020"},
	"HasEventsAfter":  {[]string{"0020", "0021"}, populatedAt},
	"EventDeliveries": {outbox.Query{After: "0020", Status: learning.EventPending, Limit: 10}},
	"DeleteEvents":    {"0021", learning.EventDelivered, populatedAt.Add(24 * time.Hour)},
	"LastPaperNumber": {"R", 2010},
	"WaitingPapers": {populatedAt.Add(1000 * time.Hour),
		learning.PageRequest{After: core.Position{At: populatedAt.Add(90 * time.Minute),
			ID: "0010"}, Limit: 10}},
	"PendingRefunds": {populatedAt.Add(24 * time.Hour),
		learning.PageRequest{After: core.Position{At: populatedAt.Add(150 * time.Minute),
			ID: "0020"}, Limit: 10}},
	"OpenPurchasesWithCoupon": {populatedAt.Add(24 * time.Hour),
		learning.PageRequest{After: core.Position{At: populatedAt, ID: "0000"}, Limit: 10}},
	"PurchaseState": {"0021", "0022"},
	"PaidPurchases": {populatedAt.Add(time.Hour),
		core.Position{At: populatedAt.Add(30 * time.Minute), ID: "0020"}, 100},
	"UnpaidPurchases": {populatedAt.Add(-time.Hour), populatedAt.Add(15 * time.Minute),
		purchase.Purchase{}, 100},
	// other lists are explained too
	"ExportRows":    {learning.ExportLists()[0], "0020", []any{"0020"}, 10},
	"DeletePrivate": {learning.ExportLists()[0], "0020"},
	"CatalogueEnd": {catalog.CourseQuery{},
		core.Position{At: populatedAt.Add(30 * time.Minute), ID: "0020"}, 10},
	"UsersEnd": {learning.Role(""),
		core.Position{At: populatedAt.Add(150 * time.Minute), ID: "0020"}, 10},
	"PurchasesEnd": {staff.PurchaseSelection{},
		core.Position{At: populatedAt.Add(150 * time.Minute), ID: "0020"}, 10},
	"PurchasesNumbered":    {staff.PaymentNumber, "0021", 10},
	"PurchasesCompletedIn": {populatedAt, populatedAt.Add(24 * time.Hour), nextOfPopulated},
	"RefundsProcessedIn":   {populatedAt, populatedAt.Add(24 * time.Hour), nextOfPopulated},
	"PapersNumberedIn":     {populatedAt, populatedAt.Add(24 * time.Hour), nextOfPopulated},
	"CountWords":           {catalog.CourseWords, []string{"00", "0021"}, 10},
	"InsertEducatorWords":  {[]string{"0021", "0024"}, []string(nil)},
	"DeleteWords": {catalog.CourseWords, []string{"0021", "0024"},
		[]string{"0021", "0024"}},
}

// nextOfPopulated asks for a page in the middle of a list.
var nextOfPopulated = learning.PageRequest{
	After: core.Position{At: populatedAt.Add(150 * time.Minute), ID: "0020"}, Limit: 10,
}

// ofType are the arguments of some types.
var ofType = map[reflect.Type]any{
	reflect.TypeFor[time.Time]():                 populatedAt.Add(20 * time.Minute),
	reflect.TypeFor[people.ApplicationStatus]():  people.ApplicationPending,
	reflect.TypeFor[community.ComplaintStatus](): community.ComplaintOpen,
	reflect.TypeFor[learning.EventStatus]():      learning.EventPending,
	reflect.TypeFor[catalog.CourseSort]():        catalog.NewestCourses,
	reflect.TypeFor[learning.PageRequest](): learning.PageRequest{ // in the middle of a list
		After: core.Position{At: populatedAt.Add(150 * time.Minute), ID: "0020", ID2: "0020"},
		Limit: 10},
}

// The lengths of lists of callMethod.
const (
	one  = 1
	many = 2
)

// callMethod calls a method of a transaction with lists of a length, or of fewer if arguments has
// fewer.
func callMethod(ctx context.Context, tx learning.Tx, m reflect.Method, length int) {
	in := append([]reflect.Value{reflect.ValueOf(ctx)}, methodArguments(m)...)
	for i, v := range in {
		if v.Kind() == reflect.Slice && length == one {
			in[i] = v.Slice(0, min(v.Len(), one))
		}
	}
	reflect.ValueOf(tx).MethodByName(m.Name).Call(in)
}

// takesList reports whether a method takes a list of rows.
func takesList(m reflect.Method) bool {
	for in := range m.Type.Ins() {
		if in.Kind() == reflect.Slice {
			return true
		}
	}
	return false
}

// methodArguments returns the arguments of a method of a transaction after its context.
func methodArguments(m reflect.Method) (in []reflect.Value) {
	for i := 1; i < m.Type.NumIn(); i++ {
		value := reflect.New(m.Type.In(i)).Elem()
		if given, found := arguments[m.Name]; found {
			value.Set(reflect.ValueOf(given[i-1]))
		} else {
			setArgument(value, 20)
		}
		in = append(in, value)
	}
	return in
}

// setArgument sets a value to one of its type. Texts are the id of a row that populated inserts.
func setArgument(v reflect.Value, row int) {
	if value, found := ofType[v.Type()]; found {
		v.Set(reflect.ValueOf(value))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("%04d", row))
	case reflect.Int, reflect.Int64:
		v.SetInt(10)
	case reflect.Struct:
		for i, field := range v.Fields() {
			if setArgument(field, row); i.Name == "Currency" {
				field.SetString("INR") // PostgreSQL refuses longer ones where no row matches too
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		setArgument(v.Elem(), row)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		setArgument(v.Index(0), row)
		setArgument(v.Index(1), row+1)
	case reflect.Func:
		v.Set(reflect.MakeFunc(v.Type(),
			func([]reflect.Value) []reflect.Value {
				return []reflect.Value{
					reflect.Zero(v.Type().Out(0))}
			}))
	}
}
