package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/exportlist"
	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
)

// storesIDs are the methods that store an id in a row that exists, and the place of that id. The
// places are those of the arguments after the context. An id that cannot be stored is an error.
var storesIDs = map[string]string{
	"CloseComplaints":     "2.By",
	"DecideComplaint":     "2.By",
	"MoveAnnouncement":    "1.ToldTo.ID",
	"MoveDue":             "1.ToldTo.ID",
	"MoveQuizRemark":      "1.After",
	"MoveEnrollment":      "0.ID 0.EndedBy",
	"MoveSweep":           "1.After.ID",
	"SetLastLectures":     "0[0].LectureID 0[1].LectureID",
	"SetReview":           "1.ID",
	"TakeOverLease":       "0.Holder",
	"UpdateApplication":   "1.ReviewID",
	"UpdateBundle":        "0.EducatorID",
	"UpdateEnrollment":    "0.PurchaseID 0.GrantedBy 0.Override.DecidedBy",
	"UpdatePost":          "0.AcceptedReplyID",
	"UpdatePurchase":      "1.OrderID 1.PaymentID 1.CouponID 1.Provider",
	"UpdateRefund":        "1.ProviderID",
	"UpdateSubmission":    "0.GradedBy",
	"ClosePostComplaints": "1.By",
	"UpdateExtraAttempts": "0.DecidedBy",
}

// unknownID is an id that a row could have, and none has.
const unknownID = "no-such-row"

// A statement with an id that no row can have reads nothing, or what it reads with the id of no
// row, and changes no more rows than with that. The transaction goes on. An INSERT of such an id is
// an error.
func TestMethods_InvalidIDIsNoRow(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		s := populated(t, e)
		refusals := map[string]bool{} // whether an INSERT has refused an id
		for m := range reflect.TypeFor[learning.Tx]().Methods() {
			if m.Type.NumIn() < 2 || m.Type.In(0) != reflect.TypeFor[context.Context]() {
				continue
			}
			checkInvalidIDs(t, s, m, refusals)
		}
		for name, refused := range refusals {
			if !refused {
				t.Errorf("%s inserts every id", name)
			}
		}
	})
}

// checkInvalidIDs calls a method of a transaction with bad texts in each place: one that an engine
// may take for "0020", which rows have, and two that an engine may refuse.
func checkInvalidIDs(t *testing.T, s *Store, m reflect.Method, refusals map[string]bool) {
	t.Helper()
	in := methodArguments(m)
	for i := range in {
		eachText(fmt.Sprint(i), in[i], func(place string, text reflect.Value) {
			valid := text.String()
			defer text.SetString(valid)
			text.SetString(unknownID)
			want := outcomeOf(t, s, m, in, text.String())
			for _, bad := range []string{"0020 ", "00\x0020", "0020\xff"} {
				text.SetString(bad)
				got := outcomeOf(t, s, m, in, text.String())
				err := got.err
				refused := errors.Is(err, sqldb.ErrInvalidID) ||
					errors.Is(err, sqldb.ErrUnstorableID)
				switch isStored := strings.Contains(" "+storesIDs[m.Name]+" ", " "+place+" "); {
				case strings.HasPrefix(m.Name, "Insert"):
					refusals[m.Name] = refusals[m.Name] || refused
				case errors.Is(err, sqldb.ErrUnstorableText): // all engines refuse it
				case isStored && !refused:
					t.Errorf("%s: %q in %s would be stored: %v", m.Name, bad, place, err)
				case isStored:
				case err != nil && want.err == nil && !utf8.ValidString(bad) && got.changed == 0:
					// PostgreSQL refuses it in a text that is no id. The other engines read
					// nothing.
				case err != nil && !errors.Is(err, core.ErrNoRecord):
					t.Errorf("%s: %q in %s: %v. If the method stores the id, add the place to "+
						"storesIDs in learning/store/invalid_id_test.go", m.Name, bad, place, err)
				case isPosition(place):
				case got.changed > want.changed || !got.isEmpty && got.read != want.read &&
					got.withoutID != want.withoutID:
					t.Errorf("%s: %q in %s has changed %d rows and read\n%s\nAn id of no row has "+
						"changed %d and read\n%s\nGive the statement key(id) in place of the id.",
						m.Name, bad, place, got.changed, got.read, want.changed, want.read)
				}
			}
		})
	}
}

