package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// identifying matches names of fields that would identify users or voters.
var identifying = regexp.MustCompile(
	`(?i)^(user|author|creator|owner|voter|member|upvoter)s?(_?ids?)?$|^upvote[sd](by)?$|^userId`)

// TestCommunity_AnswersHaveNoUserIDs checks the answers of all contract cases and the API
// document.
func TestCommunity_AnswersHaveNoUserIDs(t *testing.T) {
	t.Parallel()
	answers := 0
	for _, c := range contracttest.LoadCases(t) {
		if !isCommunity(c.Route) {
			continue
		}
		_, body, _ := strings.Cut(c.Answer, "\n\n")
		var tree any
		if json.Unmarshal([]byte(body), &tree) != nil {
			continue // a HEAD
		}
		answers++
		walk(tree, func(name string, value any) {
			if identifying.MatchString(name) {
				t.Errorf("%s: there is a field %s", c.File, name)
			}
			if text, ok := value.(string); ok && name != "authorRole" && // student, for one
				slices.ContainsFunc(contracttest.FixtureUsers,
					func(u sandbox.User) bool { return u.ID == text }) {
				t.Errorf("%s: the field %s is the id %s", c.File, name, text)
			}
		})
	}
	if answers < 200 {
		t.Errorf("only %d answers were checked", answers)
	}
	checkDocument(t)
}

func isCommunity(route string) bool {
	noun, _, _ := strings.Cut(route, ".")
	return slices.Contains([]string{"group", "post", "reply", "complaint"}, noun)
}

// walk calls fn with each field of a JSON value. It calls fn with each element of a list, by the
// name of the list.
func walk(tree any, fn func(name string, value any)) {
	var visit func(name string, value any)
	visit = func(name string, value any) {
		fn(name, value)
		switch value := value.(type) {
		case map[string]any:
			for name, field := range value {
				visit(name, field)
			}
		case []any:
			for _, element := range value {
				visit(name, element)
			}
		}
	}
	visit("", tree)
}

func checkDocument(t *testing.T) {
	t.Helper()
	var document struct{ Paths map[string]map[string]any }
	check(t, json.Unmarshal(fixtureSite(t).do(http.MethodGet, "/openapi.json", "").Body.Bytes(),
		&document))
	found := 0
	for path, operations := range document.Paths {
		if !strings.HasPrefix(path, "/api/community") {
			continue
		}
		found += len(operations)
		for _, operation := range operations {
			walk(operation.(map[string]any)["responses"], func(name string, _ any) {
				if identifying.MatchString(name) {
					t.Errorf("the document describes %s with a field %s", path, name)
				}
			})
		}
	}
	if found != 16 {
		t.Errorf("%d operations of the community are described, want 16", found)
	}
}

// FuzzPost creates posts. The answer to an accepted post has the text that was sent, within the
// limits.
func FuzzPost(f *testing.F) {
	s := fuzzSite(f, rollBack)
	for _, tags := range []string{`["Go","maps"]`, `" Go ,, a b"`, `[]`, `["",7]`, `null`,
		`{"a":["b"]}`, `"` + strings.Repeat("x", 31) + `"`, `["\u0000","\ud800"]`} {
		f.Add("Maps or slices?", " Which one?\n", tags)
	}
	f.Add("\x00", "<script>", `["a,b"]`)
	student := append(s.as("student"), "Content-Type", "application/json")
	f.Fuzz(func(t *testing.T, title, content, tags string) {
		if !json.Valid([]byte(tags)) || !utf8.ValidString(title) || !utf8.ValidString(content) {
			return // which FuzzJSONBody is about
		}
		got := s.of(t).do(http.MethodPost, "/api/community/posts",
			fmt.Sprintf(`{"title":%s,"content":%s,"tags":%s}`, quoted(title), quoted(content),
				tags), student...)
		wantContractAnswer(t, got)
		var answer struct {
			Post struct {
				Title, Content string
				Tags           []string
			}
		}
		if got.Code != http.StatusOK {
			return
		}
		check(t, json.Unmarshal(got.Body.Bytes(), &answer))
		p := answer.Post
		if p.Title != strings.TrimSpace(title) || p.Content != strings.TrimSpace(content) ||
			p.Title == "" || p.Content == "" {
			t.Errorf("%q and %q came back as %q and %q", title, content, p.Title, p.Content)
		}
		if p.Tags == nil || len(p.Tags) > community.MaxTags ||
			utf8.RuneCountInString(p.Title) > community.MaxPostTitle ||
			utf8.RuneCountInString(p.Content) > community.MaxPostContent {
			t.Errorf("the post exceeds a limit: %+v", p)
		}
		for _, tag := range p.Tags {
			if tag == "" || tag != strings.TrimSpace(tag) ||
				utf8.RuneCountInString(tag) > community.MaxTag {
				t.Errorf("there is a tag %q", tag)
			}
		}
	})
}

