. "$ROOT/test/real/manual/lib.sh"
# A live site elsewhere, and nothing else.
zone example.org <<'ZONE'
old A 203.0.113.7
ZONE
name_server
