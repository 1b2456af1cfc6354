import type { Ledger } from "./ledger.ts";

/** Where clients find the nodes. A URL stays the same when its node is started again. */
export interface Service {
  readonly urls: readonly string[];
  readonly key: string;
  readonly ledger: Ledger;
}

export interface Call {
  method: string;
  path: string;
  body?: object;
  idempotencyKey?: string;
  /** An ETag: the request fails with 412 if the resource has changed since. */
  ifMatch?: string;
  /** Instead of the service's key. */
  key?: string;
}

export interface Settled {
  status: number;
  body: Record<string, unknown>;
  text: string;
  etag: string;
  /** The URL of the node that responded. */
  url: string;
  /** Responses that may have been lost before this one. */
  unknown: number;
}

/** How long a client waits for a response before it sends the request to another node. */
const PATIENCE_MS = 3000;
const RETRY_MS = 20;

const pick = <Item>(items: readonly Item[]): Item => {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error("there is nothing to choose from");
  return item;
};

/** The id of what a request made. */
export const idOf = ({ body }: Pick<Settled, "body">): number => Number(body["id"]);

/** Another node, if there is one. */
export const otherThan = (urls: readonly string[], url: string): string =>
  urls.length > 1 ? pick(urls.filter((one) => one !== url)) : url;

/** Sends a request once. @returns undefined without a response, and for one that says to try again */
export const ask = async (
  { key }: Pick<Service, "key">,
  url: string,
  call: Call,
): Promise<Omit<Settled, "unknown"> | undefined> => {
  try {
    const response = await fetch(`${url}${call.path}`, {
      method: call.method,
      headers: {
        authorization: `Bearer ${call.key ?? key}`,
        ...(call.body && { "content-type": "application/json" }),
        ...(call.idempotencyKey !== undefined && { "idempotency-key": call.idempotencyKey }),
        ...(call.ifMatch !== undefined && { "if-match": call.ifMatch }),
      },
      ...(call.body && { body: JSON.stringify(call.body) }),
      // Bun sends a request again when a kept connection closes.
      keepalive: false,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    const body = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
    const isToRetry = response.status === 503 || body["code"] === "idempotency_in_flight";
    const etag = response.headers.get("etag") ?? "";
    return isToRetry ? undefined : { status: response.status, body, text, etag, url };
  } catch {
    return undefined;
  }
};

/** Sends a request to one node after the other until there is a response. */
export const settle = async (service: Service, call: Call, first = pick(service.urls)): Promise<Settled> => {
  let url = first;
  for (let unknown = 0; ; unknown++) {
    const settled = await ask(service, url, call);
    if (settled) return { ...settled, unknown };
    service.ledger.retries++;
    url = otherThan(service.urls, url);
    await Bun.sleep(RETRY_MS);
  }
};

/** Sends a write until it is acknowledged or refused, and keeps when. */
export const write = async (service: Service, call: Call, expected: readonly number[]): Promise<Settled> => {
  const settled = await settle(service, call);
  const { ledger } = service;
  ledger.successes.push(performance.now());
  ledger.acknowledged++;
  if (!expected.includes(settled.status))
    ledger.surprises.push(`${call.method} ${call.path}: ${settled.status} ${settled.text}`);
  return settled;
};

/** Sends a read once to another node than the one that acknowledged a write: it must know of it, or not answer. */
export const readElsewhere = async (
  service: Service,
  { url }: Pick<Settled, "url">,
  call: Call,
  isCurrent: (status: number, body: Record<string, unknown>) => boolean,
): Promise<void> => {
  const read = await ask(service, otherThan(service.urls, url), call);
  if (!read) return;
  service.ledger.reads++;
  if (!isCurrent(read.status, read.body))
    service.ledger.surprises.push(`stale: ${call.method} ${call.path}: ${read.status} ${read.text}`);
};
