package learning_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"testing"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sale"
)

// BenchmarkOpenOrderAgain opens an order that is open already: four reads, and no call to the
// gateway.
func BenchmarkOpenOrderAgain(b *testing.B) {
	k := learningtest.New(b)
	student, course := k.Person(b, "student", core.Student), k.Course(b, "course", 199900)
	first, err := k.Platform.Sales.OpenOrder(b.Context(), student,
		sale.OrderRequest{CourseID: course})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if again, err := k.Platform.Sales.OpenOrder(b.Context(), student,
			sale.OrderRequest{CourseID: course}); err != nil || again != first {
			b.Fatal(again, err)
		}
	}
	if n := k.Sandbox.Gateway().OrdersCreated(); n != 1 {
		b.Errorf("%d orders at the gateway, want 1", n)
	}
}

// BenchmarkAddCourse adds courses. Most of the time is spent on decoding and encoding the
// image, here one of 1600 × 900.
func BenchmarkAddCourse(b *testing.B) {
	k := learningtest.New(b)
	educator := k.Person(b, "educator", core.Educator)
	photo := photograph(b, 1600, 900)
	b.ReportAllocs()
	b.SetBytes(int64(len(photo)))
	for b.Loop() {
		if _, err := k.Platform.Catalog.AddCourse(b.Context(), educator, catalog.NewCourse{
			Title: "Reading the Night Sky", Price: 199900, Published: true,
			Content: []catalog.Chapter{{ID: "1", Title: "Winter", Lectures: []catalog.Lecture{
				{ID: "1", Title: "Orion", Minutes: 12, URL: "https://videos.example.org/orion"}}}},
		}, photo); err != nil {
			b.Fatal(err)
		}
	}
}

// photograph returns a JPEG that takes as long to encode as a detailed picture.
func photograph(tb testing.TB, width, height int) []byte {
	tb.Helper()
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetRGBA(x, y, color.RGBA{R: uint8(x * y >> 8), G: uint8(x ^ y), B: uint8(x*7 + y*3),
				A: 255})
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, nil); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}
