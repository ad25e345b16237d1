package certificate_test

import (
	"testing"

	"github.com/openlectern/openlectern/learning/certificate"
)

// BenchmarkRender reports the limits next to the results. They hold for one core and a Latin
// name: 10 ms and 100,000 bytes.
func BenchmarkRender(b *testing.B) {
	r := newRenderer(b, certificate.WithFonts(hostFonts()...))
	for _, c := range people {
		b.Run(c.StudentName, func(b *testing.B) {
			size := len(render(b, r, c)) // reads the fonts
			b.ReportAllocs()
			for b.Loop() {
				render(b, r, c)
			}
			b.ReportMetric(float64(size), "bytes")
			b.ReportMetric(100_000, "bytes-wanted")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "certificates/s")
			b.ReportMetric(100, "wanted/s")
		})
	}
}
