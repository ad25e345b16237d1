package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"
)

// impatience is the time after which a host that does not answer counts as lost, even if the
// caller has waited for no longer than that.
const impatience = time.Second

// mysqlHosts is a [driver.Connector] for the hosts of one cluster. Connections lead to the current
// host. When it is lost, the next host of the list becomes the current one, and the connections to
// the lost one are closed when they are free, so that a process reads what it has written: a node
// of a cluster may apply the writes of another one a moment later.
//
// The host that works stays the current one, so that a lost host costs its time-out once.
type mysqlHosts struct {
	all     []driver.Connector
	names   []string
	timeout time.Duration // of Connect, with all hosts; 0 for no limit
	moves   atomic.Uint64 // how often the current host was lost; it is the index of the current one, modulo their number
	suspect atomic.Uint64 // one more than the moves after which a statement was not answered in time; 0 for none
}

// newMySQLHosts returns a connector for the hosts of configs, which differ in their addresses only.
func newMySQLHosts(configs []*mysql.Config) (*mysqlHosts, error) {
	h := &mysqlHosts{timeout: configs[0].Timeout}
	if len(configs) > 1 && h.timeout == 0 {
		return nil, errors.New("the mysql URL has several hosts: it needs a timeout, so that a host that does not answer is left")
	}
	for _, config := range configs {
		connector, err := mysql.NewConnector(config)
		if err != nil {
			return nil, fmt.Errorf("the settings of the mysql URL: %w", err)
		}
		h.all, h.names = append(h.all, connector), append(h.names, config.Addr)
	}
	return h, nil
}

// Driver implements [driver.Connector].
func (h *mysqlHosts) Driver() driver.Driver { return h.all[0].Driver() }

// Connect implements [driver.Connector]. It tries the current host first, and each other host at
// most once. A host that refuses the user or the database has answered: Connect then returns its
// error. If the only hosts that answer are read-only, Connect returns a connection to one of them.
func (h *mysqlHosts) Connect(ctx context.Context) (driver.Conn, error) {
	var readOnly driver.Conn
	var failed error
	for range h.all {
		at := h.moves.Load()
		conn, err := h.try(ctx, at)
		switch {
		case err == nil:
			closeConn(readOnly)
			return conn, nil
		case conn != nil && readOnly == nil:
			readOnly = conn
		default:
			closeConn(conn)
		}
		if failed = joinHostErrors(failed, err); !isHostLost(err) || ctx.Err() != nil {
			break
		}
	}
	if readOnly != nil {
		return readOnly, nil
	}
	return nil, failed
}

// errReadOnlyHost is the error of a host that answers and does not write.
var errReadOnlyHost = errors.New("the server is read-only")

// try connects to the host that is current after a number of moves. If the host is read-only, try
// returns the connection and errReadOnlyHost. If the host is lost, try moves on.
func (h *mysqlHosts) try(ctx context.Context, at uint64) (driver.Conn, error) {
	began := time.Now()
	conn, err := h.open(ctx, int(at%uint64(len(h.all))))
	if isHostLost(err) && (ctx.Err() == nil || time.Since(began) >= impatience) {
		h.lose(at)
	}
	if conn == nil {
		return nil, err
	}
	return &hostConn{conn, h, at}, err
}

// open connects to one host, for at most its share of the time-out. The time-out contains the
// handshake, which the driver does not bound, because a frozen server accepts connections without
// answering.
func (h *mysqlHosts) open(ctx context.Context, host int) (mysqlConn, error) {
	ctx, cancel := h.bound(ctx)
	defer cancel()
	opened, err := h.all[host].Connect(ctx)
	if err == nil && len(h.all) > 1 {
		err = requireWritable(ctx, opened)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("connect: %w", contextError(ctx))
		}
		if len(h.all) > 1 {
			err = fmt.Errorf("%s: %w", h.names[host], err)
		}
	}
	if err != nil && !errors.Is(err, errReadOnlyHost) {
		closeConn(opened)
		return nil, err
	}
	return opened.(mysqlConn), err
}

// bound returns a context that ends after a host's share of the time-out.
func (h *mysqlHosts) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if h.timeout == 0 {
		return ctx, func() {}
	}
	return withTimeout(ctx, h.timeout/time.Duration(len(h.all)))
}

// lose makes the next host the current one, unless that has happened since at.
func (h *mysqlHosts) lose(at uint64) { h.moves.CompareAndSwap(at, at+1) }

// requireWritable returns errReadOnlyHost if the server of a connection is read-only, or the error
// of a server that is not ready for statements. Servers without the variable are writable.
func requireWritable(ctx context.Context, conn driver.Conn) error {
	rows, err := conn.(driver.QueryerContext).QueryContext(ctx, "SELECT @@global.read_only", nil)
	if mysqlError(err).Number == mysqlUnknownVariable {
		return nil
	}
	if err != nil {
		return err
	}
	defer rows.Close()
	value := make([]driver.Value, 1)
	if err := rows.Next(value); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if text, ok := value[0].([]byte); ok {
		value[0] = string(text)
	}
	if value[0] == nil || slices.Contains([]string{"0", "OFF"}, strings.ToUpper(fmt.Sprint(value[0]))) {
		return nil
	}
	return errReadOnlyHost
}

// isHostLost reports whether another host may answer what has failed with err: the host did not
// answer, is not ready, shuts down or is read-only.
func isHostLost(err error) bool {
	if err == nil {
		return false
	}
	number := mysqlError(err).Number
	return number == 0 || isUnready(number)
}

// isUnready reports whether a server refuses all statements, or all that write, with an error code.
func isUnready(number uint16) bool {
	switch number {
	case 1047, // Galera: the node is not part of the cluster, or not synchronised yet
		1053,       // the server shuts down
		1290, 1836: // the server is read-only
		return true
	}
	return false
}

// joinHostErrors returns an error with the texts of both on one line.
func joinHostErrors(first, next error) error {
	if first == nil {
		return next
	}
	return fmt.Errorf("%w; %w", first, next)
}

func closeConn(conn driver.Conn) {
	if conn != nil {
		_ = conn.Close()
	}
}
