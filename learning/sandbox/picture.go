package sandbox

import (
	"bytes"
	"hash/fnv"
	"net/http"
	"net/url"
	"strings"
	"text/template"
	"unicode"
)

// PictureURL returns the URL of a picture with the initials of a user. It is the image_url of a user without an
// ImageURL.
func (i *Identity) PictureURL(userID string) string {
	return i.sandbox.cfg.URL + "/pictures/" + url.PathEscape(userID)
}

var pictureTemplate = template.Must(template.New("picture").Parse(`<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 128 128">
<rect width="128" height="128" fill="{{.Colour}}"/>
<text x="64" y="64" dy=".36em" text-anchor="middle" font-family="system-ui, sans-serif" font-size="52" font-weight="600" fill="#fff">{{.Initials}}</text>
</svg>
`))

// pictureColours are dark enough for white text.
var pictureColours = []string{"#0d5c4a", "#1f4e8c", "#7a3e00", "#8a1f4b", "#5a3a8e", "#3f5a14", "#9a1f1f", "#34495e"}

// servePicture draws the initials of a user. The headers forbid a browser that opens the picture to run scripts in it.
func (i *Identity) servePicture(w http.ResponseWriter, r *http.Request) {
	u, ok := i.User(r.PathValue("id"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	var b bytes.Buffer
	err := pictureTemplate.Execute(&b, map[string]string{"Colour": colourOf(u.ID), "Initials": initials(u)})
	if err != nil {
		http.Error(w, "The picture cannot be drawn.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Cache-Control", "no-cache") // a name can change
	_, _ = w.Write(b.Bytes())          // the client may be gone
}

func colourOf(userID string) string {
	sum := fnv.New32a()
	sum.Write([]byte(userID))
	return pictureColours[sum.Sum32()%uint32(len(pictureColours))]
}

// initials returns the first letters of the two names, or that of the id. They are letters or digits, which need no
// escaping in XML.
func initials(u User) string {
	text := firstLetter(u.FirstName) + firstLetter(u.LastName)
	if text == "" {
		text = firstLetter(u.ID)
	}
	return text
}

func firstLetter(s string) string {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return strings.ToUpper(string(r))
		}
	}
	return ""
}
