package httpapi_test

import (
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/store/engines"
)

// grownRows is a database in which each table has as many rows, or a small multiple of them.
//
//	students    users 0 to rows/20: each has about 20 rows in each table
//	educators   users from rows/2 on, as many: each has 20 courses
//	course 0    has a tenth of all enrolments and attempts, and is the newest; most others have one
//	group 0     has a tenth of all members and posts; most others have one
//	posts       those before rows/10 have 10 replies and 10 votes
//
// It must be a multiple of 1,000.
type grownRows int

// pendingPurchases is the number of purchases that wait for their payment.
const pendingPurchases = 250

// users returns the number of the students, and of the educators.
func (n grownRows) users() int { return int(n) / 20 }

// grownID returns the id of a row, except that of a user.
func grownID(number int) string { return fmt.Sprintf("01987654-0000-7000-8000-%012d", number) }

// grownUser returns the id of a user.
func grownUser(number int) string { return "user_" + strconv.Itoa(number) }

// grownNumbers are the columns of a table that exists while a database is filled. The other tables
// are selected from it, because that is much faster than sending their rows.
//
//	n          from 0 on
//	u, r       a student, and the number of the row among those of the student
//	t, q       a post with replies, and the number of the reply among those of the post
//	eu, ec     the user and the course of an enrolment
//	at, day    a time, and a day for each r
const grownNumbers = "n, u, r, t, q, eu, ec, at, day"

// grownTime is the format of times in the SQL.
const grownTime = "2006-01-02 15:04:05.000000"

// numbers returns the values of a row of the table of numbers.
func (n grownRows) numbers(i int) string {
	students, popular := n.users(), int(n)/10
	user, course := i, 0
	if i >= popular {
		user, course = (i-popular)%students, 1+i-popular
	}
	at := learningtest.Start.Add(time.Duration(i-int(n)) * time.Minute)
	day := learningtest.Start.Truncate(24*time.Hour).AddDate(0, 0, -1-i/students)
	return fmt.Sprintf("%d, %d, %d, %d, %d, %d, %d, '%s', '%s'", i, i%students, i/students,
		i%popular, i/popular, user, course, at.Format(grownTime), day.Format(grownTime))
}

var (
	grownIDMark   = regexp.MustCompile(`\{id ([^{}]+)\}`)
	grownUserMark = regexp.MustCompile(`\{user ([^{}]+)\}`)
)

// sql returns the SQL of a text of a grownTable.
func (n grownRows) sql(text string) string {
	number := func(i int) string { return strconv.Itoa(i) }
	text = strings.NewReplacer(
		"{one each}", "CASE WHEN n = 0 THEN {tenth} WHEN n <= 9 * {tenth} THEN 1 ELSE 0 END",
	).Replace(text)
	text = strings.NewReplacer(
		"{rows}", number(int(n)), "{half}", number(int(n)/2), "{quarter}", number(int(n)/4),
		"{tenth}", number(int(n)/10), "{hundredth}", number(int(n)/100),
		"{users}", number(n.users()), "{pending}", number(pendingPurchases),
		"{start}", learningtest.Start.Format(grownTime),
		"{content}", grownContent, "{questions}", grownQuestions,
	).Replace(text)
	text = grownIDMark.ReplaceAllString(text,
		"CONCAT('01987654-0000-7000-8000-', "+
			"SUBSTR('00000000000', LENGTH(CONCAT('', $1))), CONCAT('', $1))")
	return grownUserMark.ReplaceAllString(text, "CONCAT('user_', $1)")
}

