/** A backup cannot be taken or restored; the message says what to do. Nothing half-done is left. */
export class BackupRefused extends Error {
  override name = "BackupRefused";
}
