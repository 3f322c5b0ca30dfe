//go:build unix

package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// execute starts the program itself, as build has built it.
func execute(t *testing.T, program string) (*command, *exec.Cmd) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, "-addr", "127.0.0.1:0", "-control", "-queue", "q")
	cmd.Stderr = t.Output()
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	c := new(command)
	c.read(t, stdout)
	return c, cmd
}

func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "memsqs")
	out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

func TestSignals(t *testing.T) {
	program := build(t)
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(signal.String()+" drains", func(t *testing.T) {
			c, cmd := execute(t, program)
			polled := c.poll(t)
			require.NoError(t, cmd.Process.Signal(signal))
			require.Equal(t, empty, <-polled)
			require.NoError(t, cmd.Wait()) // the exit status is 0
		})
	}

	t.Run("a second one ends it at once", func(t *testing.T) {
		c, cmd := execute(t, program)
		// This request is under way and never finished, so the first signal does not
		// end the program before its patience does, with status 1.
		conn, err := net.Dial("tcp", strings.TrimPrefix(c.endpoint, "http://"))
		require.NoError(t, err)
		defer conn.Close()
		_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
		require.NoError(t, err)
		_, err = io.ReadFull(conn, make([]byte, len("HTTP/1.1 100 Continue")))
		require.NoError(t, err)

		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for len(ended) == 0 {
			cmd.Process.Signal(syscall.SIGTERM)
		}
		require.Error(t, <-ended)
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		require.True(t, status.Signaled(), cmd.ProcessState.String())
	})
}
