// Command refserver is the reference server of Open Lectern: the library, wired
// from flags and the environment.
//
//	refserver                      serve; with nothing set, a whole platform for development
//	refserver migrate              bring the tables of the database up to date
//	refserver import FILE          bring a catalogue into the database
//	refserver token USER           print a session token (development)
//	refserver trigger EVENT        send a signed webhook to the running server (development)
//	refserver reconcile            complete what was paid and not noticed
//	refserver admin USER_ID        make somebody an administrator
//	refserver revoke ID            take a certificate back
//	refserver version              say which version this is
//
// It owns the settings, the sandbox of a developer's machine and the life of the
// process. It refuses rules: what a course costs and who may do what is decided
// in package learning, and what a request looks like in package httpapi. In
// production it refuses to begin with a setting that is missing or cannot be
// right, and it never starts the sandbox there.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

func main() {
	os.Exit(run(untilSignal(), os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// untilSignal is done at the first signal; from then on a second one ends the process
// at once.
func untilSignal() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		signal.Stop(signals) // before anybody sees that ctx is done
		cancel()
	}()
	return ctx
}

// commandLine is everything that can be said on the command line.
type commandLine struct {
	Settings    `embed:"" group:"settings"`
	SandboxAddr string `default:"${sandbox}" placeholder:"ADDR" help:"Where the sandbox listens, in development."`

	Serve     serveCommand     `cmd:"" default:"withargs" help:"Serve the API; this is what happens without a command."`
	Migrate   migrateCommand   `cmd:"" help:"Bring the tables of the database up to date."`
	Import    importCommand    `cmd:"" help:"Bring a catalogue into the database. Repeating it is harmless."`
	Token     tokenCommand     `cmd:"" help:"Print a session token of a sandbox user (development)."`
	Trigger   triggerCommand   `cmd:"" help:"Send a signed webhook to the running server (development)."`
	Reconcile reconcileCommand `cmd:"" help:"Ask the gateway about unpaid orders, and complete what was paid."`
	Admin     adminCommand     `cmd:"" help:"Make somebody an administrator, at the identity provider and here."`
	Revoke    revokeCommand    `cmd:"" help:"Take a certificate back. Whoever verifies it is told so, and why."`
	Version   versionCommand   `cmd:"" help:"Say which version this is."`
}

// program is what every command runs with.
type program struct {
	Settings
	sandboxAddr string

	drainTime  time.Duration // how long requests may finish when the server stops
	cancelTime time.Duration // how long they may take to end after they were cancelled
	closeTime  time.Duration // and after their connections were closed

	stdout, stderr io.Writer
	log            *slog.Logger
}

// exitCode is what the parser panics with when it has answered by itself, as to --help.
type exitCode int

// run is the whole program: it returns the exit code. Of the environment it reads
// what getenv gives for the settings; an empty value is none.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) (code int) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case exitCode:
			code = int(v)
		default:
			panic(v)
		}
	}()
	var line commandLine
	parser, err := newParser(&line, getenv, kong.Writers(stdout, stderr), kong.Exit(func(n int) { panic(exitCode(n)) }))
	if err != nil {
		fmt.Fprintln(stderr, "refserver:", err)
		return 2
	}
	command, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "refserver: %v; see refserver --help\n", err)
		return 2
	}
	p := &program{Settings: line.Settings, sandboxAddr: line.SandboxAddr, drainTime: drainTime, cancelTime: cancelTime, closeTime: closeTime, stdout: stdout, stderr: stderr}
	p.log = newLogger(stderr, p.production())
	command.BindTo(ctx, (*context.Context)(nil))
	if err := command.Run(p); err != nil {
		fmt.Fprintln(stderr, "refserver:", err)
		return 1
	}
	return 0
}

func newParser(line *commandLine, getenv func(string) string, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(line, append(options,
		kong.Name("refserver"),
		kong.Description("The reference server of Open Lectern, a learning platform. With nothing set it is a whole platform for development."),
		kong.ExplicitGroups([]kong.Group{{Key: settingsGroup, Title: "Settings (each also from the environment variable in brackets, which a flag overrides):"}}),
		kong.Vars{"sandbox": "127.0.0.1:3001"},
		kong.Resolvers(fromEnvironment(getenv)),
		kong.ValueFormatter(helpWithVariable),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)...)
}
