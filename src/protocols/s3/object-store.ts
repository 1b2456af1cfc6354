import { S3Client } from "bun";
import { type BlobsUrl, describeBlobsUrl } from "../../lib/blobs-url.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { ObjectStoreError, failureOf, isTransient, refusalOf } from "./object-store-error.ts";

/** A bucket, or a part of one. Names are relative to its prefix: letters, digits, `.`, `_`, `-` and slashes. */
export interface ObjectStore {
  /** Where it is, without credentials. */
  readonly place: string;
  /** Stores an object, or replaces it. Once it resolves, every later read of any node gets it. @throws ObjectStoreError */
  put(name: string, content: Uint8Array<ArrayBuffer> | Blob): Promise<void>;
  /**
   * The content of an object in parts, which the caller has to verify; undefined if there is none. Read it to the end, or
   * leave the loop. @throws ObjectStoreError
   */
  get(name: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** @returns undefined if there is no such object @throws ObjectStoreError */
  stat(name: string): Promise<Omit<ObjectInfo, "name"> | undefined>;
  /** The objects whose names begin with `prefix`, in the order of their names. @throws ObjectStoreError */
  list(prefix: string): AsyncGenerator<ObjectInfo>;
  /**
   * Removes an object, if there is one.
   * @param isAllowed asked after the request is signed: the store refuses a signature that is older than a minute
   * @throws ObjectStoreError
   */
  remove(name: string, isAllowed?: () => boolean): Promise<void>;
}

export interface ObjectInfo {
  readonly name: string;
  readonly size: number;
  /** By the store's clock, in milliseconds UTC. */
  readonly modifiedAt: number;
}

/** What was asked of the store, and whether it responded. */
export type OnRequest = (operation: Operation, error: ObjectStoreError | undefined) => void;
export type Operation = "put" | "get" | "stat" | "list" | "remove";

interface Options {
  onRequest?: OnRequest;
  /** The pause before the second try; each further one is twice as long. */
  retryMs?: number;
  /** How long the store may send nothing. */
  stallMs?: number;
  tries?: number;
}

/** How long the store accepts a signed request. */
const SIGNATURE_SECONDS = 60;
/** Larger contents are sent in parts, each of which is tried again by itself. */
const MULTIPART_BYTES = 64 * 2 ** 20;
const PART_BYTES = 16 * 2 ** 20;
/** What an upload must reach at least, beside `stallMs`. */
const BYTES_PER_MS = 32;
const MAX_CONCURRENT = 32;

type Method = "GET" | "PUT" | "HEAD" | "DELETE";
const METHODS = { put: "PUT", get: "GET", stat: "HEAD", remove: "DELETE" } as const satisfies Record<
  Exclude<Operation, "list">,
  Method
>;

/** At most so many calls run at once; the others wait in line. */
const limiter = (max: number) => {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <Value>(act: () => Promise<Value>): Promise<Value> => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await act();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
};

/** Ends a request that makes no progress. */
const stallTimer = (ms: number) => {
  const controller = new AbortController();
  const end = () => controller.abort(new ObjectStoreError(`it sent nothing for ${ms / 1000} s`));
  let timer = setTimeout(end, ms);
  return {
    signal: controller.signal,
    restart() {
      clearTimeout(timer);
      timer = setTimeout(end, ms);
    },
    stop: () => clearTimeout(timer),
  };
};

/** @throws OperatorError without credentials */
const clientOf = ({ bucket, endpoint, region, credentials }: BlobsUrl): S3Client => {
  if (!credentials)
    throw new OperatorError(
      "BLOBS_URL needs keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them before the bucket, as in s3://ACCESS_KEY_ID:SECRET_ACCESS_KEY@my-bucket/sites",
    );
  const { sessionToken, ...keys } = credentials;
  return new S3Client({ ...keys, ...(sessionToken && { sessionToken }), bucket, endpoint, region });
};

/**
 * Opens a bucket with Bun's S3 client, which signs. The requests themselves are ours, so that they end in time and report what
 * the store responded. Each is tried again after a failure of the network or of the store.
 * @throws OperatorError without credentials
 */
export const openObjectStore = (
  url: BlobsUrl,
  { onRequest = () => {}, retryMs = 200, stallMs = 15_000, tries = 4 }: Options = {},
): ObjectStore => {
  const client = clientOf(url);
  const place = describeBlobsUrl(url);
  const keyPrefix = url.prefix && `${url.prefix}/`;
  const limited = limiter(MAX_CONCURRENT);

  const attempt = async <Value>(operation: Operation, act: () => Promise<Value>): Promise<Value> => {
    for (let tried = 1; ; tried++)
      try {
        const value = await act();
        onRequest(operation, undefined);
        return value;
      } catch (error) {
        const failure = failureOf(place, error);
        if (tried >= tries || !isTransient(failure)) {
          onRequest(operation, failure);
          throw failure;
        }
        await Bun.sleep(retryMs * 2 ** (tried - 1) * (0.5 + Math.random()));
      }
  };

  /** @returns undefined if there is no such object */
  const send = async (
    operation: keyof typeof METHODS,
    name: string,
    { signal, body, isAllowed = () => true }: { signal: AbortSignal; body?: Blob; isAllowed?: () => boolean },
  ): Promise<Response | undefined> => {
    const method = METHODS[operation];
    const signed = client.presign(keyPrefix + name, { method, expiresIn: SIGNATURE_SECONDS });
    if (!isAllowed()) throw new ObjectStoreError("the request came too late", { isFinal: true });
    const response = await fetch(signed, { method, signal, redirect: "manual", ...(body && { body }) });
    if (response.ok) return response;
    const refusal = await refusalOf(response);
    if (refusal.isMissing && operation !== "put") return undefined;
    throw refusal;
  };

  /** For requests whose responses have no content. */
  const exchange = (
    operation: Exclude<keyof typeof METHODS, "get">,
    name: string,
    options: { body?: Blob; isAllowed?: () => boolean } = {},
  ): Promise<Response | undefined> =>
    limited(() =>
      attempt(operation, async () => {
        const timer = stallTimer(stallMs + Math.ceil((options.body?.size ?? 0) / BYTES_PER_MS));
        try {
          const response = await send(operation, name, { ...options, signal: timer.signal });
          await response?.arrayBuffer();
          return response;
        } finally {
          timer.stop();
        }
      }),
    );

  const readBody = async function* (
    body: ReadableStream<Uint8Array>,
    timer: ReturnType<typeof stallTimer>,
  ): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body) {
        timer.restart();
        yield chunk;
        timer.restart();
      }
    } catch (error) {
      const failure = failureOf(place, error);
      onRequest("get", failure);
      throw failure;
    } finally {
      timer.stop();
    }
  };

  const listPage = (prefix: string, startAfter: string | undefined) => {
    const request = { prefix: keyPrefix + prefix, ...(startAfter !== undefined && { startAfter }) };
    return attempt("list", async () => {
      const { promise: late, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => reject(new ObjectStoreError(`it sent nothing for ${stallMs / 1000} s`)),
        stallMs,
      );
      return Promise.race([client.list(request), late]).finally(() => clearTimeout(timer));
    });
  };

  return {
    place,
    async put(name, content) {
      const body = content instanceof Blob ? content : new Blob([content]);
      if (body.size <= MULTIPART_BYTES) await exchange("put", name, { body });
      else
        await limited(() =>
          attempt("put", () =>
            client.write(keyPrefix + name, body, { partSize: PART_BYTES, queueSize: 2, retry: 3 }),
          ),
        );
    },
    get: (name) =>
      attempt("get", async () => {
        const timer = stallTimer(stallMs);
        try {
          const response = await send("get", name, { signal: timer.signal });
          if (response?.body) return readBody(response.body, timer);
          timer.stop();
          return response && readBody(new Blob([]).stream(), timer);
        } catch (error) {
          timer.stop();
          throw error;
        }
      }),
    async stat(name) {
      const { headers } = (await exchange("stat", name)) ?? {};
      return (
        headers && {
          size: Number(headers.get("content-length") ?? 0),
          modifiedAt: Date.parse(headers.get("last-modified") ?? ""),
        }
      );
    },
    async *list(prefix) {
      let startAfter: string | undefined;
      do {
        const { contents = [], isTruncated } = await listPage(prefix, startAfter);
        for (const { key, size = 0, lastModified = "" } of contents)
          yield { name: key.slice(keyPrefix.length), size, modifiedAt: Date.parse(lastModified) };
        startAfter = isTruncated ? contents.at(-1)?.key : undefined;
      } while (startAfter !== undefined);
    },
    async remove(name, isAllowed) {
      await exchange("remove", name, { ...(isAllowed && { isAllowed }) });
    },
  };
};
