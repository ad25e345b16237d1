package enginetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// nodesPerCluster is the least number with which a cluster continues to work after the loss of one
// node.
const nodesPerCluster = 3

// longTimeouts are options of a cluster that loses no node, however busy the machine is.
const longTimeouts = "evs.suspect_timeout=PT60S;evs.inactive_timeout=PT120S;" +
	"evs.install_timeout=PT120S"

// startSharedGalera starts a cluster and returns its first node.
func startSharedGalera(p program) (*instance, error) {
	nodes, err := startCluster(p, longTimeouts)
	if err != nil {
		return nil, err
	}
	return nodes[0], nil
}

// startCluster starts the nodes of a new cluster, and returns them when all are ready. options are
// more provider options of Galera, and flags are more flags of each server.
func startCluster(p program, options string, flags ...string) ([]*instance, error) {
	nodes := make([]*instance, nodesPerCluster)
	for i := range nodes {
		var err error
		if nodes[i], err = newInstance(p); err != nil {
			return nil, err
		}
		nodes[i].program.serve = slices.Concat(nodes[i].program.serve, flags)
	}

	// The flags with the addresses need the ports of all nodes, and the first node must run before
	// the others can join.
	if err := joinNodes(nodes, options); err != nil {
		return nil, err
	}
	if err := installNodes(nodes); err != nil {
		return nil, err
	}
	if err := nodes[0].startFirst(); err != nil {
		return nil, err
	}
	for _, node := range nodes[1:] {
		if err := node.start(); err != nil {
			donor, _ := os.ReadFile(nodes[0].errorLog()) // more for the message, if it is there
			return nil, fmt.Errorf("%w\nthe log of the first node:\n%s", err, donor)
		}
	}
	return nodes, nil
}

// startFirst starts a node as the first one of a new cluster. It restores the flags of the node, so
// that a later start makes it join the cluster.
func (s *instance) startFirst() error {
	serve := s.program.serve
	defer func() { s.program.serve = serve }()
	s.program.serve = append(slices.Clone(serve), "--wsrep-new-cluster")
	return s.start()
}

// joinNodes gives each node the flags with its ports and the addresses of all nodes. It starts
// none.
func joinNodes(nodes []*instance, options string) error {
	addresses := make([]string, len(nodes))
	for i := range nodes {
		port, err := freePort()
		if err != nil {
			return err
		}
		addresses[i] = fmt.Sprintf("127.0.0.1:%d", port)
	}
	for i, node := range nodes {
		flags, err := nodeFlags(addresses[i], options)
		if err != nil {
			return err
		}
		node.cluster = slices.Concat(nodes[i:i+1], nodes[:i], nodes[i+1:])
		node.program.serve = slices.Concat(node.program.serve, flags, []string{
			"--wsrep-cluster-name=tests",
			"--wsrep-cluster-address=gcomm://" + strings.Join(addresses, ","),
			fmt.Sprintf("--wsrep-node-name=n%d", i+1),
		})
	}
	return nil
}

// nodeFlags returns the flags with the addresses of one node. Other nodes reach it at address. It
// listens on two more ports for what it missed: a port for single changes (IST), and one for a copy
// of all data (SST). options are added to the provider options. A node keeps 32 MB of changes for
// others, a quarter of the default, because its folder may be in memory.
func nodeFlags(address, options string) ([]string, error) {
	changesPort, err := freePort()
	if err != nil {
		return nil, err
	}
	copyPort, err := freePort()
	if err != nil {
		return nil, err
	}
	_, port, _ := strings.Cut(address, ":")
	return []string{
		"--wsrep-node-address=127.0.0.1",
		fmt.Sprintf("--wsrep-sst-receive-address=127.0.0.1:%d", copyPort),
		fmt.Sprintf(
			"--wsrep-provider-options=base_port=%s;gmcast.listen_addr=tcp://%s;"+
				"ist.recv_addr=127.0.0.1:%d;gcache.size=32M;%s",
			port, address, changesPort, options),
	}, nil
}

// installNodes creates the data of the first node and copies them to the others, which then receive
// only what differs.
func installNodes(nodes []*instance) error {
	if err := nodes[0].install(); err != nil {
		return err
	}
	for _, node := range nodes[1:] {
		if err := os.CopyFS(node.data(), os.DirFS(nodes[0].data())); err != nil {
			return err
		}
	}
	for _, node := range nodes {
		if err := node.useRoot(); err != nil {
			return err
		}
	}
	return nil
}

// The scripts with which root copies data to a node. copyAsRoot is a method of copying: it calls
// the usual one with a PATH that begins with the folder of rsyncAsRoot. rsyncAsRoot calls rsync,
// and makes its daemon run as root, because the daemon would otherwise change to a user who cannot
// write the data. The server searches commands in /usr/bin first, so that a method of another name
// is needed.
const (
	methodOfRoot = "rsync_as_root"
	copyAsRoot   = "#!/bin/sh\nPATH=%s:$PATH exec wsrep_sst_rsync \"$@\"\n"
	rsyncAsRoot  = `#!/bin/sh
case "$1" in
--daemon) shift; exec %[1]s --daemon --dparam=uid=0 --dparam=gid=0 "$@" ;;
esac
exec %[1]s "$@"
`
)

// useRoot makes a node copy data as root, if this process runs as root.
func (s *instance) useRoot() error {
	if os.Getuid() != 0 {
		return nil
	}
	rsync, err := lookUp("rsync")
	if err != nil {
		return err
	}
	folder := filepath.Join(s.dir, "bin")
	s.program.env = prependPath(s.program.env, folder)
	s.program.serve = append(slices.Clone(s.program.serve), "--wsrep-sst-method="+methodOfRoot)
	return errors.Join(
		os.Mkdir(folder, 0o700),
		os.WriteFile(filepath.Join(folder, "rsync"), fmt.Appendf(nil, rsyncAsRoot, rsync), 0o700),
		os.WriteFile(filepath.Join(folder, "wsrep_sst_"+methodOfRoot),
			fmt.Appendf(nil, copyAsRoot, folder), 0o700))
}
