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

// PictureURL returns the URL of a picture with the initials of a user. It is the image_url of a
// user without an ImageURL.
func (i *Identity) PictureURL(userID string) string {
	return i.sandbox.cfg.URL + "/pictures/" + url.PathEscape(userID)
}

var pictureTemplate = template.Must(
	template.New("picture").Parse(
		`<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 128 128">
<rect width="128" height="128" fill="{{.Colour}}"/>
<circle cx="{{.Left}}" cy="{{.Top}}" r="62" fill="#fff" fill-opacity=".13"/>
<circle cx="{{.Right}}" cy="{{.Bottom}}" r="46" fill="#000" fill-opacity=".16"/>
<text x="64" y="64" dy=".36em" text-anchor="middle" font-family="system-ui, sans-serif" font-size="48" font-weight="500" letter-spacing="1" fill="#fff">{{.Initials}}</text>
</svg>
`))

// pictureColours are dark enough for white text, also below the light disc.
var pictureColours = []string{"#0d5c4a", "#1f4e8c", "#7a3e00", "#8a1f4b", "#5a3a8e", "#3f5a14",
	"#8f2b2b", "#34495e", "#0f5a73", "#6b3f6e", "#3b4fa0", "#274b3a"}

// picture is the data of the template: a background with two discs, and the initials. Colour and
// places depend on the id, so that people with the same initials look different.
type picture struct {
	Colour, Initials         string
	Left, Top, Right, Bottom uint32
}

// pictureOf returns the picture of a user, always the same for an id and a name.
func pictureOf(u User) picture {
	hash := fnv.New32a()
	hash.Write([]byte(u.ID))
	sum := hash.Sum32()
	// The colour depends on all bits, and each place on six bits of its own.
	return picture{
		Colour: pictureColours[sum%uint32(len(pictureColours))], Initials: initials(u),
		Left: sum >> 8 % 64, Top: sum >> 14 % 64, Right: 64 + sum>>20%64, Bottom: 64 + sum>>26,
	}
}

// servePicture draws the initials of a user. The headers forbid a browser that opens the picture to
// run scripts in it.
func (i *Identity) servePicture(w http.ResponseWriter, r *http.Request) {
	u, ok := i.User(r.PathValue("id"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	var b bytes.Buffer
	if err := pictureTemplate.Execute(&b, pictureOf(u)); err != nil {
		http.Error(w, "The picture cannot be drawn.", http.StatusInternalServerError)
		return
	}
	// Another origin shows the picture in an <img>, and nothing in it may run.
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Cache-Control", "no-cache") // a name can change
	_, _ = w.Write(b.Bytes())          // the client may be gone
}

// initials returns the first letters of the two names, or that of the id. They are letters or
// digits, which need no escaping in XML.
func initials(u User) string {
	text := firstLetter(u.FirstName) + firstLetter(u.LastName)
	if text == "" {
		text = firstLetter(u.ID)
	}
	return text
}

// firstLetter returns the first letter or digit of s, in upper case, or "" if there is none.
func firstLetter(s string) string {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return strings.ToUpper(string(r))
		}
	}
	return ""
}
