// Package contracttest runs the contract cases of testdata/contract, for the tests of package
// httpapi and for learningtest.Contract. It has the rows, users and orders with which every
// case begins (the fixture), the preconditions that a case may name, and the comparison of
// answers and changes.
package contracttest
