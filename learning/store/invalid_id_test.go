package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/exportlist"
	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/learning"
)

// storesIDs are the methods that store an id in a row that exists, and the place of that id. The
// places are those of the arguments after the context. An id that cannot be stored is an error.
var storesIDs = map[string]string{
	"CloseComplaints":   "2.By",
	"DecideComplaint":   "1.By",
	"MoveEnrollment":    "0.ID 0.EndedBy",
	"MoveSweep":         "1.After.ID",
	"SetLastLectures":   "0[0].LectureID 0[1].LectureID",
	"SetReview":         "1.ID",
	"TakeOverLease":     "0.Holder",
	"UpdateApplication": "1.ReviewID",
	"UpdateEnrollment":  "0.PurchaseID 0.GrantedBy",
	"UpdatePost":        "0.AcceptedReplyID",
	"UpdatePurchase":    "1.OrderID 1.PaymentID 1.CouponID",
	"UpdateRefund":      "1.ProviderID",
	"UpdateSubmission":  "0.GradedBy",
}

// A statement with an id that no row can have reads nothing and changes nothing, and the
// transaction goes on. An INSERT of such an id is an error.
func TestMethods_InvalidIDIsNoRow(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.Dialects, func(t *testing.T, e enginetest.Engine) {
		s := populated(t, e)
		refusals := map[string]bool{} // whether an INSERT has refused an id
		for m := range reflect.TypeFor[learning.Tx]().Methods() {
			if m.Type.NumIn() < 2 || m.Type.In(0) != reflect.TypeFor[context.Context]() {
				continue
			}
			for _, bad := range []string{"0020 ", "00\x0020"} {
				checkInvalidID(t, s, m, bad, refusals)
			}
		}
		for name, refused := range refusals {
			if !refused {
				t.Errorf("%s inserts every id", name)
			}
		}
	})
}

// checkInvalidID calls a method of a transaction with a bad text in each place.
func checkInvalidID(t *testing.T, s *Store, m reflect.Method, bad string,
	refusals map[string]bool) {
	t.Helper()
	in := methodArguments(m)
	for i := range in {
		eachText(fmt.Sprint(i), in[i], func(place string, text reflect.Value) {
			valid := text.String()
			defer text.SetString(valid)
			text.SetString(bad)
			var err error
			_ = s.InTx(t.Context(), func(tx learning.Tx) error {
				args := append([]reflect.Value{reflect.ValueOf(t.Context())}, in...)
				results := reflect.ValueOf(tx).MethodByName(m.Name).Call(args)
				err, _ = results[len(results)-1].Interface().(error)
				return context.Canceled // rolls back
			})
			refused := errors.Is(err, sqldb.ErrInvalidID) || errors.Is(err, sqldb.ErrUnstorableID)
			switch isStored := strings.Contains(" "+storesIDs[m.Name]+" ", " "+place+" "); {
			case strings.HasPrefix(m.Name, "Insert"):
				refusals[m.Name] = refusals[m.Name] || refused
			case errors.Is(err, sqldb.ErrUnstorableText): // all engines refuse it
			case isStored && !refused:
				t.Errorf("%s: %q in %s would be stored: %v", m.Name, bad, place, err)
			case !isStored && err != nil && !errors.Is(err, learning.ErrNoRecord):
				t.Errorf("%s: %q in %s: %v", m.Name, bad, place, err)
			}
		})
	}
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
