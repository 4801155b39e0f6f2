package dataflow

import "time"

// Hurry shortens the pauses of a client for tests.
func (c *Client) Hurry() *Client {
	c.pace = pace{
		retryFirst: time.Millisecond, retryLongest: 5 * time.Millisecond, retryFor: 3 * time.Second,
		pollFirst: time.Millisecond, pollLongest: 20 * time.Millisecond, cancelFor: 20 * time.Second,
	}
	return c
}

// Patient gives the service the time of a busy machine.
func (c *Client) Patient() *Client {
	c.pace.retryFor = time.Minute
	return c
}

// CheckBuild is checkBuild.
var CheckBuild = checkBuild

// Impatient gives a cancelled job so much time to end.
func (c *Client) Impatient(cancelFor time.Duration) *Client {
	c.pace.cancelFor = cancelFor
	return c
}
