import { ApiError, errorOf } from "../../../../client/api-error.ts";
import { type Operations, createOperations, outgoing } from "../../../../client/operations.ts";
import { type Fetch, createTransport } from "../../../../client/transport.ts";
import type { paths as PlatformPaths } from "../../../../client/types/platform.d.ts";
import type { paths as StorePaths } from "../../../../client/types/store.d.ts";

/**
 * The console's texts for error codes that concern no field. Other codes keep the API's message, which names a limit, a scope
 * or a reason that only the server knows.
 */
export const ERRORS: Readonly<Record<string, string>> = {
  unreachable: "The server did not respond. Check your connection and try again.",
  unreadable: "The server's response could not be read. Try again.",
  invalid_cursor: "The list has changed. Reload the page.",
  invalid_api_key: "Your session had ended, so nothing was saved. Try again.",
  insufficient_scope:
    "You are not allowed to do this. Your role may have changed: reload the page, or ask an administrator.",
  not_signed_in: "Your session had ended, so nothing was saved. Try again.",
  cross_site_request: "Your session had ended, so nothing was saved. Try again.",
  category_not_found: "This category no longer exists. Choose another.",
  category_name_taken: "Another category already has this name. Choose another.",
  category_in_use: "Animals belong to this category. Move them to another one first.",
  slug_taken: "Another project already uses this slug. Choose another.",
  precondition_failed: "Somebody else has changed this in the meantime, so nothing was done.",
  idempotency_in_flight: "Your first attempt is still in progress. Wait a moment, then try again.",
  idempotency_mismatch:
    "Your first attempt was saved, but not your later changes. Close this dialog and check the list.",
  email_taken: "Another person has this e-mail address.",
  last_administrator:
    "No other person or key can grant full access. First make another person an administrator, and have them sign in.",
  last_passkey: "You have no other way to sign in. Add another passkey first.",
  passkey_limit_reached: "You already have 20 passkeys, which is the limit. Remove one first.",
  invalid_invitation: "This invitation no longer works. Sign in, or ask an administrator for a new one.",
  passkey_refused:
    "This passkey is not known here, or it took too long. Try again, or use another way to sign in.",
  key_revoked: "This key is revoked. Create a new one.",
  key_expired: "This key has expired. Create a new one.",
  plan_required: "Custom domains need the Pro plan or above. Change the plan in the project's settings.",
  no_successful_deploy: "The project has no site yet. Deploy one first.",
  deploy_active: "This deploy is being served. Switch to another one first.",
  rate_limited: "Too many requests. Wait a moment, then try again.",
  storage_unavailable:
    "The server can't save now: its disk is full or read-only. Nothing was changed. Try again later.",
  internal_error: "Something went wrong on the server. Try again, or ask the person who runs it.",
  outcome_unknown: "The server failed while saving. Check whether your change was made, then try again.",
};

let onFinished = () => {};

/** Sets the function that is called after each write, before its result is used. */
export const onWrite = (listener: () => void): void => {
  onFinished = listener;
};

/** Records that a write has a response, or has failed without one. */
export const finishWrite = (): void => onFinished();

/** An invitation is read with POST, because its token is in the body, so that no log has it. */
export const isAuthWrite = (method: string, path: string): boolean =>
  method !== "GET" && path !== "invitation";

/** The user counts as present for so long after a press or a key. */
const ATTENDED_MS = 60_000;

let lastInput = Date.now();

for (const type of ["pointerdown", "keydown", "wheel", "touchstart"])
  addEventListener(type, () => (lastInput = Date.now()), { capture: true, passive: true });

export { ApiError };
export type { FieldProblem } from "../../../../client/invalid-fields.ts";
export { type Page, pageOf } from "../../../../client/pages.ts";
export type { Int64 } from "../../../../client/exact.ts";
export { newIdempotencyKey } from "../../../../client/retry.ts";

let csrfToken = "";
let onSessionDoubt = () => {};

/**
 * Sets the token that changes are sent with.
 * @param onDoubt called when a response suggests that the session has ended or belongs to another key
 */
export const setSession = (token: string, onDoubt: () => void): void => {
  csrfToken = token;
  onSessionDoubt = onDoubt;
};

const SESSION_CODES: ReadonlySet<string> = new Set([
  "not_signed_in",
  "invalid_api_key",
  "cross_site_request",
]);

const reword = (error: ApiError): ApiError => {
  error.message = ERRORS[error.code] ?? error.message;
  return error;
};

const unreachable = (): ApiError => reword(new ApiError(0, "unreachable", ""));

/** The error in a response of a request that does not go through the client. */
export const apiErrorOf = async (response: Response): Promise<ApiError> =>
  reword(errorOf(response, await response.text()));

export const hasCode = (error: Error | null | undefined, code: string): boolean =>
  error instanceof ApiError && error.code === code;

export const isGone = (error: Error | null | undefined): boolean =>
  error instanceof ApiError && error.status === 404;

/** The headers of a request that does not go through the client. */
export const callHeaders = (): Record<string, string> => ({ "x-csrf-token": csrfToken });

/** A request to the console itself, under `/console`. @throws ApiError */
export const callConsole = async (
  method: string,
  path: string,
  init: RequestInit = {},
): Promise<Response> => {
  const response = await fetch(`/console/${path}`, { method, ...init }).catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw await apiErrorOf(response);
  return response;
};

/** A request of signing in, or about the user's ways to sign in. @throws ApiError */
export const callAuth = async <Result>(method: string, path: string, body?: object): Promise<Result> => {
  const response = await callConsole(method, `auth/${path}`, {
    headers: { ...callHeaders(), ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  }).finally(isAuthWrite(method, path) ? finishWrite : undefined);
  return (response.status === 204 ? undefined : await response.json()) as Result;
};

const fetchInSession: Fetch = (url, init) => {
  if (init.method !== "GET") {
    init.headers.set("x-csrf-token", csrfToken);
    return fetch(url, init).finally(finishWrite);
  }
  // Requests without user input, such as polling, must not keep the session alive.
  if (Date.now() - lastInput >= ATTENDED_MS) init.headers.set("x-unattended", "1");
  return fetch(url, init);
};

const transport = createTransport({
  fetch: fetchInSession,
  // The user decides about another attempt, and the query client about that of a read.
  maxRetries: 0,
  timeoutMs: 0,
  onError(error) {
    if (SESSION_CODES.has(error.code)) onSessionDoubt();
    reword(error);
  },
});

const BASE_URL = "/console/api";
const STORE = { baseUrl: `${BASE_URL}/v1`, isIdempotent: true };
export const store: Operations<StorePaths> = createOperations(transport, STORE);
export const platform: Operations<PlatformPaths> = createOperations(transport, {
  baseUrl: BASE_URL,
  isIdempotent: false,
});

/** Opens a stream of the store. @throws ApiError, or the reason of the signal */
export const openStore = (
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> => transport.open(outgoing("GET", path, { headers }, STORE), signal);

export const dataOf = async <Data>(reply: Promise<{ data: Data }>): Promise<Data> => (await reply).data;
