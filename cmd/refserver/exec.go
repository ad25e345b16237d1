package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Exit codes of the exec command for failures of its own, as of env(1) and nohup(1).
const (
	execFailed   exitCode = 125 // the server did not start, or ended before the command
	execNotRun   exitCode = 126 // the command cannot be run
	execNotFound exitCode = 127 // there is no such command
	execSignal   exitCode = 128 // added to the number of the signal that ended the command
)

type execCommand struct {
	Empty   bool     `help:"Start with three users and no courses, instead of the demo."`
	Log     string   `placeholder:"FILE" help:"Append the log to a file; - is standard error."`
	Command []string `arg:"" name:"command" help:"The command and its arguments, after --."`
}

// execSettings lists the flags of the settings that exec uses. It chooses the others.
var execSettings = []string{"env", "frontend-origin", "currency", "fonts", "ai-budget",
	"certificate-name", "certificate-logo", "certificate-accent"}

// Run runs the command with a fresh server, whose addresses and tokens are in the
// command's environment. The error is an exitCode if the command has ended.
func (c *execCommand) Run(ctx context.Context, p *program, line *kong.Context) error {
	code, err := c.run(ctx, p, line)
	if err != nil {
		fmt.Fprintln(p.stderr, "refserver exec:", err)
	}
	if code != 0 {
		return code
	}
	return nil
}

// run runs the command with a fresh server. code is what the process exits with: that of the
// command, or one of the constants above, with the error that is printed. A signal has no error.
func (c *execCommand) run(ctx context.Context, p *program,
	line *kong.Context) (code exitCode, err error) {
	if err := checkExecFlags(line); err != nil {
		return execFailed, err
	}
	// Find the command before a server is started for it. The codes are those of a shell.
	path, err := exec.LookPath(c.Command[0])
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return execNotFound, err
	case err != nil:
		return execNotRun, err
	}
	// From here on signals go to the command.
	child := newChild(path, c.Command, p.stdout, p.stderr)
	defer child.close()
	code, err = c.serve(ctx, p, child)
	var signal signalError
	// A signal before the start ends like that of a shell; afterwards the command's own code
	// counts.
	switch {
	case errors.As(context.Cause(ctx), &signal) && !child.started():
		return execSignal + exitCode(signal), nil
	case err != nil:
		return cmp.Or(code, execFailed), err // 0 would mean success
	}
	return code, nil
}

// checkExecFlags returns an error if the command line has the flag of a setting that exec
// chooses itself, such as --database.
func checkExecFlags(line *kong.Context) error {
	for _, part := range line.Path {
		flag := part.Flag
		isGiven := flag != nil && !part.Resolved // a resolved one is from the environment
		// Settings have a group, the flags of exec have none.
		if isGiven && (flag.Name == "sandbox-addr" ||
			flag.Group != nil && !slices.Contains(execSettings, flag.Name)) {
			return fmt.Errorf("--%s cannot be set: exec starts a fresh server and sandbox on "+
				"free ports", flag.Name)
		}
	}
	return nil
}

// serve starts a server with temporary files, runs the command, stops the server, and
// removes the files. code is that of the command, or 0 if an error came before it. An error may
// also come after the command, with its code.
func (c *execCommand) serve(ctx context.Context, p *program,
	child *child) (code exitCode, err error) {
	dir, err := os.MkdirTemp("", "refserver-exec-")
	if err != nil {
		return 0, fmt.Errorf("create a temporary folder: %w", err)
	}
	// The cleaner is a process of its own, so that the folder is removed also if this one is
	// killed.
	cleaner, err := startCleaner(dir)
	if err != nil {
		return 0, errors.Join(err, os.RemoveAll(dir))
	}
	defer func() { err = errors.Join(err, cleaner.close()) }()
	// Turn the settings into those of a fresh server, and its log to where the flag says.
	if err := p.useFolder(dir); err != nil {
		return 0, err
	}
	closeLog, err := c.openLog(p)
	if err != nil {
		return 0, err
	}
	defer func() { _ = closeLog() }() // a log that is not complete is no failure of the command
	// The cleaner goes along, because it is told which processes to end once the command runs.
	return c.serveCommand(ctx, p, child, cleaner)
}

// useFolder changes the settings to those of a fresh server whose files are in dir. The others are
// empty and not at their defaults, so that there is no storefront and no real provider.
func (p *program) useFolder(dir string) error {
	if p.production() {
		return fmt.Errorf("%s is %q: exec is for development", variable("env"), p.Env)
	}
	p.Settings = Settings{
		Env: p.Env, FrontendOrigin: p.FrontendOrigin, Currency: p.Currency, Fonts: p.Fonts,
		Certificate: p.Certificate,
		AI:          AISettings{Budget: p.AI.Budget},
		Addr:        "127.0.0.1:0", Database: "sqlite:" + filepath.Join(dir, "learning.db"),
		Media: filepath.Join(dir, "media"),
	}
	p.sandboxAddr = "127.0.0.1:0"
	p.drainTime = 0 // after the command has ended, no client waits for an answer
	return p.check(serverChecks...)
}

// openLog sets the log of the server to what the flag says: a file, standard error, or none. A log
// that is asked for has all lines. The caller must call closeLog.
func (c *execCommand) openLog(p *program) (closeLog func() error, err error) {
	switch c.Log {
	case "":
		p.log = newLogger(io.Discard, false, nil)
		return func() error { return nil }, nil
	case "-": // where p.log writes already
		p.level.Set(slog.LevelDebug)
		return func() error { return nil }, nil
	}
	file, err := os.OpenFile(c.Log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	p.log = newLogger(file, false, slog.LevelDebug)
	return file.Close, nil
}

// serveCommand serves until the command has ended, and returns the code of the command. ctx cancels
// the start only, because the command receives the signals and decides what they mean.
func (c *execCommand) serveCommand(ctx context.Context, p *program, child *child,
	cleaner *cleaner) (code exitCode, err error) {
	st, err := p.migratedStore(ctx)
	if err != nil {
		return 0, err
	}
	defer st.Close()
	// The server must outlive ctx: it serves the command until that ends.
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var failed error
	// Run the command while the server serves. The end of either one stops the other.
	// serveDevelopment waits for the function, so code and failed have their last values then.
	err = p.serveDevelopment(serving, st, func(h *devServer, serving context.Context) {
		defer stop()
		var environment []string
		if environment, failed = c.prepare(ctx, h); failed == nil {
			code, failed = child.run(serving, environment, cleaner)
		}
	})
	return code, errors.Join(failed, err)
}

// prepare creates the users, and the demo unless the flag leaves it out, and returns the
// environment of the command.
func (c *execCommand) prepare(ctx context.Context, h *devServer) ([]string, error) {
	var err error
	if c.Empty {
		err = h.createSandboxUsers(ctx, demoUsers)
	} else {
		err = h.prepare(ctx)
	}
	if err != nil {
		return nil, err
	}
	// Sign in as one user of each role. No provider is configured, so there is a sandbox.
	people, err := h.signIn()
	if err != nil {
		return nil, err
	}
	// Tell the command where the server is, and the tokens.
	environment := append(os.Environ(), "LEARNING_URL="+h.url,
		"LEARNING_SANDBOX_URL="+h.box.Config().URL,
		variable("frontend-origin")+"="+h.frontEnd())
	for _, p := range people {
		environment = append(environment, "LEARNING_"+strings.ToUpper(p.Role)+"_TOKEN="+p.Token)
	}
	return environment, nil
}
