// Package unset takes options of a platform back. learning.New refuses an option whose argument
// is nil, so a list of options that begins with those of others could not leave a provider out.
package unset

// Options returns a learning.Option that takes the options of the given names, such as "WithAI",
// back. Package learning sets it. It panics if a name is unknown.
var Options func(names ...string) any
