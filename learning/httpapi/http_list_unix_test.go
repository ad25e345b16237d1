//go:build unix

package httpapi_test

import "syscall"

func smallReceiveBuffer(_, _ string, c syscall.RawConn) error {
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4<<10)
	})
	if err != nil {
		return err
	}
	return failed
}
