. "$ROOT/test/real/manual/lib.sh"
# Nothing has been created at the provider yet.
zone example.org </dev/null
name_server
