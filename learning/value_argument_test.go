package learning_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/study"
)

// withoutValues are the operations that take a value other than a text that no user chooses, with
// the reason.
var withoutValues = map[string]string{
	"Tutor.Ask":       "only tests call it",
	"Tutor.AskStream": "only tests call it",
}

// operationsWithValues returns arguments of operations that have more to refuse than those of
// operationsWithText.
func operationsWithValues(t *testing.T, w *roomtest.World) map[string]textArguments {
	t.Helper()
	chief := w.Person(t, "chief", core.Admin)
	course := w.Publish(t, "essays", roomtest.Chapter("one", "a"),
		roomtest.Essay(catalog.Assignment{Attempts: 9,
			Rubric: []catalog.Criterion{{Text: "Content", Points: 10}}}))
	bea := w.Enrolls(t, "bea", course)
	w.Drafts(t, bea, course, "Work")
	work := w.SubmitsWork(t, bea, course)

	e := bank(course)
	e.ChapterID = "one"
	w.Saves(t, e)
	a, err := w.Platform.Assess.StartAttempt(ctx(), bea, course, "one")
	roomtest.Must(t, err)
	content, err := w.Platform.Catalog.EditableCourse(ctx(), roomtest.Teacher, course)
	roomtest.Must(t, err)
	lecture := catalog.Lecture{ID: "lecture", Title: "Lecture", Minutes: 1, Order: 1,
		URL: "https://videos.example.org/1"}
	essayLecture := lecture
	essayLecture.ID, essayLecture.URL, essayLecture.Kind = "essay2", "", catalog.KindAssignment
	essayLecture.Assignment = &catalog.Assignment{DueAfterDays: new(1), Rubric: []catalog.Criterion{
		{Text: "Content", Points: 10}}}
	chapters := []catalog.Chapter{{ID: "chapter", Title: "Chapter", Order: 1,
		Lectures: []catalog.Lecture{lecture, essayLecture}}}
	with := func(args ...any) textArguments { return textArguments{args: args} }
	return map[string]textArguments{
		"Assess.SaveQuiz":      with(roomtest.Teacher, e),
		"Assess.SaveAnswers":   with(bea, a.ID, rightAnswers()),
		"Assess.SubmitAttempt": with(bea, a.ID, rightAnswers()),
		"Assess.Grade": with(chief, work.ID,
			roomtest.GradeOf(work, assess.SubmissionReturned)),
		"Study.SavePosition": with(bea, course, "a", 1.5),
		"Catalog.AddCourse": with(roomtest.Teacher, catalog.NewCourse{Title: "Title",
			Description: "Description", Content: chapters,
			Terms: catalog.Terms{}}, learningtest.Thumbnail(t)),
		"Catalog.EditCourse": with(roomtest.Teacher, course, catalog.CourseEdit{
			Version: content.Version, Content: chapters}),
		"Offers.CreateCoupon": with(roomtest.Boss, offer.NewCoupon{Code: "NEWER", PercentOff: 1,
			CourseID: course, StartsAt: w.Clock.Now(), EndsAt: w.Clock.Now().Add(day)}),
		"Study.TrackTime": with(bea, study.NewTimeEntry{Page: "Page", Path: "/", Seconds: 1}),
	}
}

// valuesOf returns the values that are tried in place of one.
func valuesOf(v reflect.Value) (list []any) {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		return []any{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -1.0}
	case reflect.Int, reflect.Int64:
		return []any{math.MinInt64, math.MaxInt64, -1}
	case reflect.Int32:
		return []any{math.MinInt32, math.MaxInt32, -1}
	case reflect.Interface:
		if v.Type().NumMethod() == 0 {
			return []any{nil, math.NaN(), math.Inf(1), (*float64)(nil), func() {}, []any{math.NaN()},
				[]any{nil}, map[string]any{}, []string(nil), "a\x00", "\xff", make(chan int), 1}
		}
	case reflect.Pointer:
		return []any{reflect.Zero(v.Type()).Interface()}
	case reflect.Slice, reflect.Map:
		list = []any{reflect.Zero(v.Type()).Interface()}
		if v.Kind() == reflect.Slice { // with an element without anything
			list = append(list, reflect.MakeSlice(v.Type(), 1, 1).Interface())
		}
		return list
	}
	if v.Type() == reflect.TypeFor[time.Time]() {
		year := func(n int) any { return time.Date(n, 1, 1, 0, 0, 0, 0, time.UTC) }
		return []any{time.Time{}, year(-5_000_000), year(1), year(1_969), year(10_000), year(5_000_000)}
	}
	return nil
}

