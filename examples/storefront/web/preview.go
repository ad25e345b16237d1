package web

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// preview is what other sites show of a link to a page. They run no scripts, so that it stands in
// the document.
type preview struct {
	Title       string // without the name of the site
	Description string
	Image       string // absolute URL
	URL         string // of the page; "" if the page has the general preview
	Unlisted    bool   // whether search engines leave the page out, because it names a student
}

// siteName is the title of the site, maxDescription the length of a description in code points.
const (
	siteName       = "Open Lectern"
	maxDescription = 200
)

// general returns the preview of the pages that have none of their own.
func (c Config) general() preview {
	return preview{
		Title:       siteName,
		Description: "A school with courses, quizzes, certificates and a community.",
		Image:       c.URL + "/preview.png",
	}
}

// course reads the preview of a published course from the API. id is escaped for a path. The error
// is that of get.
func (p *previews) course(ctx context.Context, id string) (preview, error) {
	var answer struct {
		Course struct {
			Title       string `json:"courseTitle"`
			Description string `json:"courseDescription"`
			Thumbnail   string `json:"courseThumbnail"`
			Educator    struct {
				Name string `json:"name"`
			} `json:"educatorId"`
		} `json:"courseData"`
	}
	if err := p.get(ctx, "/api/course/"+id, &answer); err != nil {
		return preview{}, err
	}
	c := answer.Course
	return preview{
		Title:       c.Title,
		Description: cmp.Or(shorten(c.Description), "A course by "+c.Educator.Name+"."),
		Image:       p.image(c.Thumbnail),
	}, nil
}

// bundle reads the preview of a bundle that is for sale from the API. Without a description it
// names the courses, and without a picture it has that of the first one. id is escaped for a path.
// The error is that of get.
func (p *previews) bundle(ctx context.Context, id string) (preview, error) {
	var answer struct {
		Bundle struct {
			Title       string `json:"title"`
			Description string `json:"description"`
			Thumbnail   string `json:"thumbnail"`
			Courses     []struct {
				Title     string `json:"courseTitle"`
				Thumbnail string `json:"thumbnail"`
			} `json:"courses"`
		} `json:"bundle"`
	}
	if err := p.get(ctx, "/api/bundle/"+id, &answer); err != nil {
		return preview{}, err
	}
	b := answer.Bundle
	titles, image := make([]string, len(b.Courses)), b.Thumbnail
	for i, c := range b.Courses {
		titles[i], image = c.Title, cmp.Or(image, c.Thumbnail)
	}
	contents := fmt.Sprintf("%d courses at one price: %s.", len(titles), strings.Join(titles, ", "))
	return preview{
		Title:       b.Title,
		Description: cmp.Or(shorten(b.Description), shorten(contents)),
		Image:       p.image(image),
	}, nil
}

// certificate reads the preview of a certificate from the API. That of a revoked one says so. id is
// escaped for a path. The error is that of get.
func (p *previews) certificate(ctx context.Context, id string) (preview, error) {
	var answer struct {
		Valid       bool `json:"valid"`
		Certificate struct {
			Student string    `json:"studentName"`
			Course  string    `json:"courseTitle"`
			Issuer  string    `json:"issuerName"`
			Issued  time.Time `json:"issuedAt"`
		} `json:"certificate"`
	}
	if err := p.get(ctx, "/api/certificate/verify/"+id, &answer); err != nil {
		return preview{}, err
	}
	c := answer.Certificate
	text := fmt.Sprintf("%s has completed the course %s. Issued by %s on %s.", c.Student, c.Course,
		cmp.Or(c.Issuer, siteName), c.Issued.UTC().Format("2 January 2006"))
	if !answer.Valid {
		text = "This certificate was revoked."
	}
	return preview{
		Title: c.Student + ": " + c.Course, Description: text,
		Image: p.config.general().Image, Unlisted: true,
	}, nil
}

// get reads an answer of the API as JSON into answer. It returns errNoPage for 404, and another
// error if the API fails. The request is that of a visitor who is not signed in.
func (p *previews) get(ctx context.Context, path string, answer any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.config.Internal+path, nil)
	if err != nil {
		return fmt.Errorf("read a preview: %w", err)
	}
	request.Header.Set("Accept", "application/json")
	response, err := p.client.Do(request)
	if err != nil {
		return fmt.Errorf("read a preview: %w", err)
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return errNoPage
	default:
		return fmt.Errorf("read a preview: the API answers %s", response.Status)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxLookup)).Decode(answer); err != nil {
		return fmt.Errorf("read a preview: %w", err)
	}
	return nil
}

// image returns the absolute URL of a picture of the API, or that of the general picture if it is
// no web address.
func (p *previews) image(address string) string {
	base, _ := url.Parse(p.config.API + "/") // accepted by checkURL
	u, err := base.Parse(address)
	if address == "" || err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return p.config.general().Image
	}
	return u.String()
}

// listMark matches the mark before an item of a list: a preview shows all items on one line.
var listMark = regexp.MustCompile(`(?m)^\s*(?:[-*•]|\d{1,3}[.)])\s+`)

// shorten returns a text on one line, or its beginning, which ends after a word if it has several,
// and an ellipsis. It has at most maxDescription characters.
func shorten(text string) string {
	line := strings.Join(strings.Fields(listMark.ReplaceAllString(text, "")), " ")
	points := []rune(line)
	if len(points) <= maxDescription {
		return line
	}
	cut := string(points[:maxDescription-1]) // with room for the ellipsis
	if space := strings.LastIndex(cut, " "); space > 0 {
		cut = cut[:space]
	}
	return cut + "…"
}
