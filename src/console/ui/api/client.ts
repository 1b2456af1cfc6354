import createClient, { type Client, type Middleware } from "openapi-fetch";
import { parseExactly, writeExactly } from "./exact.ts";
import type { paths as PlatformPaths } from "./platform.d.ts";
import type { paths as StorePaths } from "./store.d.ts";

/** What the API refused, in its own words. */
export class Refusal extends Error {
  override name = "Refusal";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export const UNREACHABLE = new Refusal(
  0,
  "unreachable",
  "The server did not answer. Check your connection and try again.",
);

let csrfToken = "";
let onSessionDoubt = () => {};

/** What changes are sent with from now on, and who is told when the session seems to have ended, or to be another. */
export const setSession = (token: string, whenDoubted: () => void): void => {
  csrfToken = token;
  onSessionDoubt = whenDoubted;
};

const SESSION_CODES: ReadonlySet<string> = new Set([
  "not_signed_in",
  "invalid_api_key",
  "cross_site_request",
]);

/** Where the API speaks to programs. */
const WORDS: Readonly<Record<string, string>> = {
  idempotency_mismatch:
    "What you sent first did arrive, though its answer got lost, and what you changed since then did not: close this, and look at the list.",
  precondition_failed: "Somebody else has changed it meanwhile, so nothing was done.",
};

/** The refusal that an answer carries. */
export const refusalOf = async (answer: Response): Promise<Refusal> => {
  try {
    const { code, message } = (await answer.json()) as { code: string; message: string };
    return new Refusal(answer.status, code, WORDS[code] ?? message);
  } catch {
    return new Refusal(answer.status, "unreadable", `The server answered ${answer.status}.`);
  }
};

/** Whether the API refused something for this reason. */
export const hasCode = (error: Error | null | undefined, code: string): boolean =>
  error instanceof Refusal && error.code === code;

/** Headers of a call that a person asks for, or that the page makes by itself. */
export const callHeaders = (): Record<string, string> => ({ "x-csrf-token": csrfToken });

/** For calls that the page repeats by itself: they do not keep a session alive. */
export const UNATTENDED = { "x-unattended": "1" } as const;

const middleware: Middleware = {
  onRequest({ request }) {
    if (request.method !== "GET") request.headers.set("x-csrf-token", csrfToken);
  },
  async onResponse({ response }) {
    if (response.ok) return;
    const refusal = await refusalOf(response);
    if (SESSION_CODES.has(refusal.code)) onSessionDoubt();
    throw refusal;
  },
  onError() {
    return UNREACHABLE;
  },
};

/** As openapi-fetch reads them, but with integers exactly. */
const fetchExactly = async (request: Request): Promise<Response> => {
  const answer = await fetch(request);
  return Object.assign(answer, { json: async () => parseExactly(await answer.text()) });
};

const clientOf = <Paths extends object>(baseUrl: string): Client<Paths> => {
  const client = createClient<Paths>({
    baseUrl,
    fetch: fetchExactly,
    bodySerializer: (body) => (body === undefined ? undefined : writeExactly(body)) as string,
  });
  client.use(middleware);
  return client;
};

export const store = clientOf<StorePaths>("/console/api/v1");
export const platform = clientOf<PlatformPaths>("/console/api");

/** The data of an answer; refusals were thrown. */
export const dataOf = async <Data>(answer: Promise<{ data?: Data }>): Promise<Data> =>
  (await answer).data as Data;

export interface PageOf<Item> {
  items: Item[];
  /** Where the next page begins; undefined on the last. */
  next: string | undefined;
}

/** A page of a list, with the cursor that its Link header names. */
export const pageOf = async <Item>(
  answer: Promise<{ data?: Item[]; response: Response }>,
): Promise<PageOf<Item>> => {
  const { data = [], response } = await answer;
  const link = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  const next = link && new URL(link, location.origin).searchParams.get("cursor");
  return { items: data, next: next || undefined };
};
