package httpapi_test

import (
	"regexp"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
)

var (
	sharedMessage = regexp.MustCompile(contracttest.SecretMessage + `(\w+)`)
	caseCaller    = regexp.MustCompile(`(?m)^Authorization: Bearer \{\{token (\w+)\}\}$`)
)

// TestContractCases_HideOtherUsersChats checks the answers in the files.
func TestContractCases_HideOtherUsersChats(t *testing.T) {
	owners, shown := map[string]string{}, 0
	for _, chat := range contracttest.FixtureChats {
		owners[chat.ID] = chat.UserID
	}
	for _, c := range contracttest.LoadCases(t) {
		who := ""
		if found := caseCaller.FindStringSubmatch(c.Request); found != nil {
			who = found[1]
		}
		for _, found := range sharedMessage.FindAllStringSubmatch(c.Answer, -1) {
			if shown++; owners[found[1]] != who {
				t.Errorf("%s shows %q %s of %q", c.File, who, found[1], owners[found[1]])
			}
		}
	}
	if shown == 0 {
		t.Error("no case shows a chat: the pattern of this test is wrong")
	}
}
