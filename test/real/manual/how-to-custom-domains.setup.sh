. "$ROOT/test/real/manual/lib.sh"
# The operator has created the wildcard. Nothing has been created at the provider of the domain yet.
printf '*.cname.sites A 127.0.0.1\n' | zone example.org
name_server
