/**
 * An error that the operator can fix: the message describes the problem, then the remedy. Nothing is left half done. A
 * command prints only the message, and exits with code 1.
 */
export class OperatorError extends Error {
  override name = "OperatorError";
}
