package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"regexp"

	"github.com/memsqs/memsqs/internal/api"
)

// A config is what the command line says.
type config struct {
	addr        string
	region      string
	account     string
	queues      []string // names
	configFile  string   // of queues, or ""
	verifyFile  string   // of access keys, or ""
	manualClock bool
	control     bool
	relaxed     bool
	logLevel    slog.Level
}

// isRegion reports whether a region can have the name s: that of a host can.
var isRegion = regexp.MustCompile(`^[a-z0-9-]{1,63}$`).MatchString

// parse reads the command line.
func parse(args []string) (*config, error) {
	c := &config{
		addr:     "127.0.0.1:9324",
		region:   "us-east-1",
		account:  "000000000000",
		logLevel: slog.LevelWarn,
	}
	flags := c.flags()
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q; every option is a flag, as in -queue %[1]s", flags.Arg(0))
	}
	return c, nil
}

// flags returns the flags that set c. What they do is said in the manual.
func (c *config) flags() *flag.FlagSet {
	flags := flag.NewFlagSet("memsqs", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // run prints the error
	flags.Func("addr", "", func(s string) error {
		c.addr = s
		_, _, err := net.SplitHostPort(s)
		if err != nil {
			return errors.New("it must be a host and a port, as 127.0.0.1:9324; port 0 is any free one")
		}
		return nil
	})
	flags.Func("region", "", func(s string) error {
		c.region = s
		return must(isRegion(s), "it must be lower-case letters, digits and hyphens, as us-east-1")
	})
	flags.Func("account", "", func(s string) error {
		c.account = s
		return must(api.IsAccount(s), "it must be 12 digits")
	})
	flags.Func("queue", "", func(s string) error {
		c.queues = append(c.queues, s)
		return nil
	})
	flags.Func("log-level", "", func(s string) error {
		level, ok := logLevels[s]
		c.logLevel = level
		return must(ok, "it must be debug, info, warn or error")
	})
	flags.StringVar(&c.configFile, "config", "", "")
	flags.StringVar(&c.verifyFile, "verify", "", "")
	flags.BoolVar(&c.manualClock, "manual-clock", false, "")
	flags.BoolVar(&c.control, "control", false, "")
	flags.BoolVar(&c.relaxed, "relaxed", false, "")
	return flags
}

var logLevels = map[string]slog.Level{
	"debug": slog.LevelDebug,
	"info":  slog.LevelInfo,
	"warn":  slog.LevelWarn,
	"error": slog.LevelError,
}

// must returns an error that says what must be, unless it is.
func must(ok bool, what string) error {
	if ok {
		return nil
	}
	return errors.New(what)
}
