package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/invariants"
)

// twoServers is two processes on one database, with students and topics in a community.
type twoServers struct {
	*deployment
	servers [2]string
	people  []student
	author  student // author of all topics; not one of people
	topics  [3]topic
}

type topic struct {
	group, post string
	replies     [2]string
}

func newTwoServers(t *testing.T, database string, people int) *twoServers {
	t.Helper()
	f := &twoServers{deployment: newDeployment(t, database)}
	f.servers[0] = f.at()
	f.start(t)
	f.servers[1] = f.at()
	all := f.students(t, people+1)
	f.people, f.author = all[1:], all[0]
	for i := range f.topics {
		f.topics[i] = f.newTopic(t, fmt.Sprintf("Group %d", i))
	}
	return f
}

func (f *twoServers) newTopic(t *testing.T, name string) (n topic) {
	t.Helper()
	n.group = f.made(t, f.author, "/groups", "group", map[string]any{"name": name})
	n.post = f.made(t, f.author, "/posts", "post",
		map[string]any{"title": "Why?", "content": "I do not see it.", "groupId": n.group})
	for i := range n.replies {
		n.replies[i] = f.made(t, f.author, "/posts/"+n.post+"/replies", "reply",
			map[string]any{"content": "Because."})
	}
	return n
}

// made creates something as a user and returns its id.
func (f *twoServers) made(t *testing.T, by student, path, field string,
	body map[string]any) (id string) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Error(err)
	}
	status, answer := f.ask(t, rand.N(len(f.servers)), http.MethodPost, path, by, string(text))
	thing, _ := answer[field].(map[string]any)
	id, _ = thing["_id"].(string)
	if status != http.StatusOK || id == "" {
		t.Errorf("%s: %d %v", path, status, answer)
	}
	return id
}

// ask sends a request to one of the servers.
func (f *twoServers) ask(t *testing.T, server int, method, path string, by student,
	body string) (status int, answer map[string]any) {
	t.Helper()
	got := requestAt(t.Context(), f.servers[server], method, "/api/community"+path, by, body)
	if err := json.Unmarshal([]byte(got.body), &answer); err != nil {
		t.Errorf("%s %s: %d %s", method, path, got.status, got.body)
	}
	return got.status, answer
}

// toggle sends a toggle to one of the servers, and returns the field of the answer that
// holds the new state.
func (f *twoServers) toggle(t *testing.T, server int, method, path, field string, by student) bool {
	t.Helper()
	status, answer := f.ask(t, server, method, path, by, "")
	on, is := answer[field].(bool)
	if status != http.StatusOK || !is {
		t.Errorf("%s %s: %d %v", method, path, status, answer)
	}
	return on
}

// flip sends a toggle to both servers at the same time, as from two devices. One answer
// must be true and the other false.
func (f *twoServers) flip(t *testing.T, path, field string, by student) {
	t.Helper()
	var on [2]bool
	var all sync.WaitGroup
	for server := range f.servers {
		all.Go(func() { on[server] = f.toggle(t, server, http.MethodPost, path, field, by) })
	}
	all.Wait()
	if on[0] == on[1] {
		t.Errorf("%s: the answers to %s are %v from both servers", path, by.id, on[0])
	}
}

// memory holds the last answers to a user: the FROM clause of a row, and whether the row
// must exist.
type memory map[string]bool

// actAtRandom does forty actions of a user at either server. The sequence is the same in
// every run.
func (f *twoServers) actAtRandom(t *testing.T, who student, r *rand.Rand) memory {
	told := memory{}
	for i := range 40 {
		topic, server := f.topics[r.IntN(len(f.topics))], r.IntN(len(f.servers))
		post := "/posts/" + topic.post
		reply := topic.replies[r.IntN(len(topic.replies))]
		vote := fmt.Sprintf("votes WHERE user_id = '%s' AND post_id = '%s' AND reply_id = ", who.id,
			topic.post)
		voting, joining := post+"/replies/"+reply+"/upvote", "/groups/"+topic.group+"/membership"
		switch i % 10 {
		case 0, 3:
			told[vote+"''"] = f.toggle(t, server, http.MethodPost, post+"/upvote", "isUpvoted", who)
		case 1, 4:
			told[vote+"'"+reply+"'"] = f.toggle(t, server, http.MethodPost, voting, "isUpvoted",
				who)
		case 2:
			member := fmt.Sprintf("memberships WHERE user_id = '%s' AND group_id = '%s'", who.id,
				topic.group)
			told[member] = f.toggle(t, server, http.MethodPost, joining, "isMember", who)
		case 5:
			f.flip(t, post+"/upvote", "isUpvoted", who)
		case 6:
			f.flip(t, voting, "isUpvoted", who)
		case 7:
			f.flip(t, joining, "isMember", who)
		case 8:
			f.toggle(t, server, http.MethodPatch, post+"/replies/"+reply+"/accept",
				"isAcceptedAnswer", f.author)
		case 9:
			f.writeAndDelete(t, who, topic.group)
		}
	}
	return told
}

// writeAndDelete creates a post and deletes it while both servers receive replies and votes
// for it.
func (f *twoServers) writeAndDelete(t *testing.T, who student, groupID string) {
	post := "/posts/" + f.made(t, who, "/posts", "post",
		map[string]any{"title": "Short", "content": "Lived.", "groupId": groupID})
	var all sync.WaitGroup
	all.Go(func() {
		status, answer := f.ask(t, 0, http.MethodDelete, post, who, "")
		if status != http.StatusOK {
			t.Errorf("to delete a post got %d %v", status, answer)
		}
	})
	for server := range f.servers {
		for path, body := range map[string]string{"/upvote": "",
			"/replies": `{"content":"Wait!"}`} {
			all.Go(func() {
				status, answer := f.ask(t, server, http.MethodPost, post+path, who, body)
				if gone := status == http.StatusNotFound &&
					answer["message"] == "Post not found"; status != http.StatusOK && !gone {
					t.Errorf("%s: %d %v", path, status, answer)
				}
			})
		}
	}
	all.Wait()
}

// Fifty users act at the same time in two processes. Only the failures of the contract
// occur, each counter equals the number of its rows, and each row exists or not as the
// last answer to the user said.
func TestCommunity_CountersOfFiftyUsersInTwoProcesses(t *testing.T) {
	t.Parallel()
	f := newTwoServers(t, enginetest.MariaDB(t), 50)
	told := make([]memory, len(f.people))
	var all sync.WaitGroup
	for i, who := range f.people {
		all.Go(func() { told[i] = f.actAtRandom(t, who, rand.New(rand.NewPCG(1, uint64(i)))) })
	}
	all.Wait()
	for what, rows := range invariants.Community {
		if n := f.count(t, rows); n != 0 {
			t.Errorf("%s: %d rows are wrong", what, n)
		}
	}
	for _, memory := range told {
		for rows, there := range memory {
			if n := f.count(t, rows); (n == 1) != there {
				t.Errorf("the last answer was %v, and there are %d %s", there, n, rows)
			}
		}
	}
	if n := f.count(t, "posts"); n != len(f.topics) {
		t.Errorf("%d posts are left", n)
	}
}
