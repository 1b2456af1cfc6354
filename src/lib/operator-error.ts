/**
 * An error that the operator can fix: the message says what happened, then what to do. Nothing is left half done. A command
 * prints only the message, and exits with code 1.
 */
export class OperatorError extends Error {
  override name = "OperatorError";
}
