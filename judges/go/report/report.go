// Package report is what the judges in Go share: the environment, the person in the browser, and the report.
package report

import (
	"bufio"
	"fmt"
	"net/url"
	"os"
	"strings"
)

var in = bufio.NewReader(os.Stdin)

// Env is the variable of that name; the judge ends without it.
func Env(name string) string {
	value := os.Getenv(name)
	if value == "" {
		fmt.Fprintln(os.Stderr, "missing "+name)
		os.Exit(2)
	}
	return value
}

// LogIn gives the query with which the browser comes back.
func LogIn(address string) url.Values {
	fmt.Println("AUTHORIZE " + address)
	line, _ := in.ReadString('\n')
	back, err := url.Parse(strings.TrimSpace(line))
	Step("callback", err)
	return back.Query()
}

// Step reports one step and ends the judge with the first that failed.
func Step(name string, err error) {
	if err == nil {
		fmt.Println("STEP " + name + " ok")
		return
	}
	fmt.Println("STEP " + name + " failed " + strings.ReplaceAll(err.Error(), "\n", " "))
	os.Exit(0)
}
