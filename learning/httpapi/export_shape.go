package httpapi

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/internal/exportlist"
	"github.com/openlectern/openlectern/learning"
)

// exportHead is the part of an export that is no list.
type exportHead struct {
	At          instant                  `json:"exportedAt" doc:"Later changes may be in it."`
	User        *exportedUserJSON        `json:"user" jsonschema:"nullable" doc:"The caller's record. Null if it has not arrived from the identity provider."`
	Role        *exportedRoleJSON        `json:"role" jsonschema:"nullable" doc:"The role that the platform has stored. Null if the role is that of the token."`
	Application *exportedApplicationJSON `json:"application" jsonschema:"nullable" doc:"The caller's application to become an educator. Null if there is none."`
	Billing     *billingJSON             `json:"billing" jsonschema:"nullable" doc:"What stands on receipts of later purchases. Null if there is none."`
}

type exportedUserJSON struct {
	_ struct{} `doc:"The record of the user, as the identity provider has sent it."`

	ID        string  `json:"_id" doc:"The id of the user, which is the 'sub' of their session tokens."`
	Name      string  `json:"name"`
	Email     string  `json:"email"`
	ImageURL  string  `json:"imageUrl"`
	CreatedAt instant `json:"createdAt"`
	UpdatedAt instant `json:"updatedAt"`

	Metadata metadataJSON `json:"metadata" doc:"What the host keeps with the user."`
}

type exportedRoleJSON struct {
	Role string  `json:"role" jsonschema:"enum=student,enum=educator,enum=admin" doc:"The role: 'student', 'educator' or 'admin'."`
	At   instant `json:"assignedAt" doc:"The time of the cause of the role, such as an approval."`
}

type exportedApplicationJSON struct {
	ID                string   `json:"_id"`
	ProfessionalTitle string   `json:"professionalTitle"`
	Bio               string   `json:"bio" doc:"The biography."`
	Expertise         []string `json:"expertise" doc:"The subjects of the user."`
	LinkedinURL       string   `json:"linkedinUrl" doc:"A profile. Empty if there is none."`
	Status            string   `json:"status" jsonschema:"enum=pending,enum=approved,enum=rejected" doc:"The state of the application."`
	RejectionReason   string   `json:"rejectionReason" doc:"Of a rejection. Empty if there is none."`
	CreatedAt         instant  `json:"createdAt"`
	UpdatedAt         instant  `json:"updatedAt"`
}

// headOf returns the head of an export. What the user lacks is null.
func headOf(e *learning.Export) exportHead {
	head := exportHead{At: instant(e.At)}
	if u := e.User; u != nil {
		head.User = &exportedUserJSON{
			ID:        u.ID,
			Name:      u.Name,
			Email:     u.Email,
			ImageURL:  u.ImageURL,
			CreatedAt: instant(u.CreatedAt),
			UpdatedAt: instant(u.ChangedAt),
			Metadata:  metadataJSON{},
		}
		maps.Copy(head.User.Metadata, u.Metadata) // {} rather than null
	}
	if !e.Role.At.IsZero() {
		head.Role = &exportedRoleJSON{string(e.Role.Role), instant(e.Role.At)}
	}
	if a := e.Application; a != nil {
		head.Application = &exportedApplicationJSON{
			ID:                a.ID,
			ProfessionalTitle: a.ProfessionalTitle,
			Bio:               a.Bio,
			Expertise:         append([]string{}, a.Expertise...), // [] rather than null
			LinkedinURL:       a.LinkedinURL,
			Status:            string(a.Status),
			RejectionReason:   a.RejectionReason,
			CreatedAt:         instant(a.CreatedAt),
			UpdatedAt:         instant(a.UpdatedAt),
		}
	}
	if e.Billing != nil {
		head.Billing = billingOf(*e.Billing)
	}
	return head
}

// What the rooms declare of the lists of an export, the types that are made from it, and an empty
// document with all of them.
var (
	exportLists  = learning.ExportLists()
	exportRows   = rowTypes()
	exportAnswer = reflect.Zero(exportType()).Interface()
)

// exportNames are the names of these types in the API document. rowTypes and exportType fill it.
var exportNames = map[reflect.Type]string{}

