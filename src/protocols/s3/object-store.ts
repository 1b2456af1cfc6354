import { S3Client } from "bun";
import { type BlobsUrl, describeBlobsUrl } from "../../lib/blobs-url.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { type RequestOptions, type Requests, objectRequests } from "./requests.ts";

/** A bucket, or a part of one. Names are relative to its prefix: letters, digits, `.`, `_`, `-` and slashes. */
export interface ObjectStore {
  /** Its address, without credentials. */
  readonly place: string;
  /** Stores an object, or replaces it. Once it resolves, every later read of any node gets it. @throws ObjectStoreError */
  put(name: string, content: Uint8Array<ArrayBuffer> | Blob): Promise<void>;
  /**
   * The content of an object in parts, which the caller has to verify; undefined if it is missing. Read it to the end, or
   * leave the loop. @throws ObjectStoreError
   */
  get(name: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** @returns undefined if the object is missing @throws ObjectStoreError */
  stat(name: string): Promise<Omit<ObjectInfo, "name"> | undefined>;
  /** The objects whose names begin with `prefix`, in the order of their names. @throws ObjectStoreError */
  list(prefix: string): AsyncGenerator<ObjectInfo>;
  /**
   * Removes an object, if there is one.
   * @param isAllowed asked after the request is signed: the store refuses a signature that is older than a minute. With it, the
   * request is sent once: after an error, the object's state is unknown for that minute.
   * @throws ObjectStoreError
   */
  remove(name: string, isAllowed?: () => boolean): Promise<void>;
}

interface ObjectInfo {
  readonly name: string;
  readonly size: number;
  /** By the store's clock, in milliseconds UTC. */
  readonly modifiedAt: number;
}

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

const listIn = (client: S3Client, keyPrefix: string, { limited, attempt, inTime }: Requests) =>
  async function* (prefix: string): AsyncGenerator<ObjectInfo> {
    let startAfter: string | undefined;
    do {
      const request = { prefix: keyPrefix + prefix, ...(startAfter !== undefined && { startAfter }) };
      const { contents = [], isTruncated } = await limited(() =>
        attempt("list", () => inTime(client.list(request))),
      );
      for (const { key, size = 0, lastModified = "" } of contents)
        yield { name: key.slice(keyPrefix.length), size, modifiedAt: Date.parse(lastModified) };
      startAfter = isTruncated ? contents.at(-1)?.key : undefined;
    } while (startAfter !== undefined);
  };

/**
 * Opens a bucket with Bun's S3 client, which signs, lists, and sends large contents in parts. The other requests are ours, so
 * that they end in time and report the store's response.
 * @throws OperatorError without credentials
 */
export const openObjectStore = (url: BlobsUrl, options: RequestOptions = {}): ObjectStore => {
  const client = clientOf(url);
  const place = describeBlobsUrl(url);
  const keyPrefix = url.prefix && `${url.prefix}/`;
  const requests = objectRequests(
    place,
    (name, signing) => client.presign(keyPrefix + name, signing),
    options,
  );
  const { limited, attempt, exchange, download } = requests;
  return {
    place,
    async put(name, content) {
      const body = content instanceof Blob ? content : new Blob([content]);
      if (body.size <= MULTIPART_BYTES) return void (await exchange("put", name, { body }));
      await limited(() =>
        attempt("put", () =>
          client.write(keyPrefix + name, body, { partSize: PART_BYTES, queueSize: 2, retry: 3 }),
        ),
      );
    },
    get: download,
    async stat(name) {
      const { headers } = (await exchange("stat", name)) ?? {};
      return (
        headers && {
          size: Number(headers.get("content-length") ?? 0),
          modifiedAt: Date.parse(headers.get("last-modified") ?? ""),
        }
      );
    },
    list: listIn(client, keyPrefix, requests),
    async remove(name, isAllowed) {
      await exchange("remove", name, { ...(isAllowed && { isAllowed }) });
    },
  };
};
