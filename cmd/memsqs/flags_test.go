package main

import (
	"flag"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	c, err := parse(nil)
	require.NoError(t, err)
	require.Equal(t, &config{
		addr:     "127.0.0.1:9324",
		region:   "us-east-1",
		account:  "000000000000",
		logLevel: slog.LevelWarn,
	}, c)

	c, err = parse([]string{
		"-addr", ":0", "-region", "eu-central-1", "-account", "123456789012", "-queue", "a", "-queue", "b.fifo",
		"-config", "queues.json", "-verify", "keys.json", "-manual-clock", "-control", "-relaxed", "-log-level", "debug",
	})
	require.NoError(t, err)
	require.Equal(t, &config{
		addr:        ":0",
		region:      "eu-central-1",
		account:     "123456789012",
		queues:      []string{"a", "b.fifo"},
		configFile:  "queues.json",
		verifyFile:  "keys.json",
		manualClock: true,
		control:     true,
		relaxed:     true,
		logLevel:    slog.LevelDebug,
	}, c)
}

// An error of the command line names what is wrong and what is accepted.
func TestBadCommandLine(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"orders"}, `unexpected argument "orders"; every option is a flag, as in -queue orders`},
		{[]string{"-frob"}, "flag provided but not defined: -frob"},
		{[]string{"-queue"}, "flag needs an argument: -queue"},
		{[]string{"-addr", "9324"}, `invalid value "9324" for flag -addr: it must be a host and a port, as 127.0.0.1:9324; port 0 is any free one`},
		{[]string{"-region", "Paris"}, `invalid value "Paris" for flag -region: it must be lower-case letters, digits and hyphens, as us-east-1`},
		{[]string{"-region", ""}, `invalid value "" for flag -region: it must be lower-case letters, digits and hyphens, as us-east-1`},
		{[]string{"-account", "1234"}, `invalid value "1234" for flag -account: it must be 12 digits`},
		{[]string{"-log-level", "loud"}, `invalid value "loud" for flag -log-level: it must be debug, info, warn or error`},
	} {
		status, stdout, stderr := outcome(t, tt.args...)
		require.Equal(t, 2, status)
		require.Empty(t, stdout)
		require.Equal(t, "memsqs: "+tt.want+"\nmemsqs -h prints the manual\n", stderr)
	}
}

// The manual has all flags, and no others.
func TestManualHasAllFlags(t *testing.T) {
	var flags, documented []string
	new(config).flags().VisitAll(func(f *flag.Flag) { flags = append(flags, f.Name) })
	for _, m := range regexp.MustCompile(`(?m)^    -([a-z-]+)( [A-Z:]+)?$`).FindAllStringSubmatch(manual, -1) {
		documented = append(documented, m[1])
	}
	require.ElementsMatch(t, flags, documented)
}

// The manual has all attributes that errors say are accepted.
func TestManualHasAllAttributes(t *testing.T) {
	for name := range accepted {
		require.True(t, strings.Contains(manual, name), name)
	}
}
