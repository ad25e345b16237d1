package learningtest

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// Person creates a user at the sandbox's identity provider and on the platform, as the
// provider's webhook does, and returns the user as an actor. The user's tokens have the role.
func (k *Kit) Person(tb testing.TB, id string, role core.Role) core.Actor {
	tb.Helper()
	// Quietly: the sandbox sends no webhook, because the platform gets the event below.
	check(tb,
		k.Sandbox.Identity().PutUserQuietly(sandbox.User{ID: id, FirstName: id,
			Email: id + "@example.com", Role: string(role)}))
	check(tb, k.Platform.System().ApplyIdentityEvent(context.Background(), people.IdentityEvent{
		SentAt: k.Clock.Now(), Type: people.UserCreated,
		User: people.IdentityUser{ID: id, FirstName: id,
			Emails: []people.IdentityEmail{{ID: "1", Address: id + "@example.com"}}},
	}))
	return core.Actor{UserID: id, Role: role, Name: id}
}

// Token returns a session token of a user.
func (k *Kit) Token(tb testing.TB, userID string) string {
	tb.Helper()
	token, err := k.Sandbox.Identity().Token(userID)
	check(tb, err)
	return token
}

// Course publishes a course of one lecture at a price, and returns its id. It creates the
// educator if necessary.
func (k *Kit) Course(tb testing.TB, id string, price core.Money) string {
	tb.Helper()
	educator := k.Person(tb, "educator", core.Educator)
	id, err := k.Platform.Catalog.AddCourse(context.Background(), educator, catalog.NewCourse{
		ID: id, Title: "Course " + id, Price: price, Published: true,
		Content: []catalog.Chapter{{ID: "chapter", Title: "Chapter", Lectures: []catalog.Lecture{
			{ID: "lecture", Title: "Lecture", Minutes: 10, URL: "https://videos.example.org/" + id},
		}}},
	}, Thumbnail(tb))
	check(tb, err)
	return id
}

// Thumbnail returns a small PNG.
func Thumbnail(tb testing.TB) []byte {
	tb.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 16, 9))
	for i := range img.Pix {
		img.Pix[i] = byte(i)
	}
	img.Set(0, 0, color.White)
	var b bytes.Buffer
	check(tb, png.Encode(&b, img))
	return b.Bytes()
}
