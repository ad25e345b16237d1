//go:build !unix

package httpapi_test

import "syscall"

func smallReceiveBuffer(string, string, syscall.RawConn) error { return nil }
