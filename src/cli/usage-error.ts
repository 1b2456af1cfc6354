/** A command was called incorrectly. The message shows the correct usage. The exit code is 2. */
export class UsageError extends Error {
  override name = "UsageError";
}
