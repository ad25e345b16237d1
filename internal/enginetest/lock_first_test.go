package enginetest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const someLog = `/usr/sbin/mariadbd, Version: 10.11 started with:
Tcp port: 1  Unix socket: sock
Time		    Id Command	Argument
261123 10:00:00	     5 Connect	root@localhost on learning using TCP/IP
		     5 Query	SELECT id FROM purchases WHERE id = 'outside'
		     5 Query	START TRANSACTION
		     6 Query	START TRANSACTION
		     5 Query	SELECT id
	FROM purchases p WHERE id = 'it''s \' 1'
261123 10:00:01	     6 Query	UPDATE users SET changed_at = changed_at WHERE id = 'ada'
		     6 Query	SELECT id FROM purchases WHERE id = 'p'
		     6 Query	UPDATE purchases SET amount = 5 WHERE id = 'p'
		     5 Query	INSERT INTO refunds VALUES ('r')
		     5 Query	UPDATE purchases SET amount = 7
	WHERE id = 'p'
		     6 Query	COMMIT
		     5 Query	ROLLBACK
		     5 Query	START TRANSACTION
		     5 Query	SELECT 1 FROM users
		     5 Query	UPDATE courses SET students = 1
		     5 Quit	
`

func TestLockFirst_FindsTransactionsThatReadWhatTheyChange(t *testing.T) {
	var all [][]string
	var lines []string
	err := eachTransaction(strings.NewReader(someLog), func(statements []string) {
		all = append(all, statements)
		if line := readBeforeWrite(statements); line != "" {
			lines = append(lines, line)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"UPDATE users SET changed_at = changed_at WHERE id = ?",
			"SELECT id FROM purchases WHERE id = ?",
			"UPDATE purchases SET amount = ? WHERE id = ?"},
		{"SELECT id FROM purchases p WHERE id = ??", "INSERT INTO refunds VALUES (?)",
			"UPDATE purchases SET amount = ? WHERE id = ?"},
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
	if len(lines) != 1 || !strings.HasPrefix(lines[0],
		"reads purchases and then changes it: SELECT id FROM purchases p") {
		t.Errorf("found %q", lines)
	}
	if !isExcused("SELECT id FROM purchases", map[string]string{"SELECT id": "why"}) ||
		isExcused("SELECT", map[string]string{"SELECT id": "why"}) {
		t.Error("the wrong transactions are excused")
	}
}
