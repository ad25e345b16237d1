package httpapi

import (
	"bytes"
	_ "embed" // holds the page
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"sync"

	"github.com/openlectern/openlectern/internal/web"
)

var (
	//go:embed docs.html
	docsHTML string
	//go:embed docs.js
	docsScript []byte
)

var docsPage = template.Must(template.New("docs").Parse(docsHTML))

// docsPolicy is the Content-Security-Policy of the reference page. It allows the page to load
// and to call this server only. Swagger UI needs inline styles. Insecure requests are not
// upgraded, because a server under development has no TLS.
const docsPolicy = "default-src 'none';base-uri 'none';connect-src 'self';form-action " +
	"'none';frame-ancestors 'none';" +
	"img-src 'self' data:;script-src 'self';style-src 'self' 'unsafe-inline'"

// docsFiles are the files of Swagger UI that the page loads, and docsScriptName the page's own.
var docsFiles = map[string]bool{"swagger-ui.css": true, "swagger-ui-bundle.js": true,
	"favicon-32x32.png": true}

// docsRoutes are the ids of the routes that the handler has with [WithDocs] only.
var docsRoutes = map[string]bool{"docs": true, "docs.file": true}

const docsScriptName = "docs.js"

var errNoDocsFile = &web.Failure{Status: http.StatusNotFound,
	Message: "File not found", Code: "docs_file_not_found"}

// storedScript returns the page's own script.
var storedScript = sync.OnceValues(func() (storedAnswer, error) {
	return newStoredAnswer(docsScript)
})

// DocsUser is a user as whom the readers of the reference page can sign in.
type DocsUser struct {
	Name  string `json:"name"`
	Token string `json:"token"` // a session token
}

// serveDocs answers the reference page, which shows the API document with Swagger UI. All
// links of the page are relative, so that it works below any prefix.
func (a *api) serveDocs(w http.ResponseWriter, _ *call) error {
	users := []DocsUser{} // not nil, which the page would have as null
	if a.docsUsers != nil {
		users = append(users, a.docsUsers()...)
	}
	var page bytes.Buffer
	if err := docsPage.Execute(&page, map[string]any{"Users": users}); err != nil {
		return fmt.Errorf("write the reference page: %w", err)
	}
	h := w.Header()
	h.Set("Content-Security-Policy", docsPolicy)
	h.Set("Cache-Control", "no-store") // tokens
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(page.Len()))
	_, _ = w.Write(page.Bytes()) // the client may have left
	return nil
}

// serveDocsFile answers a file that the page loads.
func (a *api) serveDocsFile(w http.ResponseWriter, c *call) error {
	name := c.Param("file")
	if name == docsScriptName {
		script, err := storedScript()
		if err != nil {
			return err
		}
		script.write(w, c, "text/javascript; charset=utf-8")
		return nil
	}
	w.Header().Set("Cache-Control", revalidate)
	if !docsFiles[name] {
		return errNoDocsFile
	}
	a.docs.ServeHTTP(w, c.Request)
	return nil
}
