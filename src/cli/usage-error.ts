/** A command was called incorrectly; the message says how to call it. The exit code is 2. */
export class UsageError extends Error {
  override name = "UsageError";
}
