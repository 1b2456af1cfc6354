import { S3Client } from "bun";
import { type BlobsUrl, describeBlobsUrl } from "../../lib/blobs-url.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { type RequestOptions, objectRequests } from "./requests.ts";

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