// fill creates the tables in an empty database and fills them.
func (n grownRows) fill(tb testing.TB, url string) {
	tb.Helper()
	st, err := engines.Open(tb.Context(), url)
	if err == nil {
		err = st.Migrate(tb.Context())
	}
	if err != nil {
		tb.Fatal(err)
	}
	if err := st.Close(); err != nil {
		tb.Fatal(err)
	}
	p := baseline.Open(tb, url)
	engine, _, _ := strings.Cut(url, ":")
	makeRoom(tb, p.Write, engine)

	// Fill the table of numbers, and from it the others, by statements that stay below every
	// deadline.
	timeType := "DATETIME(6)"
	if engine == "postgres" {
		timeType = "TIMESTAMP(6)"
	}
	grow(tb, p.Write, fmt.Sprintf(`CREATE TABLE grown_numbers (n BIGINT NOT NULL PRIMARY KEY,
		u BIGINT NOT NULL, r BIGINT NOT NULL, t BIGINT NOT NULL, q BIGINT NOT NULL,
		eu BIGINT NOT NULL, ec BIGINT NOT NULL, at %s NOT NULL, day %[1]s NOT NULL)`, timeType))
	p.Insert(tb, "grown_numbers ("+grownNumbers+")", int(n), n.numbers)
	for _, t := range allGrown(tb, p.Write) {
		const most = 20_000
		for from := 0; from < int(n); from += most {
			where := fmt.Sprintf("n >= %d AND n < %d", from, from+most)
			if t.where != "" {
				where += " AND " + n.sql(t.where)
			}
			grow(tb, p.Write,
				"INSERT INTO "+t.into+" SELECT "+n.sql(t.values)+" FROM grown_numbers WHERE "+where)
		}
	}
	grow(tb, p.Write, "DELETE FROM counters WHERE name = 'certificates'")
	grow(tb, p.Write, `INSERT INTO counters (name, counted)
		SELECT 'certificates', COUNT(*) FROM certificates`)
	grow(tb, p.Write, "DROP TABLE grown_numbers")
	countTotals(tb, p.Write)

	settle(tb, p.Write, engine)
}

// allGrown returns grownTables, and statements for the tables that they do not have.
func allGrown(tb testing.TB, db *sql.DB) []grownTable {
	tb.Helper()
	all := slices.Clone(grownTables)
	for _, table := range enginetest.TableNames(tb, db) {
		isKnown := slices.ContainsFunc(all, func(t grownTable) bool {
			return strings.HasPrefix(t.into, table+" ")
		})
		if !isKnown && notGrown[table] == "" && table != "grown_numbers" {
			all = append(all, grownOf(table, enginetest.Columns(tb, db, table)))
		}
	}
	return all
}

// grownOf returns the statement for a table that grownTables does not have. The names of the
// columns say what they have: a user, a course, another id, or a flag. A table with courses has a
// row for each enrolment, and another one has many rows of each student.
func grownOf(table string, columns []*sql.ColumnType) grownTable {
	var names, values []string
	for _, column := range columns {
		names = append(names, column.Name())
	}
	user := "{user u}"
	if slices.Contains(names, "course_id") {
		user = "{user eu}"
	}
	for i, name := range names {
		kind := columns[i].DatabaseTypeName()
		value := "CONCAT('text ', n)"
		switch {
		case strings.HasPrefix(kind, "DATETIME") || kind == "TIMESTAMP":
			value = "at"
		case strings.Contains(kind, "INT") && strings.HasPrefix(name, "is_"):
			value = "1"
		case strings.Contains(kind, "INT"):
			value = "r"
		case name == "currency":
			value = "'INR'"
		case name == "course_id":
			value = "{id ec}"
		case name == "lecture_id" || name == "chapter_id":
			value = "'" + strings.TrimSuffix(name, "_id") + "_1'"
		case userColumn.MatchString(name):
			value = user
		case name == "id" || strings.HasSuffix(name, "_id"):
			value = "{id n}"
		}
		values = append(values, value)
	}
	return grownTable{into: table + " (" + strings.Join(names, ", ") + ")",
		values: strings.Join(values, ", ")}
}

// userColumn matches the names of the columns with the id of a user.
var userColumn = regexp.MustCompile(`^(user|author|educator|owner|reporter|student)_id$|_by$`)

// grow executes a statement.
func grow(tb testing.TB, db *sql.DB, statement string) {
	tb.Helper()
	if _, err := db.ExecContext(tb.Context(), statement); err != nil {
		tb.Fatalf("%v\n%s\nIf the values of a new table are not right, add a line to grownTables in "+
			"learning/httpapi/growth_tables_test.go.", err, statement)
	}
}

// countTotals fills the tables of totals.
func countTotals(tb testing.TB, db *sql.DB) {
	tb.Helper()
	for _, counted := range countedTotals {
		grow(tb, db, "INSERT INTO totals (course_id, kind, part, slot, number, amount) "+counted)
	}
	grow(tb, db, `INSERT INTO file_totals (owner_id, files, bytes)
		SELECT owner_id, COUNT(*), SUM(size) FROM files GROUP BY owner_id`)
}

