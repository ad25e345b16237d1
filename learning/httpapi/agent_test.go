package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// toolName is what all clients of the protocol take as the name of a tool.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func TestTools_AreThoseOfTheTable(t *testing.T) {
	names := map[string]bool{}
	for _, row := range table() {
		if !row.isTool(true) {
			continue
		}
		tool, err := newTool(row)
		if err != nil {
			t.Errorf("%s: %v", row.ID, err)
			continue
		}
		if !toolName.MatchString(tool.Name) || names[tool.Name] || tool.Title == "" {
			t.Errorf("the tool %q with the title %q", tool.Name, tool.Title)
		}
		names[tool.Name] = true
		var schema struct {
			Type       string
			Properties map[string]struct{ Description string }
		}
		if err := json.Unmarshal(tool.Arguments, &schema); err != nil || schema.Type != "object" {
			t.Errorf("%s has the arguments %s", tool.Name, tool.Arguments)
		}
		if ordinary := row.isTool(false); ordinary && row.Method == http.MethodDelete {
			t.Errorf("%s deletes and is an ordinary tool", tool.Name)
		}
	}
	if len(names) < 60 {
		t.Errorf("%d tools", len(names))
	}
}

func TestNewTool_NameThatStandsTwice(t *testing.T) {
	type body struct {
		CourseID string `json:"courseId"`
	}
	row := Route{ID: "x", Method: http.MethodPost, Path: "/api/x/:courseId",
		Do: do(func(*api, *call, body) (none, error) { return none{}, nil })}
	if _, err := newTool(row); err == nil || !strings.Contains(err.Error(), `"courseId"`) {
		t.Errorf("the error is %v", err)
	}
}

// A handler whose table has such a row does not start.
func TestNew_ToolWithANameThatStandsTwice(t *testing.T) {
	rows := []Route{{ID: "x", Method: http.MethodGet, Access: Public, Path: "/api/x/:limit",
		query: paged(), Do: do(func(*api, *call, none) (none, error) { return none{}, nil })}}
	a := &api{agents: agents{protocol: noProtocol{}}}
	if err := a.prepareAgents(rows, nil); err == nil || !strings.Contains(err.Error(), "route x") {
		t.Errorf("the error is %v", err)
	}
}

type noProtocol struct{ AgentProtocol }

// An answer that is too long is not passed on, and a handler that breaks the connection is no end
// of the server.
func TestCallTool_AnswerThatIsTooLong(t *testing.T) {
	a := &api{}
	a.agents.api = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		for {
			if _, err := w.Write(make([]byte, 100_000)); err != nil {
				panic(http.ErrAbortHandler)
			}
		}
	})
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/mcp", nil)
	row := Route{ID: "x", Method: http.MethodGet, Path: "/"}
	answer, failed := a.callTool(r, Tool{row: row}, nil)
	if !failed || !strings.Contains(answer, "too long") {
		t.Errorf("%t: %.100s", failed, answer)
	}
}

// The fields of an object are parameters of the query of their own, and can be no others.
func TestCallTool_ObjectInTheQuery(t *testing.T) {
	query := ""
	a := &api{}
	a.agents.api = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		query = r.URL.RawQuery
	})
	for arguments, want := range map[string]string{
		`{"metadata":{"metadata.level":"a b","lang":"de"}}`: "metadata.lang=de&metadata.level=a+b",
		`{"metadata":{"limit":"1"}}`:                        "metadata.limit=1",
		`{"metadata":"x"}`:                                  "metadata=x",
		`{"metadata":{}}`:                                   "",
	} {
		r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/mcp", nil)
		tool := Tool{row: Route{ID: "x", Method: http.MethodGet, Path: "/"},
			places: map[string]place{"metadata": inQuery}}
		a.callTool(r, tool, []byte(arguments))
		if query != want {
			t.Errorf("%s: the query is %s, want %s", arguments, query, want)
		}
	}
}
