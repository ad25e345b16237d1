package httpapi

import (
	"bytes"
	_ "embed" // holds the page
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"time"

	"github.com/openlectern/openlectern/learning/certify"
)

//go:embed certificate.html
var certificateHTML string

var certificatePage = template.Must(template.New("certificate").Funcs(template.FuncMap{
	// as it is printed
	"day":     func(t time.Time) string { return t.UTC().Format("2 January 2006") },
	"machine": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
}).Parse(certificateHTML))

// writeCertificatePage writes the answer to a verification as an HTML page. c is the zero
// Certificate, and the status 404, unless it is known.
func writeCertificatePage(w http.ResponseWriter, c certify.Certificate, known bool) error {
	var page bytes.Buffer
	err := certificatePage.Execute(&page, struct {
		certify.Certificate
		Known bool
	}{c, known})
	if err != nil {
		return fmt.Errorf("write the page of a certificate: %w", err)
	}
	status := http.StatusOK
	if !known {
		status = errUnknownCertificate.Status
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(page.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes()) // the client may have left
	return nil
}
