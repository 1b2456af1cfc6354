/**
 * Something that the operator can put right: the message says what happened, then what to do. Nothing is left half done. A
 * command prints the message alone, and ends with exit code 1.
 */
export class OperatorError extends Error {
  override name = "OperatorError";
}
