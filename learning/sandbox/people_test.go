package sandbox_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/sandbox"
)

func TestPeople_ListsTheUsersToSignInAs(t *testing.T) {
	s := start(t, sandbox.Config{})
	for _, u := range []sandbox.User{{ID: "user_2", FirstName: "Bea", LastName: "Day",
		Role: "educator", ImageURL: "https://img.test/b.png"}, {ID: "user_1"}} {
		if err := s.Identity().PutUser(u); err != nil {
			t.Fatal(err)
		}
	}
	type person struct{ UserID, Name, Role, ImageURL string }
	_, _, body := call(t, "GET", s.Config().URL+"/v1/people", "")
	got := decode[struct{ People []person }](t, []byte(body)).People
	want := []person{{UserID: "user_2", Name: "Bea Day", Role: "educator",
		ImageURL: "https://img.test/b.png"},
		{UserID: "user_1", Name: "user_1", Role: "student",
			ImageURL: s.Identity().PictureURL("user_1")}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPeople_EmptyIsAList(t *testing.T) {
	s := start(t, sandbox.Config{})
	if _, _, body := call(t, "GET", s.Config().URL+"/v1/people", ""); body != `{"people":[]}`+"\n" {
		t.Errorf("the answer is %s", body)
	}
}
