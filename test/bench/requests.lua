-- Sends the requests of a file in turn, one a line: METHOD path [body]. A # in a body becomes a number never sent before.
-- Arguments: the file, and the only right status (0: any 2xx).

dofile("report.lua")

threads = {}
function setup(thread)
  table.insert(threads, thread)
end

wrong = 0
local requests = {}
local sent = 0
local started = os.time()

local function prepared(line)
  local method, path, body = line:match("^(%S+) (%S+) ?(.*)$")
  if body == "" then
    local request = wrk.format(method, path)
    return function() return request end
  end
  local headers = { ["Content-Type"] = "application/json" }
  for name, value in pairs(wrk.headers) do headers[name] = value end
  return function()
    local unique = body:gsub("#", string.format("%d-%d", started, sent))
    return wrk.format(method, path, headers, unique)
  end
end

function init(args)
  for line in io.lines(args[1]) do table.insert(requests, prepared(line)) end
  local expected = tonumber(args[2])
  if expected > 0 then
    response = function(status)
      if status ~= expected then wrong = wrong + 1 end
    end
  end
end

function request()
  sent = sent + 1
  return requests[(sent - 1) % #requests + 1]()
end
