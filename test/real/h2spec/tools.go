//go:build tools

// Package tools pins the program that h2spec.real.ts runs, with all that it is built from.
package tools

import _ "github.com/summerwind/h2spec/cmd/h2spec"
