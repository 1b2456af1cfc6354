import { S3Client } from "bun";
import { type BlobsUrl, describeBlobsUrl } from "../../lib/blobs-url.ts";
import { limiter } from "../../lib/limiter.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { ObjectStoreError, failureOf, isTransient, refusalOf } from "./object-store-error.ts";

/** Ends a request that makes no progress for so many milliseconds. */
const stallTimer = (ms: number) => {
  const controller = new AbortController();
  const { signal } = controller;
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => {});
  const timer = setTimeout(() => {
    controller.abort(new ObjectStoreError(`it sent nothing for ${ms / 1000} s`));
    reject(signal.reason);
  }, ms);
  return {
    signal,
    /** Rejects when the time is over. */
    ended,
    restart: () => void timer.refresh(),
    stop: () => clearTimeout(timer),
  };
};

type StallTimer = ReturnType<typeof stallTimer>;

export type Operation = "put" | "get" | "stat" | "list" | "remove";

export interface RequestOptions {
  /** Called when a request has ended, after all its tries. */
  onRequest?: (operation: Operation, error: ObjectStoreError | undefined) => void;
  /** The pause before the second try; each further one is twice as long. */
  retryMs?: number;
  /** How long the store may send nothing. */
  stallMs?: number;
  tries?: number;
}

const METHODS = { put: "PUT", get: "GET", stat: "HEAD", remove: "DELETE" } as const;
type Sent = keyof typeof METHODS;
type Sign = (name: string, options: { method: (typeof METHODS)[Sent]; expiresIn: number }) => string;

/** How long the store accepts a signed request. */
const SIGNATURE_SECONDS = 60;
/** The minimum rate of an upload, in addition to `stallMs`. */
const BYTES_PER_MS = 32;
const MAX_CONCURRENT = 32;

interface SendOptions {
  body?: Blob;
  isAllowed?: (() => boolean) | undefined;
}

/** The parts of a response. @param failed makes the error for a response that breaks off */
async function* readBody(
  body: ReadableStream<Uint8Array> | null,
  timer: StallTimer,
  failed: (cause: unknown) => Error,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body ?? []) {
      timer.restart();
      yield chunk;
      timer.restart();
    }
  } catch (cause) {
    throw failed(cause);
  } finally {
    timer.stop();
  }
}

/** Requests that end in time. Each is tried again after a failure of the network or of the store. */
const objectRequests = (
  place: string,
  sign: Sign,
  { onRequest = () => {}, retryMs = 200, stallMs = 15_000, tries = 4 }: RequestOptions,
) => {
  const limited = limiter(MAX_CONCURRENT);

  /** Signs and sends a request. @returns undefined if the object is missing */
  const send = async (
    operation: Sent,
    name: string,
    signal: AbortSignal,
    { body, isAllowed = () => true }: SendOptions = {},
  ): Promise<Response | undefined> => {
    const method = METHODS[operation];
    const signed = sign(name, { method, expiresIn: SIGNATURE_SECONDS });
    if (!isAllowed()) throw new ObjectStoreError("the request came too late", { isFinal: true });
    const response = await fetch(signed, { method, signal, redirect: "manual", ...(body && { body }) });
    if (response.ok) return response;
    const refusal = await refusalOf(response);
    if (refusal.isMissing && operation !== "put") return undefined;
    throw refusal;
  };

  const failed = (operation: Operation, cause: unknown): ObjectStoreError => {
    const failure = failureOf(place, cause);
    onRequest(operation, failure);
    return failure;
  };

  const attempt = async <Value>(
    operation: Operation,
    act: () => Promise<Value>,
    maxTries = tries,
  ): Promise<Value> => {
    for (let tried = 1; ; tried++)
      try {
        const value = await act();
        onRequest(operation, undefined);
        return value;
      } catch (cause) {
        if (tried >= maxTries || !isTransient(failureOf(place, cause))) throw failed(operation, cause);
        await Bun.sleep(retryMs * 2 ** (tried - 1) * (0.5 + Math.random()));
      }
  };
  const attemptInLine: typeof attempt = (...attempted) => limited(() => attempt(...attempted));

  /** For requests whose responses have no content. */
  const exchange = (operation: Exclude<Sent, "get">, name: string, options: SendOptions = {}) => {
    const sendOnce = async () => {
      const timer = stallTimer(stallMs + Math.ceil((options.body?.size ?? 0) / BYTES_PER_MS));
      try {
        const response = await send(operation, name, timer.signal, options);
        await response?.arrayBuffer();
        return response;
      } finally {
        timer.stop();
      }
    };
    return attemptInLine(operation, sendOnce, options.isAllowed && 1);
  };

  /** @returns undefined if the object is missing */
  const download = (name: string): Promise<AsyncIterable<Uint8Array> | undefined> =>
    attempt("get", async () => {
      const timer = stallTimer(stallMs);
      try {
        const response = await send("get", name, timer.signal);
        if (response) return readBody(response.body, timer, (cause) => failed("get", cause));
        timer.stop();
        return undefined;
      } catch (cause) {
        timer.stop();
        throw cause;
      }
    });

  /** Waits for a request that cannot be ended, as long as for others. */
  const inTime = <Value>(request: Promise<Value>): Promise<Value> => {
    const timer = stallTimer(stallMs);
    return Promise.race([request, timer.ended]).finally(timer.stop);
  };

  return { attemptInLine, exchange, download, inTime };
};

