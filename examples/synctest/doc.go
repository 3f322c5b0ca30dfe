// Package synctest shows how a program that uses memsqs is tested in a bubble
// of [testing/synctest], in which twelve hours pass at once.
//
// All of it is in the test: the consumer that is tested, which in a program
// would be elsewhere, and the tests.
package synctest