// FuzzGroup creates groups of any name.
func FuzzGroup(f *testing.F) {
	s := fuzzSite(f, rollBack)
	for _, name := range []string{"Rust", "学习小组", "🎉🎉", "go, friends", "CROWD", "\x00", "ﷺ",
		strings.Repeat("状", 60), "-", "\u0130"} {
		f.Add(name, "About it.", "🦀")
	}
	student := append(s.as("student"), "Content-Type", "application/json")
	slug := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	f.Fuzz(func(t *testing.T, name, description, icon string) {
		if !utf8.ValidString(name) || !utf8.ValidString(description) || !utf8.ValidString(icon) {
			return // which FuzzJSONBody is about
		}
		got := s.of(t).do(http.MethodPost, "/api/community/groups",
			fmt.Sprintf(`{"name":%s,"description":%s,"icon":%s}`, quoted(name), quoted(description),
				quoted(icon)), student...)
		wantContractAnswer(t, got)
		if got.Code != http.StatusOK {
			return
		}
		var answer struct {
			Group struct{ Name, Description, Icon, Slug string }
		}
		check(t, json.Unmarshal(got.Body.Bytes(), &answer))
		g := answer.Group
		if g.Name != strings.TrimSpace(name) || g.Description != description ||
			!slug.MatchString(g.Slug) || g.Icon == "" {
			t.Errorf("%q came back as %+v", name, g)
		}
	})
}

// quoted returns text as a JSON string, as a browser writes it.
func quoted(text string) string {
	b, _ := json.Marshal(text) // text can always be encoded
	return string(b)
}

func TestPosts_InvalidPageIsRejectedBeforeTheQuery(t *testing.T) {
	s := newSite(t,
		wrapped(t, func(st learning.Store) learning.Store { return contracttest.Closed(st) }))
	for query, want := range map[string]int{"?page=0": 400, "?tab=none": 400, "?page=2": 500,
		"": 500, "?tab=myGroups": 200, "?tab=myGroups&page=7": 200} {
		if got := s.do(http.MethodGet, "/api/community/posts"+query, ""); got.Code != want {
			t.Errorf("%s: %d %s, want %d", query, got.Code, got.Body, want)
		}
	}
}

// If reading a list fails, the answer is an error without any rows.
func TestPosts_FailedReadAnswersNoRows(t *testing.T) {
	s := newSite(t, wrapped(t, func(st learning.Store) learning.Store {
		contracttest.Fill(t, st)
		return failingPosts{st}
	}))
	got := s.do(http.MethodGet, "/api/community/posts", "")
	if diff := cmp.Diff(`{"success":false,"message":"An unexpected error occurred"}`,
		got.Body.String()); diff != "" || got.Code != http.StatusInternalServerError {
		t.Errorf("%d %s", got.Code, diff)
	}
	got = s.do(http.MethodGet, "/api/community/groups", "")
	if got.Code != http.StatusOK {
		t.Errorf("the next request: %d %s", got.Code, got.Body)
	}
}

// failingPosts is a store that fails when it reads more than three posts.
type failingPosts struct{ learning.Store }

func (h failingPosts) Posts(
	ctx context.Context, q community.PostQuery, viewerID string, page learning.PageRequest,
) ([]community.Post, error) {
	list, err := h.Store.Posts(ctx, q, viewerID, page)
	if err == nil && len(list) > 3 {
		return nil, contracttest.ErrInternal
	}
	return list, err
}
