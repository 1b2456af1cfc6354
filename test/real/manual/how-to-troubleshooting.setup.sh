. "$ROOT/test/real/manual/lib.sh"
# The reader has a store, and no server is running.
"$BIN/adoption-store" serve --port 3999 >"$NOTES/server.log" 2>&1 &
server=$!
wait_for curl --silent --fail http://localhost:3999/readyz
kill "$server"
wait "$server"
