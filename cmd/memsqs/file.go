package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
)

// readJSON reads a file whose JSON is a value of v's type: objects and strings.
func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	err = json.Unmarshal(text, v)
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%s:%d: %w", path, line(text, syntax.Offset), err)
	case errors.As(err, &mismatch):
		want := "an object"
		if mismatch.Type.Kind() == reflect.String {
			want = "a string"
		}
		return fmt.Errorf("%s:%d: %s where there must be %s", path, line(text, mismatch.Offset), mismatch.Value, want)
	}
	return err
}

// line returns the number of the line that the byte before offset is on.
func line(text []byte, offset int64) int {
	return bytes.Count(text[:max(0, offset-1)], []byte("\n")) + 1
}

// readKeys reads a file of secret access keys by access key id.
func readKeys(path string) (map[string]string, error) {
	var keys map[string]string
	if err := readJSON(path, &keys); err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf(`%s: there are no access keys; it must be an object as {"KEY ID": "SECRET"}`, path)
	}
	return keys, nil
}
