import { ApiError, errorOf } from "../../../../client/api-error.ts";
import { type Operations, createOperations, outgoing } from "../../../../client/operations.ts";
import { type Fetch, createTransport } from "../../../../client/transport.ts";
import type { paths as PlatformPaths } from "../../../../client/types/platform.d.ts";
import type { paths as StorePaths } from "../../../../client/types/store.d.ts";
import { ERRORS } from "./words.ts";
import { finishWrite } from "./writes.ts";

/** The user counts as present for so long after a press or a key. */
const ATTENDED_MS = 60_000;

let lastInput = Date.now();

const onInput = (): void => {
  lastInput = Date.now();
};

for (const type of ["pointerdown", "keydown", "wheel", "touchstart"])
  addEventListener(type, onInput, { capture: true, passive: true });

/** False for requests that the page sends without user input, such as polling: they must not keep the session alive. */
const isAttended = (): boolean => Date.now() - lastInput < ATTENDED_MS;

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

/** The error for a request without a response. */
export const unreachable = (): ApiError => reword(new ApiError(0, "unreachable", ""));

/** The error in a response of a request that does not go through the client. */
export const apiErrorOf = async (response: Response): Promise<ApiError> =>
  reword(errorOf(response, await response.text()));

/** True if the error is the API's error with this code. */
export const hasCode = (error: Error | null | undefined, code: string): boolean =>
  error instanceof ApiError && error.code === code;

/** True if the thing that was asked for does not exist. */
export const isGone = (error: Error | null | undefined): boolean =>
  error instanceof ApiError && error.status === 404;

/** The headers of a request that does not go through the client. */
export const callHeaders = (): Record<string, string> => ({ "x-csrf-token": csrfToken });

const fetchInSession: Fetch = (url, init) => {
  if (init.method !== "GET") {
    init.headers.set("x-csrf-token", csrfToken);
    return fetch(url, init).finally(finishWrite);
  }
  if (!isAttended()) init.headers.set("x-unattended", "1");
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

/** The data of a response. */
export const dataOf = async <Data>(reply: Promise<{ data: Data }>): Promise<Data> => (await reply).data;
