-- Ends a run of wrk with one line of JSON; latencies in microseconds.

function done(summary, latency)
  local wrong = 0
  for _, thread in ipairs(threads or {}) do
    wrong = wrong + (thread:get("wrong") or 0)
  end
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%f,"p50":%d,"p99":%d,"refused":%d,"broken":%d,"unexpected":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout, wrong
  ))
end
