package httpapi_test

import (
	"regexp"
	"testing"
)

var (
	sharedMessage = regexp.MustCompile(secretMessage + `(\w+)`)
	caseCaller    = regexp.MustCompile(`(?m)^Authorization: Bearer \{\{token (\w+)\}\}$`)
)

// TestContractCases_HideOtherUsersChats checks the answers in the files.
func TestContractCases_HideOtherUsersChats(t *testing.T) {
	owners, shown := map[string]string{}, 0
	for _, chat := range fixtureChats {
		owners[chat.ID] = chat.UserID
	}
	for _, c := range loadCases(t) {
		who := ""
		if found := caseCaller.FindStringSubmatch(c.request); found != nil {
			who = found[1]
		}
		for _, found := range sharedMessage.FindAllStringSubmatch(c.answer, -1) {
			if shown++; owners[found[1]] != who {
				t.Errorf("%s shows %q %s of %q", c.file, who, found[1], owners[found[1]])
			}
		}
	}
	if shown == 0 {
		t.Error("no case shows a chat: the pattern of this test is wrong")
	}
}
