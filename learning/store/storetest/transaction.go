package storetest

var transactionTests, concurrencyTests []test
