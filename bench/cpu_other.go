//go:build !unix

package main

import "time"

// cpuTime returns 0: the CPU time of the program is not known.
func cpuTime() time.Duration { return 0 }