// countedTotals are queries for all totals, each in its first slot.
var countedTotals = []string{
	`SELECT course_id, 'posts', lecture_id, 0, COUNT(*), 0 FROM posts GROUP BY course_id, lecture_id`,
	`SELECT course_id, 'waiting questions', '', 0, COUNT(*), 0
		FROM posts WHERE educator_id <> '' AND is_answered = 0 GROUP BY course_id`,
	`SELECT course_id, 'waiting reviews', '', 0, COUNT(*), 0
		FROM ratings WHERE is_reviewed = 1 AND is_answered = 0 GROUP BY course_id`,
	`SELECT course_id, 'waiting submissions', '', 0, COUNT(*), 0
		FROM submissions WHERE status = 'submitted' GROUP BY course_id`,
	`SELECT '', 'open reports', '', 0, COUNT(*), 0 FROM complaints WHERE status = 'open'`,
	`SELECT course_id, 'ratings', CONCAT('', stars), 0, COUNT(*), 0
		FROM ratings GROUP BY course_id, stars`,
	`SELECT '', 'users', '', 0, COUNT(*), 0 FROM users WHERE deleted_at IS NULL`,
	`SELECT '', 'educators', '', 0,
		(SELECT COUNT(*) FROM roles r JOIN users u ON u.id = r.user_id
			WHERE r.role = 'educator' AND u.deleted_at IS NULL)
		+ (SELECT COUNT(*) FROM applications a JOIN users u ON u.id = a.user_id
			LEFT JOIN roles r ON r.user_id = a.user_id
			WHERE a.status = 'approved' AND u.deleted_at IS NULL
				AND COALESCE(r.role, '') <> 'educator'), 0`,
	`SELECT '', 'applications', '', 0, COUNT(*), 0 FROM applications WHERE status = 'pending'`,
	`SELECT '', 'courses', '', 0, COUNT(*), 0 FROM courses`,
	`SELECT '', 'enrollments', '', 0, COALESCE(SUM(students), 0), 0 FROM courses`,
	`SELECT '', 'sales', currency, 0, COUNT(*), SUM(amount - refunded_amount)
		FROM purchases WHERE status = 'completed' GROUP BY currency`,
	`SELECT '', 'daily sales', CONCAT(currency, ' ', SUBSTR(CAST(completed_at AS CHAR(26)), 1, 10)), 0, COUNT(*),
			SUM(amount - refunded_amount)
		FROM purchases WHERE status = 'completed' AND completed_at IS NOT NULL
		GROUP BY currency, SUBSTR(CAST(completed_at AS CHAR(26)), 1, 10)`,
	`SELECT course_id, 'course sales', currency, 0, COUNT(*), SUM(amount - refunded_amount)
		FROM purchases WHERE status = 'completed' GROUP BY course_id, currency`,
	`SELECT course_id, CONCAT('attempts ', mastery), chapter_id, 0, COUNT(*), SUM(percentage)
		FROM quiz_results GROUP BY course_id, mastery, chapter_id`,
}

// makeRoom lets the engine keep a gigabyte in memory, so that the measured difference is that of
// the statements, and so that filling does not take hours.
// PostgreSQL leaves that to the system.
func makeRoom(tb testing.TB, db *sql.DB, engine string) {
	tb.Helper()
	for _, statement := range map[string][]string{
		"sqlite": {"PRAGMA cache_size = -1000000", "PRAGMA synchronous = OFF"},
		"mysql": {"SET GLOBAL innodb_buffer_pool_size = 1024 * 1024 * 1024",
			"SET GLOBAL innodb_log_file_size = 512 * 1024 * 1024"},
		"postgres": {"ALTER SYSTEM SET max_wal_size = '4GB'", "SELECT pg_reload_conf()"},
	}[engine] {
		grow(tb, db, statement)
	}
}

// settle updates the statistics of the engine, by which it chooses indexes, and waits until the
// rows are on the disk, so that it does not write them meanwhile.
func settle(tb testing.TB, db *sql.DB, engine string) {
	tb.Helper()
	switch engine {
	case "sqlite":
		grow(tb, db, "ANALYZE")
		grow(tb, db, "PRAGMA wal_checkpoint(TRUNCATE)")
		return
	case "postgres":
		grow(tb, db, "VACUUM ANALYZE")
		grow(tb, db, "CHECKPOINT")
		return
	}
	var tables []string
	for _, t := range allGrown(tb, db) {
		name, _, _ := strings.Cut(t.into, " ")
		tables = append(tables, name)
	}
	slices.Sort(tables)
	for _, table := range slices.Compact(tables) {
		grow(tb, db, "ANALYZE TABLE "+table)
	}
	grow(tb, db, "SET GLOBAL innodb_max_dirty_pages_pct = 0")
	for name, dirty := "", 1; dirty > 100; {
		err := db.QueryRowContext(tb.Context(),
			"SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'").Scan(&name, &dirty)
		if err != nil {
			tb.Fatal(err)
		}
	}
	grow(tb, db, "SET GLOBAL innodb_max_dirty_pages_pct = 90")
}
