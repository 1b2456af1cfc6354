import createClient, { type Client, type Middleware } from "openapi-fetch";
import { parseExactly, writeExactly } from "./exact.ts";
import type { paths as PlatformPaths } from "./platform.d.ts";
import type { paths as StorePaths } from "./store.d.ts";

/** An error response of the API. */
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
  "The server did not respond. Check your connection and try again.",
);

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

/** Messages for people, where those of the API are for programs. */
const MESSAGES: Readonly<Record<string, string>> = {
  idempotency_mismatch:
    "Your first attempt was saved, but its response was lost. What you changed since then was not saved: close this dialog and check the list.",
  precondition_failed: "Somebody else has changed it in the meantime, so nothing was done.",
};

/** The error in a response. */
export const refusalOf = async (response: Response): Promise<Refusal> => {
  try {
    const { code, message } = (await response.json()) as { code: string; message: string };
    return new Refusal(response.status, code, MESSAGES[code] ?? message);
  } catch {
    return new Refusal(response.status, "unreadable", `The server responded with status ${response.status}.`);
  }
};

/** True if the error is the API's error with this code. */
export const hasCode = (error: Error | null | undefined, code: string): boolean =>
  error instanceof Refusal && error.code === code;

/** The headers of a request that does not go through the client. */
export const callHeaders = (): Record<string, string> => ({ "x-csrf-token": csrfToken });

/** For requests that the page repeats without its user: they do not extend the session. */
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

/** Fetches for openapi-fetch, with exact integers. */
const fetchExactly = async (request: Request): Promise<Response> => {
  const response = await fetch(request);
  return Object.assign(response, { json: async () => parseExactly(await response.text()) });
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

/** The data of a response. Error responses have been thrown already. */
export const dataOf = async <Data>(result: Promise<{ data?: Data }>): Promise<Data> =>
  (await result).data as Data;

export interface PageOf<Item> {
  items: Item[];
  /** The cursor of the next page; undefined on the last one. */
  next: string | undefined;
}

/** A page of a list, with the cursor from its Link header. */
export const pageOf = async <Item>(
  result: Promise<{ data?: Item[]; response: Response }>,
): Promise<PageOf<Item>> => {
  const { data = [], response } = await result;
  const link = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  const next = link && new URL(link, location.origin).searchParams.get("cursor");
  return { items: data, next: next || undefined };
};
