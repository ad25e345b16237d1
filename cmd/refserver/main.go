// Command refserver is the reference server of Open Lectern: the library, wired
// from flags and the environment.
//
//	refserver                      serve; without settings, a complete platform for development
//	refserver migrate              migrate the database, or --print the SQL
//	refserver import FILE          import a catalogue into the database
//	refserver token USER           print a session token (development)
//	refserver trigger EVENT        send a signed webhook to the running server (development)
//	refserver reconcile            complete paid purchases that were never reported
//	refserver admin USER_ID        make a user an administrator
//	refserver revoke ID            revoke a certificate
//	refserver export USER_ID       write everything that is stored about a user
//	refserver package export ID F  write a course as a package, a zip
//	refserver package import FILE  import a package as a draft of an educator
//	refserver people import FILE   import people and their history
//	refserver events list          list events; show ID, redeliver ID... or --failed
//	refserver health               ask the running server whether it is ready
//	refserver exec -- COMMAND      run a command with a fresh server and sandbox
//	refserver version              print the version
//
// The command contains the settings, the sandbox for development and the start and
// stop of the process. It contains no rules: package learning decides what a course
// costs and who may do what, and package httpapi what a request looks like. In
// production the command does not start with a missing or unusable setting, and it
// never starts the sandbox.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/openlectern/openlectern/cmd/refserver/tracing"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/metrics"
)

func main() {
	os.Exit(run(untilSignal(), os.Args[1:], processEnvironment(), os.Stdout, os.Stderr))
}

// untilSignal returns a context that is done at the first SIGINT or SIGTERM. Its cancellation cause
// is that signal, as a signalError. A second signal ends the process at once.
func untilSignal() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		s := <-signals
		signal.Stop(signals) // before ctx is done, so that a second signal has its default effect

		number, _ := s.(syscall.Signal) // which os.Interrupt is too
		cancel(signalError(number))
	}()
	return ctx
}

// signalError is the cancellation cause of a program that was told to end.
type signalError syscall.Signal

// Error returns the name of the signal.
func (s signalError) Error() string { return syscall.Signal(s).String() }

// commandLine holds all flags and commands.
type commandLine struct {
	Settings    `embed:"" group:"settings"`
	SandboxAddr string `default:"${sandbox}" placeholder:"ADDR" help:"Where the sandbox listens."`

	Serve     serveCommand     `cmd:"" default:"withargs" help:"Serve the API (the default)."`
	Migrate   migrateCommand   `cmd:"" help:"Migrate the database to this version."`
	Import    importCommand    `cmd:"" help:"Import a catalogue; repeating it is safe."`
	Token     tokenCommand     `cmd:"" help:"Print a session token (development)."`
	Trigger   triggerCommand   `cmd:"" help:"Send a signed webhook (development)."`
	Reconcile reconcileCommand `cmd:"" help:"Complete paid purchases that were never reported."`
	Admin     adminCommand     `cmd:"" help:"Make a user an administrator."`
	Revoke    revokeCommand    `cmd:"" help:"Revoke a certificate."`
	Export    exportCommand    `cmd:"" help:"Write what is stored about a user, as JSON."`
	Package   packageCommand   `cmd:"" help:"Export a course as a package, or import one."`
	People    peopleCommand    `cmd:"" help:"Import people and their history."`
	Events    eventsCommand    `cmd:"" help:"List events, show one, deliver failed ones again."`
	Health    healthCommand    `cmd:"" help:"Ask the running server whether it is ready."`
	Exec      execCommand      `cmd:"" help:"Run a command with a fresh server and sandbox."`
	Clean     cleanCommand     `cmd:"" hidden:""`
	Version   versionCommand   `cmd:"" help:"Print the version."`
}

// The defaults of the addresses of the server and of the sandbox.
const (
	defaultAddr        = ":3000"
	defaultSandboxAddr = "127.0.0.1:3001"
)

// program holds the settings, outputs and logger of a command.
type program struct {
	Settings
	name        string // how the program is called in a shell, for hints
	sandboxAddr string
	getenv      func(string) string

	level slog.LevelVar // of log

	drainTime  time.Duration // how long running requests may take to finish when the server stops
	cancelTime time.Duration // how long they may take to return after they were cancelled
	closeTime  time.Duration // and after their connections were closed

	// Of a server; nil if they are switched off.
	observer core.Observer
	metrics  *metrics.Metrics
	tracing  *tracing.Tracing

	tracesFailed failures // to send traces

	draining atomic.Bool // whether the server stops

	stdout, stderr io.Writer
	log            *slog.Logger
}

// exitCode is the panic value of the parser after it has printed its own output, such
// as that of --help, and the error of a command that has printed its errors.
type exitCode int

// Error returns the number.
func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// run runs the command in args and returns the exit code: 0, 1 if the command fails, 2 for a
// command line that cannot be parsed, or the [exitCode] of the parser or the command. An empty
// variable of env counts as unset.
func run(ctx context.Context, args []string, env environment, stdout, stderr io.Writer) (code int) {
	// The parser exits by a panic, which carries the code.
	defer func() {
		switch v := recover().(type) {
		case nil:
		case exitCode:
			code = int(v)
		default:
			panic(v)
		}
	}()
	// Parse the command line and the environment. In hints the program has the name by which a
	// shell can start it again, such as "go run ./cmd/refserver".
	var line commandLine
	name := programName(os.Args[0])
	parser, err := newParser(&line, env, kong.Name(name), kong.Writers(stdout, stderr),
		kong.Exit(func(n int) { panic(exitCode(n)) }))
	if err != nil {
		fmt.Fprintln(stderr, "refserver:", err)
		return 2
	}
	command, err := parser.Parse(withHelp(args)) // which also understands "help COMMAND"
	if err != nil {
		fmt.Fprintf(stderr, "refserver: %v; see %s --help\n", err, commandOf(err, name))
		return 2
	}
	// Set up the log, and warn of misspelt settings, before the command can fail.
	p := &program{
		Settings: line.Settings, name: name, sandboxAddr: line.SandboxAddr, getenv: env.get,
		drainTime: drainTime, cancelTime: cancelTime, closeTime: closeTime,
		stdout: stdout, stderr: stderr,
	}
	p.level.Set(p.logLevel())
	p.log = newLogger(stderr, p.production(), &p.level)
	p.warnOfUnknown(env, parser.Model.Flags)
	// Run the command. The parser passes arguments to its Run by their types, so ctx is bound as
	// the interface, which is not its own type. An exitCode means that Run has printed the errors.
	command.BindTo(ctx, (*context.Context)(nil))
	err = command.Run(p)
	if code, ok := errors.AsType[exitCode](err); ok {
		return int(code)
	}
	if err != nil {
		fmt.Fprintln(stderr, "refserver:", err)
		return 1
	}
	return 0
}

// newParser returns a parser that fills line from flags and the environment. The options come last,
// so that they replace those that are set here, such as the name.
func newParser(line *commandLine, env environment, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(line, append([]kong.Option{
		kong.Name("refserver"),
		kong.Description(
			"The reference server of Open Lectern, a learning platform. Without settings it is a " +
				"complete platform for development."),
		kong.ExplicitGroups([]kong.Group{{Key: settingsGroup,
			Title: "Settings (each also from the environment variable in brackets, which a flag " +
				"overrides):"}}),
		kong.Vars{"sandbox": defaultSandboxAddr, "addr": defaultAddr},
		kong.Resolvers(line.Settings.fromEnvironment(env)),
		kong.ValueFormatter(helpWithVariable),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Help(printHelp),
	}, options...)...)
}
