package openlectern

import "embed"

// ContractCases has the contract cases, testdata/contract/<route id>.http, for
// learningtest.Contract. Only tests import this package, so programs do not contain them.
//
//go:embed testdata/contract/*.http
var ContractCases embed.FS