/** Larger contents are sent in parts, each of which is tried again by itself. */
const MULTIPART_BYTES = 64 * 2 ** 20;
const PART_BYTES = 16 * 2 ** 20;

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
 * Opens a bucket, or a part of one, with Bun's S3 client, which signs, lists, and sends large contents in parts. The other
 * requests are ours, so that they end in time and report the store's response. Names are relative to the prefix: letters,
 * digits, `.`, `_`, `-` and slashes. Every method throws ObjectStoreError.
 * @throws OperatorError without credentials
 */
export const openObjectStore = (url: BlobsUrl, options: RequestOptions = {}) => {
  const client = clientOf(url);
  const place = describeBlobsUrl(url);
  const keyPrefix = url.prefix && `${url.prefix}/`;
  const { attemptInLine, exchange, download, inTime } = objectRequests(
    place,
    (name, signing) => client.presign(keyPrefix + name, signing),
    options,
  );
  return {
    /** Its address, without credentials. */
    place,
    /** Stores an object, or replaces it. Once it resolves, every later read of any node gets it. */
    async put(name: string, content: Uint8Array<ArrayBuffer> | Blob): Promise<void> {
      const body = content instanceof Blob ? content : new Blob([content]);
      if (body.size <= MULTIPART_BYTES) return void (await exchange("put", name, { body }));
      await attemptInLine("put", () =>
        client.write(keyPrefix + name, body, { partSize: PART_BYTES, queueSize: 2, retry: 3 }),
      );
    },
    /**
     * The content of an object in parts, which the caller has to verify; undefined if it is missing. Read it to the end, or
     * leave the loop.
     */
    get: download,
    /** @returns undefined if the object is missing */
    async stat(name: string) {
      const { headers } = (await exchange("stat", name)) ?? {};
      return (
        headers && {
          size: Number(headers.get("content-length") ?? 0),
          modifiedAt: Date.parse(headers.get("last-modified") ?? ""),
        }
      );
    },
    /** The objects whose names begin with `prefix`, in the order of their names. */
    async *list(prefix: string) {
      let startAfter: string | undefined;
      do {
        const request = { prefix: keyPrefix + prefix, ...(startAfter !== undefined && { startAfter }) };
        const { contents = [], isTruncated } = await attemptInLine("list", () =>
          inTime(client.list(request)),
        );
        for (const { key, size = 0, lastModified = "" } of contents)
          yield {
            name: key.slice(keyPrefix.length),
            size,
            /** By the store's clock, in milliseconds UTC. */
            modifiedAt: Date.parse(lastModified),
          };
        startAfter = isTruncated ? contents.at(-1)?.key : undefined;
      } while (startAfter !== undefined);
    },
    /**
     * Removes an object, if there is one.
     * @param isAllowed asked after the request is signed: the store refuses a signature that is older than a minute. With it, the
     * request is sent once: after an error, the object's state is unknown for that minute.
     */
    async remove(name: string, isAllowed?: () => boolean): Promise<void> {
      await exchange("remove", name, { isAllowed });
    },
  };
};

export type ObjectStore = ReturnType<typeof openObjectStore>;
