import {
  DatabaseLocked,
  EngineFull,
  EngineUnavailable,
  OutcomeUnknown,
  RecordTooLarge,
  ReplicaUnserved,
  isDamage,
  isStorageFailure,
} from "./storage-errors.ts";
import { type FieldProblem, invalidFields } from "./field-problems.ts";
import { isOutOfFiles } from "./files.ts";

/** Every error code of the service, with its HTTP status and its default message. */
export const FAULTS = {
  invalid_request: [400, "The request is not valid."],
  invalid_cursor: [
    400,
    "cursor: is not a cursor of this list, or the filter has changed; start at the first page.",
  ],
  missing_api_key: [401, "An API key is required: send the header Authorization: Bearer <API_KEY>."],
  invalid_api_key: [401, "The API key is malformed, unknown, expired or revoked."],
  not_signed_in: [401, "You are not signed in, or your session has ended: sign in at /console."],
  https_required: [
    403,
    "The API and the console are served over HTTPS only: use https://. If you sent an API key, rotate it: others may have read it.",
  ],
  cross_site_request: [403, "Only the console's own page may send this request: reload it."],
  insufficient_scope: [403, "The API key lacks the scope that this operation requires."],
  not_found: [404, "The requested resource could not be found."],
  method_not_allowed: [405, "This path does not support this method; see the Allow header."],
  request_timeout: [
    408,
    "The request body did not arrive in time. Send the request again, over a faster connection if possible.",
  ],
  payload_too_large: [413, "The request body is too large."],
  unsupported_media_type: [415, "The request body must be sent as Content-Type: application/json."],
  plan_required: [
    402,
    "Custom domains require the plan pro or above: first change the plan, in the project's settings in the console, or with PATCH /platform/projects/{slug}.",
  ],
  pet_in_order: [409, "An open order holds the animal: complete or cancel it first."],
  key_revoked: [409, "The API key is revoked: create a new one."],
  key_expired: [409, "The API key has expired: create a new one."],
  last_admin_key: [
    409,
    "Without this key, no key or administrator could grant all of its scopes. Create a key with the same scopes first, or revoke this one with ?force=true.",
  ],
  email_taken: [409, "Another person has this email address."],
  last_administrator: [
    409,
    "No other administrator or key can grant all scopes. Make another person an administrator and let them sign in, or create a key with the scope * that never expires.",
  ],
  last_passkey: [409, "You have no other way to sign in: add another passkey first."],
  passkey_limit_reached: [409, "You have as many passkeys as a person can have: remove one first."],
  invalid_invitation: [
    410,
    "This invitation has been used, replaced or withdrawn, or it has expired: ask for a new one.",
  ],
  passkey_refused: [
    401,
    "This passkey is not accepted: it is unknown here, or it took too long. Try again, or use another way to sign in.",
  ],
  precondition_failed: [
    412,
    "The resource is no longer the one that If-Match names: fetch it again, then decide.",
  ],
  slug_taken: [409, "Another project already uses this slug; choose another."],
  no_successful_deploy: [409, "The project has no successful deploy yet: deploy it first."],
  domain_taken: [
    409,
    "Another project holds this domain, and the DNS names that project too: remove its value from the TXT record, then verify again.",
  ],
  domain_limit_reached: [409, "The project has reached its limit of domains: remove one first."],
  idempotency_in_flight: [
    409,
    "The first request with this Idempotency-Key is still in progress: try again.",
  ],
  idempotency_mismatch: [
    422,
    "A different request was sent with this Idempotency-Key: use a new key for each request, and the same key only to retry it.",
  ],
  deploy_failed: [409, "The deploy failed: only a successful deploy can be served."],
  deploy_active: [409, "The deploy is being served: activate another one first."],
  quota_exceeded: [409, "The project has used up its quota: delete deploys that you no longer need."],
  invalid_archive: [400, "The archive cannot be deployed."],
  already_imported: [409, "The file was already imported."],
  import_refused: [400, "The file cannot be imported."],
  import_running: [409, "Another import is running: try again when it has finished."],
  undo_refused: [409, "The import cannot be undone."],
  photo_limit_reached: [409, "The animal already has the maximum of 30 photos: delete one first."],
  invalid_image: [400, "The file is not a photo that the server can read: send a JPEG, PNG, WebP or GIF."],
  category_not_found: [404, "There is no category with this id: add it first."],
  category_name_taken: [409, "Another category already has this name; choose another."],
  category_in_use: [409, "Animals belong to this category: move them to another one first."],
  reference_taken: [409, "Another animal already has this reference; choose another."],
  field_name_taken: [409, "Another custom field already has this name; choose another."],
  field_limit_reached: [409, "The store already has the maximum of 40 custom fields: delete one first."],
  choice_in_use: [409, "Animals have this choice: give them another value first."],
  confirmation_required: [
    409,
    "The deletion also deletes values of animals: repeat the request with ?confirm= and the number of these animals.",
  ],
  pet_not_available: [409, "The animal is not available for adoption."],
  order_status_conflict: [409, "The order's status does not allow this step."],
  misdirected: [
    421,
    "This service serves nothing under this host name. Operators: set BASE_URL to the service's address, or add the name to API_HOSTS.",
  ],
  rate_limited: [429, "Too many requests; wait for the time in Retry-After."],
  internal_error: [500, "An internal error; the server's log has its cause under this request's id."],
  damaged_file: [500, "A file is damaged on the server: deploy the site again, or add the photo again."],
  not_ready: [503, "The service is not ready."],
  storage_unavailable: [
    503,
    "Storage is unavailable (disk full, read-only or locked); nothing was written. Try again later.",
  ],
  outcome_unknown: [
    503,
    "The storage failed during this write: the change may have been made, or not. Repeat the request with the same Idempotency-Key; without one, check first.",
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type FaultCode = keyof typeof FAULTS;

/** The body of every error response. */
export interface ErrorBody {
  code: FaultCode;
  message: string;
  status: number;
}

/** Thrown wherever a request is refused. `faultResponse` maps it to HTTP. */
export class Fault extends Error {
  override name = "Fault";
  constructor(
    readonly code: FaultCode,
    message: string = FAULTS[code][1],
    readonly headers: Readonly<Record<string, string>> = {},
    /** The fields of the request that it is about. */
    readonly fields: readonly FieldProblem[] = [],
  ) {
    super(message);
  }
}

/** A fault about one field of the request. */
export const fieldFault = (code: FaultCode, problem: FieldProblem, message?: string): Fault =>
  new Fault(code, message, undefined, [problem]);

export const statusOf = (code: FaultCode): number => FAULTS[code][0];

const SOON = { "retry-after": "1" };

const lockedMessage = ({ seconds }: DatabaseLocked): string =>
  `Another process has locked the database for ${seconds} s; nothing was written. Try again later.`;

/** SQLite reports a failing disk and a damaged file with the same code. */
const UNREADABLE =
  "The database cannot be read: its disk fails, or it is damaged. Nothing was written. Operators: run adoption-store doctor to find out which.";

const ENGINE_AWAY =
  "This server cannot reach the engine of its cluster, so its data may be outdated; nothing was written. Try again.";

const ENGINE_FULL =
  "The engine of this cluster is full; nothing was written. Operators: adoption-store cluster status shows the commands that free space. Try again later.";

const UNSERVED =
  "This server cannot bring its copy of the store up to date; nothing was written. Operators: /readyz shows the reason. Try another server, or try again later.";

const OUT_OF_FILES = "The service has too many files and connections open. Try again later.";

/** The fault for any error. An unexpected error becomes an `internal_error` that does not reveal its cause. */
export const faultOf = (error: unknown): Fault => {
  if (error instanceof Fault) return error;
  if (error instanceof OutcomeUnknown) return new Fault("outcome_unknown", undefined, SOON);
  if (error instanceof EngineFull) return new Fault("storage_unavailable", ENGINE_FULL, SOON);
  if (error instanceof EngineUnavailable) return new Fault("storage_unavailable", ENGINE_AWAY, SOON);
  if (error instanceof ReplicaUnserved) return new Fault("storage_unavailable", UNSERVED, SOON);
  if (error instanceof RecordTooLarge) return new Fault("payload_too_large", error.message);
  if (error instanceof DatabaseLocked) return new Fault("storage_unavailable", lockedMessage(error), SOON);
  if (isDamage(error)) return new Fault("storage_unavailable", UNREADABLE, SOON);
  if (isStorageFailure(error)) return new Fault("storage_unavailable", undefined, SOON);
  if (isOutOfFiles(error)) return new Fault("storage_unavailable", OUT_OF_FILES, SOON);
  return new Fault("internal_error");
};

export const faultResponse = ({ code, message, headers, fields }: Fault): Response => {
  const status = statusOf(code);
  const body: ErrorBody = { code, message, status };
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      ...headers,
      ...(fields.length > 0 && { "invalid-fields": invalidFields(fields) }),
      "content-type": "application/json",
    },
  });
};
