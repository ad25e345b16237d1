package mysql

import (
	"fmt"
	"testing"
)

func TestConfig_ContainsTheURL(t *testing.T) {
	c, err := Config(
		"mysql://u%40x:p%2F%3A%3F%23@db.example.com/na-me?tls=skip-verify&timeout=1s&readTimeout=2s&writeTimeout=3s")
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintln(c.User, c.Passwd, c.Net, c.Addr, c.DBName, c.TLSConfig, c.Timeout,
		c.ReadTimeout, c.WriteTimeout)
	if want := fmt.Sprintln("u@x p/:?# tcp db.example.com:3306 na-me skip-verify 1s 2s 3s"); got !=
		want {
		t.Errorf("got %s, want %s", got, want)
	}
	if c, err = Config("mysql://u@[::1]:3307/db"); err != nil || c.Addr != "[::1]:3307" {
		t.Errorf("the address is %v (%v)", c, err)
	}
	if c, err = Config("mysql://u:p,q@a/db"); err != nil || c.Passwd != "p,q" {
		t.Errorf("a comma in the password: %v (%v)", c, err)
	}
}