// isPosition reports whether a text is that of a position in a list, which need not be that of a
// row.
func isPosition(place string) bool {
	return strings.Contains(place, ".After.") || strings.HasSuffix(place, ".ID2")
}

// outcome is what a call of a method of a transaction has read and changed.
type outcome struct {
	err     error
	changed int64  // rows
	read    string // the results, and the rows that a function got
	// withoutID is read without the id, which a result may repeat.
	withoutID string
	isEmpty   bool // whether the results are zero
}

// outcomeOf calls a method with an id in a transaction that is rolled back.
func outcomeOf(
	t *testing.T, s *Store, m reflect.Method, in []reflect.Value, id string,
) (got outcome) {
	t.Helper()
	_ = s.db.InTx(t.Context(), func(transaction *sqldb.Tx) error {
		counter := &changeCounter{Session: transaction.Conn}
		transaction.Conn = counter
		args, given := []reflect.Value{reflect.ValueOf(t.Context())}, []reflect.Value(nil)
		for _, arg := range in {
			if arg.Kind() == reflect.Func { // it gets the rows
				kind := arg.Type()
				arg = reflect.MakeFunc(kind, func(row []reflect.Value) []reflect.Value {
					given = append(given, row...)
					return []reflect.Value{reflect.Zero(kind.Out(0))}
				})
			}
			args = append(args, arg)
		}
		results := reflect.ValueOf(s.newTx(transaction)).MethodByName(m.Name).Call(args)
		got.err, _ = results[len(results)-1].Interface().(error)
		results = results[:len(results)-1]
		got.changed = counter.changed
		got.read = textOfValues(slices.Concat(results, given))
		got.withoutID = strings.ReplaceAll(got.read, id, "<id>")
		got.isEmpty = len(given) == 0 && !slices.ContainsFunc(results, hasValue)
		return context.Canceled // rolls back
	})
	return got
}

// hasValue reports whether a result is neither zero, nor empty, nor a slice of zeros.
func hasValue(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			if hasValue(v.Index(i)) {
				return true
			}
		}
		return false
	case reflect.Map:
		return v.Len() > 0
	}
	return !v.IsZero()
}

// textOfValues describes values, and what they point to.
func textOfValues(values []reflect.Value) string {
	var all []string
	for _, v := range values {
		if v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		if v.Kind() == reflect.Slice && v.Len() == 0 {
			all = append(all, "[]") // also of bytes, and nil
			continue
		}
		all = append(all, fmt.Sprintf("%+v", v.Interface()))
	}
	return strings.Join(all, ", ")
}

// changeCounter is a connection that counts the rows that its statements change.
type changeCounter struct {
	sqldb.Session
	changed int64
}

func (c *changeCounter) ExecContext(
	ctx context.Context, query string, args ...any,
) (sql.Result, error) {
	result, err := c.Session.ExecContext(ctx, query, args...)
	if err == nil {
		n, _ := result.RowsAffected() // every driver knows it
		c.changed += n
	}
	return result, err
}

// eachText calls fn with the place of each text in v and with the text.
func eachText(place string, v reflect.Value, fn func(place string, text reflect.Value)) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() { // others are a status, an order or a tab
			fn(place, v)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[exportlist.List]() { // a part of the program
			return
		}
		for i, field := range v.Fields() {
			if i.IsExported() && i.Name != "Currency" { // an engine refuses long ones
				eachText(place+"."+i.Name, field, fn)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			eachText(place, v.Elem(), fn)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachText(fmt.Sprintf("%s[%d]", place, i), v.Index(i), fn)
		}
	}
}
