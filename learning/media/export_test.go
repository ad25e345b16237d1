package media

import "syscall"

// WithoutLinks makes a disk behave as on a file system without hard links.
func WithoutLinks() Option {
	return func(d *Disk) { d.link = func(string, string) error { return syscall.EPERM } }
}
