package enginetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// groupReplication is MySQL with three nodes that form a group (Group Replication), of which one,
// the primary, takes writes.
var groupReplication = engine{
	name:  "group-replication",
	find:  findGroupReplication,
	start: startNew,
}

// groupReady is a query with a row if the node takes writes of its group: it is the primary, and
// sees more than half of the members.
const groupReady = `SELECT member_id FROM performance_schema.replication_group_members
WHERE member_id = @@server_uuid AND member_role = 'PRIMARY' AND member_state = 'ONLINE'
AND (SELECT SUM(member_state <> 'UNREACHABLE') * 2 > COUNT(*)
	FROM performance_schema.replication_group_members)`

// findGroupReplication returns the program of a node, without the addresses of the group. Its group
// does not start with the server. The settings are those of docs/engines.md.
func findGroupReplication() (program, error) {
	p, err := findMySQL()
	if err != nil {
		return program{}, err
	}
	p.serve = slices.DeleteFunc(p.serve, func(flag string) bool {
		return flag == "--performance-schema=OFF" || flag == "--disable-log-bin"
	})
	p.serve = append(p.serve,
		"--log-bin=binlog", "--gtid-mode=ON", "--enforce-gtid-consistency=ON",
		"--report-host=127.0.0.1",
		"--plugin-load-add=group_replication.so",
		"--loose-group-replication-group-name=3b1c0a52-6b0e-4c1c-9d57-5f2b8f0a7e11",
		"--loose-group-replication-start-on-boot=OFF",
		"--loose-group-replication-recovery-get-public-key=ON",
		"--loose-group-replication-consistency=BEFORE_ON_PRIMARY_FAILOVER",
	)
	return p, nil
}

// StartGroupReplication starts a group of three MySQL servers for one test. It is removed when the
// test ends. The first node is the primary. flags are more flags of each server.
func StartGroupReplication(tb testing.TB, flags ...string) (nodes Nodes) {
	tb.Helper()
	program := groupReplication.need(tb)
	addresses := make([]string, nodesPerCluster)
	for i := range addresses {
		addresses[i] = FreeAddress(tb)
	}
	fail := func(err error) {
		if err != nil {
			tb.Fatalf("start a group of MySQL servers: %v", err)
		}
	}
	var first *instance
	for _, address := range addresses {
		s, err := newInstance(program)
		fail(err)
		removeWithTest(tb, s)
		s.program.serve = slices.Concat(program.serve, flags, []string{
			fmt.Sprintf("--report-port=%d", s.port),
			"--loose-group-replication-local-address=" + address,
			"--loose-group-replication-group-seeds=" + strings.Join(addresses, ","),
		})
		if first == nil {
			first = s
			fail(s.install())
		} else {
			fail(copyData(s, first))
		}
		nodes = append(nodes, &Server{tb: tb, instance: s})
	}
	for i, node := range nodes {
		fail(node.instance.start())
		fail(node.instance.prepareMember())
		bootstrap := i == 0
		fail(node.instance.joinGroup(bootstrap))
	}
	return nodes
}

// copyData gives a node a copy of the data of another one, which has not run. The file auto.cnf has
// the id of a server and does not exist before its first start.
func copyData(to, from *instance) error {
	if err := os.CopyFS(to.data(), os.DirFS(from.data())); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(to.data(), "auto.cnf")); !os.IsNotExist(err) {
		return err
	}
	return nil
}

// prepareMember creates the user with which a node fetches the changes that it missed. That is not
// a change of the group.
func (s *instance) prepareMember() error {
	ctx := context.Background()
	conn, err := s.admin.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, statement := range []string{
		"SET sql_log_bin = 0",
		"CREATE USER recovery IDENTIFIED BY 'recovery'",
		"GRANT REPLICATION SLAVE, CONNECTION_ADMIN, BACKUP_ADMIN, GROUP_REPLICATION_STREAM " +
			"ON *.* TO recovery",
		"SET sql_log_bin = 1",
		"RESET BINARY LOGS AND GTIDS",
		"CHANGE REPLICATION SOURCE TO source_user = 'recovery', source_password = 'recovery' " +
			"FOR CHANNEL 'group_replication_recovery'",
	} {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// joinGroup makes a running node a member of its group, and waits until it has all changes.
// bootstrap says that the node is the first member.
func (s *instance) joinGroup(bootstrap bool) error {
	if bootstrap {
		if err := s.exec("SET GLOBAL group_replication_bootstrap_group = ON"); err != nil {
			return err
		}
	}
	if _, err := s.admin.Exec("START GROUP_REPLICATION"); err != nil { // may take a minute
		return fmt.Errorf("START GROUP_REPLICATION: %w", err)
	}
	if bootstrap {
		if err := s.exec("SET GLOBAL group_replication_bootstrap_group = OFF"); err != nil {
			return err
		}
	}
	return s.awaitMembers("member_id = @@server_uuid AND member_state = 'ONLINE'", 1)
}

// awaitMembers waits until a node sees n members of its group that meet a condition.
func (s *instance) awaitMembers(condition string, n int) error {
	for end := time.Now().Add(startTimeout); ; time.Sleep(pollInterval) {
		var got int
		err := s.admin.QueryRow("SELECT COUNT(*) FROM performance_schema." +
			"replication_group_members WHERE " + condition).Scan(&got)
		if err == nil && got == n {
			return nil
		}
		if time.Now().After(end) {
			log, _ := os.ReadFile(s.errorLog()) // more for the message, if it is there
			return fmt.Errorf("%d members with %s, want %d: %v\n%s", got, condition, n, err, log)
		}
	}
}

// AwaitMembers waits until a node of a group sees n members, all of them online.
func (s *Server) AwaitMembers(n int) {
	s.tb.Helper()
	for _, condition := range []string{"member_state = 'ONLINE'", "TRUE"} {
		if err := s.instance.awaitMembers(condition, n); err != nil {
			s.tb.Fatal(err)
		}
	}
}

// AwaitMemberState waits until a node has a state in its group, such as ERROR.
func (s *Server) AwaitMemberState(state string) {
	s.tb.Helper()
	if err := s.instance.awaitMembers(
		"member_id = @@server_uuid AND member_state = '"+state+"'", 1); err != nil {
		s.tb.Fatal(err)
	}
}

// SetGlobal sets a global variable of a MySQL to a number.
func (s *Server) SetGlobal(name, value string) {
	s.tb.Helper()
	if err := s.instance.exec("SET GLOBAL " + name + " = " + value); err != nil {
		s.tb.Fatal(err)
	}
}

// LeaveGroup makes a node leave its group in order. It then refuses writes.
func (s *Server) LeaveGroup() {
	s.tb.Helper()
	if err := s.instance.exec("STOP GROUP_REPLICATION"); err != nil {
		s.tb.Fatal(err)
	}
}

// JoinGroup starts a node, if it does not run, and makes it a member of its group again.
func (s *Server) JoinGroup() {
	s.tb.Helper()
	s.Start()
	const bootstrap = false
	if err := s.instance.joinGroup(bootstrap); err != nil {
		s.tb.Fatal(err)
	}
}

// BecomePrimary makes a node the primary of its group, and returns when it is.
func (s *Server) BecomePrimary() {
	s.tb.Helper()
	if err := s.instance.exec(
		"SELECT group_replication_set_as_primary(@@server_uuid)"); err != nil {
		s.tb.Fatal(err)
	}
}
