// Package swaggerui has the files of Swagger UI, with which the reference page of the API (GET
// /docs) shows the OpenAPI document. They are part of each program that imports the package, and of
// no other:
//
//	handler, err := httpapi.New(platform, httpapi.WithDocs(swaggerui.Files()))
package swaggerui

import (
	"net/http"

	"github.com/swaggest/swgui/v5emb"
)

// Files returns a handler for the files that the page loads: /docs/swagger-ui.css,
// /docs/swagger-ui-bundle.js and /docs/favicon-32x32.png. It is safe for concurrent use.
func Files() http.Handler { return v5emb.New("", "", "/docs/") }
