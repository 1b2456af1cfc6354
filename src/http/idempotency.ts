import { Elysia, type ElysiaCustomStatusResponse, status } from "elysia";
import { Fault, fieldFault } from "../lib/errors.ts";
import { isStorageFailure } from "../lib/storage-errors.ts";
import { type Caller, callerId } from "./authorization.ts";

/** How long the response to a request with an Idempotency-Key is stored and replayed. */
export const RETENTION_MS = 24 * 60 * 60_000;

export const MAX_KEY_LENGTH = 255;
/** The length of a quoted key in which every character is escaped. */
export const MAX_IDEMPOTENCY_KEY_HEADER = 2 * MAX_KEY_LENGTH + 2;

/** A key as an sf-string (RFC 8941 section 3.3.3), as the draft requires, or bare, as most clients send it. */
export const IDEMPOTENCY_KEY_PATTERN = String.raw`^(?:"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,${MAX_KEY_LENGTH}}"|[!\x23-\x2b\x2d-\x7e]{1,${MAX_KEY_LENGTH}})$`;
const KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/** Reads the header: `"a"` and `a` are the same key. @throws Fault invalid_request */
export const readIdempotencyKey = (header: string): string => {
  if (!KEY.test(header))
    throw fieldFault(
      "invalid_request",
      { field: "Idempotency-Key", rule: "format" },
      `Idempotency-Key: must be 1 to ${MAX_KEY_LENGTH} printable ASCII characters, in double quotes if there is a space, a comma or a quote among them`,
    );
  return header.startsWith('"') ? header.slice(1, -1).replace(/\\(["\\])/g, "$1") : header;
};

/**
 * SHA-256 of the method, the path with its query, and the parsed body. White space and the notation of numbers do not matter;
 * the order of members does.
 */
const fingerprintOf = ({ method, url }: Request, body: unknown): string => {
  const { pathname, search } = new URL(url);
  return new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([method, `${pathname}${search}`, body ?? null]))
    .digest("hex");
};

/** A request with an Idempotency-Key. */
interface IdempotentRequest {
  /** From `callerId`. */
  caller: string;
  idempotencyKey: string;
  /** From `fingerprintOf`, hexadecimal. A different request with the same key has a different one. */
  fingerprint: string;
}

interface StoredResponse {
  status: number;
  /** The route's own headers. */
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body: string;
}

/** A prepared database write. A repository commits it in one transaction with its own writes. */
interface Write {
  readonly query: { all(client?: object, values?: object): unknown };
  readonly values: object;
}

/** Where responses are stored. */
interface ResponseStore {
  /** The response for this caller and key, if it was stored after `since`. */
  find(
    caller: string,
    idempotencyKey: string,
    since: number,
  ): Promise<(StoredResponse & Pick<IdempotentRequest, "fingerprint">) | undefined>;
  /** The write that stores a response. It violates a constraint if there already is one. */
  storeStatement(request: IdempotentRequest, response: StoredResponse, now: number): Write;
}

/** Turns an outcome into a response. */
interface IdempotentResponse<Status extends number, Outcome, Body> {
  status: Status;
  body(outcome: Outcome): Body;
  /** The route's own headers, such as ETag. They are stored too. */
  headers?(outcome: Outcome): Record<string, string>;
  /** Identifies the content of an upload, whose body is not parsed. */
  content?: string;
}

/** The return type that Elysia expects of a handler: a 200 is the bare body. */
type HandlerResult<Status extends number, Body> = Status extends 200
  ? Body
  : ElysiaCustomStatusResponse<Status, Body>;

/**
 * Runs `act` at most once for each Idempotency-Key. `act` passes `keep` to its repository, which calls it with the outcome and
 * commits the write that it returns in the same transaction. If `act` throws, nothing is stored. Without the header, `keep` is
 * undefined and `act` always runs.
 */
export type Once = <const Status extends number, Outcome, Body>(
  response: IdempotentResponse<Status, Outcome, Body>,
  act: (keep?: (outcome: Outcome) => Write) => Promise<Outcome>,
) => Promise<HandlerResult<Status, Body>>;

interface Context {
  request: Request;
  headers: Record<string, string | undefined>;
  body: unknown;
  set: { headers: Record<string, unknown> };
  /** Set by the macro `scope`. */
  caller: Caller;
}

export interface IdempotencyOptions {
  responses: ResponseStore;
  clock: { now(): number };
}

const respond = <Status extends number, Outcome, Body>(
  { set }: Context,
  response: IdempotentResponse<Status, Outcome, Body>,
  outcome: Outcome,
) => {
  if (response.headers) Object.assign(set.headers, response.headers(outcome));
  return status<Status, Body>(response.status, response.body(outcome)) as unknown as HandlerResult<
    Status,
    Body
  >;
};

/**
 * The macro of routes that can be retried safely (draft-ietf-httpapi-idempotency-key-header): `idempotent: true`, listed after
 * `scope` and `reads`. Handlers get `once` and return its result:
 *
 *     ({ body, once }) => once({ status: 201, body: fromPet }, (keep) => pets.add(toNewPet(body), keep))
 */
export const idempotency = ({ responses, clock }: IdempotencyOptions) => {
  /** The requests in progress, by caller and idempotency key. */
  const inFlight = new Set<string>();

  /** The stored response to a request; undefined for a new one. @throws Fault idempotency_mismatch */
  const replay = async (request: IdempotentRequest): Promise<Response | undefined> => {
    const stored = await responses.find(request.caller, request.idempotencyKey, clock.now() - RETENTION_MS);
    if (!stored) return undefined;
    if (stored.fingerprint !== request.fingerprint) throw new Fault("idempotency_mismatch");
    const headers = {
      ...stored.headers,
      "content-type": "application/json",
      "idempotency-replayed": "true",
    };
    return new Response(stored.body, { status: stored.status, headers });
  };

  const onceFor = (context: Context, header: string): Once => {
    const caller = callerId(context.caller);
    const idempotencyKey = readIdempotencyKey(header);
    const name = `${caller} ${idempotencyKey}`;
    return async (response, act) => {
      const fingerprint = fingerprintOf(context.request, response.content ?? context.body);
      const request = { caller, idempotencyKey, fingerprint };
      if (inFlight.has(name)) throw new Fault("idempotency_in_flight", undefined, { "retry-after": "1" });
      inFlight.add(name);
      try {
        const replayed = await replay(request);
        // Elysia sends a Response as it is, whatever the route's schema says.
        if (replayed) return replayed as never;
        let isStored = false;
        const outcome = await act((result) => {
          isStored = true;
          const body = JSON.stringify(response.body(result));
          const headers = response.headers?.(result) ?? {};
          return responses.storeStatement(request, { status: response.status, headers, body }, clock.now());
        });
        if (!isStored) throw new Error("an act committed without storing its response");
        return respond(context, response, outcome);
      } catch (error) {
        // Another process may have carried out the request meanwhile: then this act has changed nothing, whatever it says.
        const replayed = isStorageFailure(error) ? undefined : await replay(request);
        if (!replayed) throw error;
        return replayed as never;
      } finally {
        inFlight.delete(name);
      }
    };
  };

  return new Elysia({ name: "idempotency" })
    .decorate({ once: undefined as unknown as Once })
    .macro("idempotent", (_mark: true) => ({
      // An arrow function: Elysia cannot read the text of a method on one line, and prints a warning.
      transform: (context) => {
        const call = context as unknown as Context;
        const header = call.headers["idempotency-key"];
        const once: Once =
          header === undefined
            ? async (response, act) => respond(call, response, await act())
            : onceFor(call, header);
        // Elysia adds a transform's return value to the context, though its types say void.
        return { once } as unknown as void;
      },
    }));
};
