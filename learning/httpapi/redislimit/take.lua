-- Takes a token of a fixed window. Windows follow each other from the first use of the key on, as
-- in memory. KEYS[1] is the key, ARGV[1] the window in microseconds, ARGV[2] the requests in it.
-- Returns whether a token was left, how many are left, and the microseconds until the window ends.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local window, limit = tonumber(ARGV[1]), tonumber(ARGV[2])

local row = redis.call('HMGET', KEYS[1], 'start', 'tick', 'used')
local start, tick, used = tonumber(row[1]) or now, tonumber(row[2]) or 0, tonumber(row[3]) or 0
if now < start then -- the clock was set back
	start, tick = now, 0
end
local current = math.floor((now - start) / window)
if current > tick then
	used = 0
end

local ok = 0
if used < limit then
	ok, used = 1, used + 1
end
redis.call('HSET', KEYS[1], 'start', start, 'tick', current, 'used', used)
-- A key that is not used in the next window is forgotten.
redis.call('PEXPIRE', KEYS[1], math.ceil((start + (current + 2) * window - now) / 1000))
return {ok, math.max(limit - used, 0), start + (current + 1) * window - now}