// valuePlaces calls fn for each value in v, with its place and a function that replaces it.
func valuePlaces(place string, v reflect.Value,
	fn func(place string, v reflect.Value, set func(reflect.Value))) {
	if v.Type() == reflect.TypeFor[learning.Actor]() {
		return
	}
	fn(place, v, v.Set)
	switch v.Kind() {
	case reflect.Struct:
		for i, field := range v.Fields() {
			if i.IsExported() {
				valuePlaces(place+"."+i.Name, field, fn)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			valuePlaces(place, v.Elem(), fn)
		}
	case reflect.Slice:
		for i := range v.Len() {
			if v.Type().Elem().Kind() != reflect.Uint8 {
				valuePlaces(fmt.Sprintf("%s[%d]", place, i), v.Index(i), fn)
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			fn(fmt.Sprintf("%s[%v]", place, key), v.MapIndex(key),
				func(value reflect.Value) { v.SetMapIndex(key, value) })
		}
	}
}

// isNotFinite reports whether a value is NaN or infinite: no operation may take it.
func isNotFinite(value any) bool {
	number, isNumber := value.(float64)
	return isNumber && (math.IsNaN(number) || math.IsInf(number, 0))
}

// Each operation is called with values that JSON cannot carry in each place: numbers that are not
// finite or too large, nil in place of pointers, lists and answers, types that no answer has, and
// times that no database can store. It answers what it would to a bad request, or takes the value,
// but it neither panics nor fails as if the server were at fault. Numbers that are not finite are
// never taken.
func TestOperations_RefuseValuesThatAreNotJSON(t *testing.T) {
	names := maps.Keys(roomtest.Operations(roomtest.New(t, roomtest.SQLite(t)).Platform))
	for _, name := range slices.Sorted(names) {
		if withoutValues[name] != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			w := roomtest.New(t, roomtest.SQLite(t))
			op, isKnown := operationsWithText(t, w)[name]
			if more, hasMore := operationsWithValues(t, w)[name]; hasMore {
				op, isKnown = more, true
			}
			call := roomtest.Operations(w.Platform)[name]
			if !isKnown {
				if op, isKnown = idArguments(call.Type()); !isKnown {
					t.Skip("it takes no value of a user; see TestOperations_RefuseTextThatCannotBeStored")
				}
			}
			args := op.args
			if call.Type().NumIn() > len(args) {
				args = append([]any{ctx()}, args...)
			}
			in := make([]reflect.Value, len(args))
			for i, arg := range args {
				in[i] = reflect.New(call.Type().In(i)).Elem()
				in[i].Set(reflect.ValueOf(arg))
			}
			for _, areNotFinite := range []bool{true, false} { // those first, which change nothing
				for i, v := range in[len(in)-len(op.args):] {
					valuePlaces(fmt.Sprint(i), v, func(place string, v reflect.Value,
						set func(reflect.Value)) {
						for _, value := range valuesOf(v) {
							if isNotFinite(value) == areNotFinite {
								tryValue(t, call, in, place, v, set, value)
							}
						}
					})
				}
			}
		})
	}
}

// tryValue calls an operation with a value in a place, and then restores what was there.
func tryValue(t *testing.T, call reflect.Value, in []reflect.Value, place string, v reflect.Value,
	set func(reflect.Value), value any) {
	t.Helper()
	valid := reflect.New(v.Type()).Elem()
	valid.Set(v)
	changed := reflect.New(v.Type()).Elem()
	if value != nil {
		changed.Set(reflect.ValueOf(value).Convert(v.Type()))
	}
	set(changed)
	defer set(valid)
	defer func() {
		if reason := recover(); reason != nil {
			t.Errorf("%v (%T) in %s panics: %v", value, value, place, reason)
		}
	}()
	results := call.Call(in)
	if len(results) == 0 {
		return
	}
	err, _ := results[len(results)-1].Interface().(error)
	var public *learning.Error
	if err != nil && !errors.As(err, &public) {
		t.Errorf("%v (%T) in %s fails: %v", value, value, place, err)
	}
	if err == nil && isNotFinite(value) {
		t.Errorf("%v in %s is taken", value, place)
	}
}
