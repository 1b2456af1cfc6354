# The reader has a clone of the repository, and Bun to build it.
ln -s "$ROOT" "$HOME/adoption-store"
ln -s "$BUN" "$BIN/bun"
