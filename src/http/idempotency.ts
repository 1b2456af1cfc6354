import { Elysia, type ElysiaCustomStatusResponse, status } from "elysia";
import type { KeptResponses, Keep } from "../db/kept-responses.ts";
import { Fault } from "../lib/errors.ts";

/** How long an answer is kept. */
export const RETENTION_MS = 24 * 60 * 60_000;

/** The field of a route's `detail` that says so; it appears in no document. */
export const IDEMPOTENT = "x-idempotent";

const MAX_KEY_LENGTH = 255;
/** The length of a quoted key in which every character is escaped. */
export const MAX_IDEMPOTENCY_KEY_HEADER = 2 * MAX_KEY_LENGTH + 2;

/** A key as an sf-string (RFC 8941 section 3.3.3), as the draft has it, or bare, as most clients send it. */
export const IDEMPOTENCY_KEY_PATTERN = String.raw`^(?:"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,${MAX_KEY_LENGTH}}"|[!\x23-\x2b\x2d-\x7e]{1,${MAX_KEY_LENGTH}})$`;
const KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/** The key that a header names: `"a"` and `a` are one. @throws Fault invalid_request */
export const readIdempotencyKey = (header: string): string => {
  if (!KEY.test(header))
    throw new Fault(
      "invalid_request",
      `Idempotency-Key: must be 1 to ${MAX_KEY_LENGTH} printable ASCII characters, in double quotes if there is a space, a comma or a quote among them`,
    );
  return header.startsWith('"') ? header.slice(1, -1).replace(/\\(["\\])/g, "$1") : header;
};

/**
 * SHA-256 over method, path with query, and the body as it was read: white space and the spelling of numbers tell no
 * request from another, the order of members does.
 */
const fingerprintOf = ({ method, url }: Request, body: unknown): string => {
  const { pathname, search } = new URL(url);
  return new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([method, `${pathname}${search}`, body ?? null]))
    .digest("hex");
};

/** How what was done is answered. */
export interface IdempotentResponse<Status extends number, Outcome, Body> {
  status: Status;
  body(outcome: Outcome): Body;
  /** Headers of its own, such as an ETag: they are kept too. */
  headers?(outcome: Outcome): Record<string, string>;
}

/** What Elysia takes: a status of 200 goes without saying. */
type Answer<Status extends number, Body> = Status extends 200
  ? Body
  : ElysiaCustomStatusResponse<Status, Body>;

/**
 * Acts at most once for each Idempotency-Key: `act` hands `keep` on to the repository, which commits what it makes of the
 * outcome with the act itself. A refusal keeps nothing. Without the header there is no `keep`, and nothing is done twice.
 */
export type Once = <const Status extends number, Outcome, Body>(
  answering: IdempotentResponse<Status, Outcome, Body>,
  act: (keep?: Keep<Outcome>) => Promise<Outcome>,
) => Promise<Answer<Status, Body>>;

interface Context {
  request: Request;
  headers: Record<string, string | undefined>;
  body: unknown;
  set: { headers: Record<string, unknown> };
  /** The guard's. */
  key: { id: number };
}

export interface IdempotencyOptions {
  answers: KeptResponses;
  clock: { now(): number };
}

const respond = <Status extends number, Outcome, Body>(
  { set }: Context,
  answering: IdempotentResponse<Status, Outcome, Body>,
  outcome: Outcome,
) => {
  if (answering.headers) Object.assign(set.headers, answering.headers(outcome));
  return status<Status, Body>(answering.status, answering.body(outcome)) as unknown as Answer<Status, Body>;
};

/** For a request without the header. */
const onceWithoutKey =
  (context: Context): Once =>
  async (answering, act) =>
    respond(context, answering, await act());

/**
 * The macro of routes that may be asked again after a lost answer (draft-ietf-httpapi-idempotency-key-header):
 * `idempotent: true`, named behind `scope` and `reads`. Handlers get `once`, and answer with what it returns:
 *
 *     ({ body, once }) => once({ status: 201, body: fromPet }, (keep) => pets.add(toNewPet(body), keep))
 */
export const idempotency = ({ answers, clock }: IdempotencyOptions) => {
  /** What is being done, by API key and idempotency key. */
  const inFlight = new Set<string>();

  const onceFor = (context: Context, header: string): Once => {
    const asked = {
      keyId: context.key.id,
      idempotencyKey: readIdempotencyKey(header),
      fingerprint: fingerprintOf(context.request, context.body),
    };
    const name = `${asked.keyId} ${asked.idempotencyKey}`;
    const replay = async (): Promise<Response | undefined> => {
      const kept = await answers.find(asked.keyId, asked.idempotencyKey, clock.now() - RETENTION_MS);
      if (!kept) return undefined;
      if (kept.fingerprint !== asked.fingerprint) throw new Fault("idempotency_mismatch");
      const headers = {
        ...kept.headers,
        "content-type": "application/json",
        "idempotency-replayed": "true",
      };
      return new Response(kept.body, { status: kept.status, headers });
    };
    return async (answering, act) => {
      if (inFlight.has(name)) throw new Fault("idempotency_in_flight", undefined, { "retry-after": "1" });
      inFlight.add(name);
      try {
        const again = await replay();
        // A Response is passed on as it is, whatever the route says that it answers.
        if (again) return again as never;
        let isKept = false;
        const outcome = await act((done) => {
          isKept = true;
          const body = JSON.stringify(answering.body(done));
          const headers = answering.headers?.(done) ?? {};
          return answers.keeping(asked, { status: answering.status, headers, body }, clock.now());
        });
        if (!isKept) throw new Error("an act was done without keeping its answer");
        return respond(context, answering, outcome);
      } finally {
        inFlight.delete(name);
      }
    };
  };

  return new Elysia({ name: "idempotency" })
    .decorate({ once: undefined as unknown as Once })
    .macro("idempotent", (_mark: true) => ({
      detail: { [IDEMPOTENT]: true } as object,
      transform(context) {
        const from = context as unknown as Context;
        const header = from.headers["idempotency-key"];
        const once = header === undefined ? onceWithoutKey(from) : onceFor(from, header);
        // Elysia adds what a transform returns to the context, though its types say void.
        return { once } as unknown as void;
      },
    }));
};
