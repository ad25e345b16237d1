package enginetest

import (
	"path"
	"testing"
)

// Galera returns the URLs of a fresh and empty database, one at each node of the cluster that all
// tests of this process use.
func Galera(tb testing.TB) []string {
	tb.Helper()
	return atEachNode(Cluster.URL(tb))
}

// ReusedGalera is like Galera, with a database of Cluster.Reused.
func ReusedGalera(tb testing.TB) []string {
	tb.Helper()
	return atEachNode(Cluster.Reused(tb))
}

// atEachNode returns the URLs of the database with the URL first, which is at the first node.
func atEachNode(first string) (urls []string) {
	for _, node := range sharedGalera.server.cluster {
		urls = append(urls, node.url(path.Base(first)))
	}
	return urls
}

// Nodes are the servers of a cluster of one test, which may kill, freeze and isolate them and start
// them again. At least two must be up and connected at any time, because one alone does not know
// that it may continue.
type Nodes []*Server

// StartGalera starts a cluster for one test. It is removed when the test ends. options are provider
// options of Galera, such as "evs.suspect_timeout=PT2S". Each node has what was committed at
// another one before a statement begins, because a test uses several nodes at the same time.
func StartGalera(tb testing.TB, options string) (nodes Nodes) {
	tb.Helper()
	const waitBeforeEachStatement = "--wsrep-sync-wait=7" // for the changes of other nodes
	instances, err := startCluster(galera.need(tb), options, waitBeforeEachStatement)
	if err != nil {
		tb.Fatalf("start a Galera cluster: %v", err)
	}
	for _, s := range instances {
		nodes = append(nodes, &Server{tb: tb, instance: s})
		removeWithTest(tb, s)
	}
	return nodes
}

// URLs creates the database unless it exists and returns its URL at each node. The first node must
// be running.
func (n Nodes) URLs(name string) []string {
	urls := []string{n[0].URL(name)}
	for _, node := range n[1:] {
		urls = append(urls, node.instance.url(name))
	}
	return urls
}

// Isolate cuts all connections of a node to the others, as a broken network does, until Rejoin. The
// node continues to accept connections of clients.
func (s *Server) Isolate() { s.setIsolation("1") }

// Rejoin restores the connections of an isolated node and returns when it has the changes that it
// missed.
func (s *Server) Rejoin() {
	s.tb.Helper()
	s.setIsolation("0")
	if err := s.instance.awaitReady(); err != nil {
		s.tb.Fatal(err)
	}
}

// setIsolation sets the option of Galera that cuts the connections of a node to the others: "1"
// cuts them, and "0" restores them.
func (s *Server) setIsolation(value string) {
	s.tb.Helper()
	if err := s.instance.exec("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=" + value +
		"'"); err != nil {
		s.tb.Fatal(err)
	}
}