// rowTypes returns the type of the rows of each list, in the order of exportLists, and adds their
// names to exportNames.
func rowTypes() []reflect.Type {
	types := make([]reflect.Type, len(exportLists))
	for i, list := range exportLists {
		fields := make([]reflect.StructField, len(list.Fields))
		for j, f := range list.Fields {
			rules := ""
			if len(f.Values) > 0 {
				rules = "enum=" + strings.Join(f.Values, ",enum=")
			}
			fields[j] = exportField(f.Name, f.Text, rules, exportedTypes[f.Type])
		}
		types[i] = reflect.StructOf(fields)
		exportNames[types[i]] = list.Row
	}
	return types
}

// exportType returns the type of an export: the fields of its head, and then the lists. It adds its
// name to exportNames.
func exportType() reflect.Type {
	fields := reflect.VisibleFields(reflect.TypeFor[exportHead]())
	for i, list := range exportLists {
		fields = append(fields,
			exportField(list.Name, list.Text, "", reflect.SliceOf(exportRows[i])))
	}
	t := reflect.StructOf(fields)
	exportNames[t] = "ExportAnswer"
	return t
}

// exportedTypes are the types of the values in the document.
var exportedTypes = map[exportlist.Type]reflect.Type{
	exportlist.Text:        reflect.TypeFor[string](),
	exportlist.Nullable:    reflect.TypeFor[*string](),
	exportlist.Number:      reflect.TypeFor[int64](),
	exportlist.MaybeNumber: reflect.TypeFor[*int64](),
	exportlist.Amount:      reflect.TypeFor[decimal](),
	exportlist.Money:       reflect.TypeFor[amountText](),
	exportlist.Bool:        reflect.TypeFor[bool](),
	exportlist.Time:        reflect.TypeFor[instant](),
	exportlist.Maybe:       reflect.TypeFor[*instant](),
	exportlist.Day:         reflect.TypeFor[day](),
	exportlist.DayOfTime:   reflect.TypeFor[day](),
	exportlist.Texts:       reflect.TypeFor[[]string](),
	exportlist.Numbers:     reflect.TypeFor[[]int64](),
	exportlist.Metadata:    reflect.TypeFor[metadataJSON](),
}

// amountText is an exact amount in the major unit of its currency.
type amountText string

// MarshalJSON writes the number.
func (a amountText) MarshalJSON() ([]byte, error) { return []byte(cmp.Or(string(a), "0")), nil }

// JSONSchema describes the number of MarshalJSON.
func (amountText) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "number"} }

// day is a UTC day such as 2026-01-31.
type day string

// JSONSchema describes the text.
func (day) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Format: "date"}
}

// exportField returns a field of a Go struct of type t: name is its name in the document, text
// describes it there, and rules restrict its values, in the form of the tag jsonschema.
func exportField(name, text, rules string, t reflect.Type) reflect.StructField {
	// A pointer to nil is null. It has no other rules: no list restricts such a field.
	if t.Kind() == reflect.Pointer {
		rules = "nullable"
	}
	// Reflection sets exported fields only, so the Go name begins with an upper-case letter.
	letters := strings.TrimPrefix(name, "_")
	return reflect.StructField{
		Name: strings.ToUpper(letters[:1]) + letters[1:],
		Type: t,
		Tag:  reflect.StructTag(fmt.Sprintf("json:%q doc:%q jsonschema:%q", name, text, rules)),
	}
}

// exportedRow returns a function for [encodeRows] that shapes each row into the same memory. t is
// the type of the rows; the values of a row are in the order of its fields, and nil is null or, for
// a field that is no pointer, the zero value.
func exportedRow(t reflect.Type) func([]any) any {
	row := reflect.New(t)
	return func(values []any) any {
		for i, v := range values {
			field := row.Elem().Field(i)
			value := reflect.ValueOf(v)
			switch {
			case v == nil:
				field.SetZero()
			case field.Kind() == reflect.Pointer: // the value is what it points to
				field.Set(reflect.New(field.Type().Elem()))
				field.Elem().Set(value.Convert(field.Type().Elem()))
			default:
				field.Set(value.Convert(field.Type()))
			}
		}
		return row.Interface()
	}
}
