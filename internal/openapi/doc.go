// Package openapi makes OpenAPI 3.1 documents from Go types. It knows no route: a caller fills a
// [Document] from its table.
package openapi
