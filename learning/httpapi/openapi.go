package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/openapi"
	"github.com/openlectern/openlectern/internal/web"
)

// relativeServer is the URL of the server in a document without [WithPublicURL]: the folder of
// the document itself, so that it is right under every prefix.
const relativeServer = "."

// describe returns the OpenAPI document of rows, without the undocumented ones.
func (a *api) describe(rows []Route) ([]byte, error) {
	d := &describer{schemas: openapi.NewSchemas(textOf, exportNames), codes: map[string]bool{}}
	if err := json.Unmarshal(exampleFile, &d.examples); err != nil {
		return nil, fmt.Errorf("httpapi: read the examples: %w", err)
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(row Route) bool { return row.undocumented })
	doc := openapi.Document{
		OpenAPI: "3.1.0", Info: info(), Tags: tagsOf(rows),
		Paths: map[string]map[string]*openapi.Operation{},
		Servers: []map[string]string{{"url": cmp.Or(strings.TrimRight(a.publicURL, "/"),
			relativeServer)}},
	}
	// One operation for each row, by path and method. The operations fill d.schemas.
	var operations []*openapi.Operation
	for _, row := range rows {
		path, op := web.PathTemplate(row.Path), d.operation(row)
		if doc.Paths[path] == nil {
			doc.Paths[path] = map[string]*openapi.Operation{}
		}
		doc.Paths[path][strings.ToLower(row.Method)] = op
		operations = append(operations, op)
	}
	// The events that the server sends, and then the parts that operations have in common:
	// ShareResponses replaces them in the operations of doc.Paths by references.
	doc.Webhooks, doc.Tags = d.webhooks(), append(doc.Tags, eventsTag)
	d.listCodes()
	doc.Components = openapi.Components{
		Security:  securitySchemes,
		Headers:   headers,
		Schemas:   d.schemas.All,
		Responses: openapi.ShareResponses(operations),
	}
	document, err := d.schemas.Encode(doc) // as JSON, with the schemas of the operations
	if err != nil {
		return nil, fmt.Errorf("httpapi: describe the table: %w", err)
	}
	return document, nil
}

// info returns the object info of the document.
func info() map[string]any {
	return map[string]any{
		"title": "Open Lectern", "version": "1", "summary": "The back end of a learning platform.",
		"description": overview,
		"contact": map[string]string{"name": "Open Lectern",
			"url": "https://github.com/openlectern/openlectern"},
		"license": map[string]string{"name": "MIT", "identifier": "MIT"},
	}
}

// securitySchemes are the ways to authenticate a caller.
var securitySchemes = map[string]any{
	sessionScheme: map[string]string{"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
		"description": "A session token of the identity provider."},
	gatewayScheme: map[string]string{"type": "apiKey", "in": "header",
		"name": "x-gateway-signature",
		"description": "The HMAC-SHA-256 of the exact bytes of the body with the webhook secret, " +
			"in lower-case hex."},
	stripeScheme: map[string]string{"type": "apiKey", "in": "header", "name": "Stripe-Signature",
		"description": "`t=` and the time, and `v1=` and the HMAC-SHA-256 of the time, a dot and the " +
			"exact bytes of the body with the webhook secret, in lower-case hex."},
	identityScheme: map[string]string{"type": "apiKey", "in": "header", "name": "hook-signature",
		"description": "The signature of hook-id, hook-timestamp and the body with the signing " +
			"secret, as in Standard Webhooks: `v1,` and base64."},
	eventScheme: map[string]string{"type": "apiKey", "in": "header", "name": "webhook-signature",
		"description": "The signatures of webhook-id, webhook-timestamp and the body, one for " +
			"each signing secret, as in Standard Webhooks: `v1,` and base64, separated by spaces."},
}

const (
	sessionScheme  = "session"
	gatewayScheme  = "gatewaySignature"
	stripeScheme   = "stripeSignature"
	identityScheme = "identitySignature"
	eventScheme    = "eventSignature"
)

// describer describes rows, and collects their schemas.
type describer struct {
	schemas  *openapi.Schemas
	examples map[string]routeExample
	codes    map[string]bool // of the failures
}

// operation describes a row. Where a row of a host has no text, the text is its id.
func (d *describer) operation(row Route) *openapi.Operation {
	// What it does, how often a caller may do it, and who may call it.
	text := cmp.Or(row.Description, row.Summary, row.ID)
	if row.limit != nil {
		text += fmt.Sprintf("\n\nRate limit `%s`: %d requests in %s for each caller.", row.Limit,
			row.limit.Requests, windowText(row.limit.Window))
	}
	op := &openapi.Operation{
		ID: row.ID, Tags: []string{tagOf(row)}, Summary: cmp.Or(row.Summary, row.ID),
		Description: text + "\n\n" + accessTexts[row.Access],
		Security:    row.security(), Parameters: parametersOf(row), Body: d.body(row),
		Responses: d.responses(row),
	}
	if row.limit != nil {
		op.Limit = &openapi.Limit{
			Name:     row.Limit,
			Requests: row.limit.Requests,
			Window:   row.limit.Window.Seconds(),
		}
	}
	return op
}

// security returns the schemes that a row accepts: [] for none.
func (row Route) security() []map[string][]string {
	session := map[string][]string{sessionScheme: {}}
	switch {
	case row.Access.needsToken():
		return []map[string][]string{session}
	case row.Access == OptionalAuth:
		return []map[string][]string{{}, session} // {} is a request without a scheme
	case row.Access == Signature && row.Path == gatewayPath:
		return []map[string][]string{{gatewayScheme: {}}}
	case row.Access == Signature && row.Path == stripePath:
		return []map[string][]string{{stripeScheme: {}}}
	case row.Access == Signature && row.Path == identityPath:
		return []map[string][]string{{identityScheme: {}}}
	}
	return []map[string][]string{}
}

// serveOpenAPI answers the API document, which the first request makes.
func (a *api) serveOpenAPI(w http.ResponseWriter, c *call) error {
	document, err := a.description()
	if err != nil {
		return err
	}
	document.write(w, c, web.JSONType)
	return nil
}
