/** The object store cannot be reached, or refuses. Its message holds no signature and no key. */
export class ObjectStoreError extends Error {
  override name = "ObjectStoreError";
  /** The store's own word for it, such as `AccessDenied`; undefined if it did not respond. */
  readonly code: string | undefined;
  readonly status: number | undefined;
  /** Another try does not help. */
  readonly isFinal: boolean;

  constructor(message: string, { code, status, isFinal = false }: Partial<ObjectStoreError> = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.isFinal = isFinal;
  }

  /** The object of this name does not exist. */
  get isMissing(): boolean {
    return this.status === 404 && (this.code === undefined || this.code === "NoSuchKey");
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  AccessDenied: "give these keys the permissions that the manual lists, or use other keys",
  InvalidAccessKeyId: "check the access key in BLOBS_URL or AWS_ACCESS_KEY_ID",
  SignatureDoesNotMatch: "check the secret key in BLOBS_URL or AWS_SECRET_ACCESS_KEY, and the region",
  NoSuchBucket: "create the bucket, or correct its name in BLOBS_URL",
  PermanentRedirect: "the bucket is in another region: correct the region of BLOBS_URL",
  AuthorizationHeaderMalformed: "the bucket is in another region: correct the region of BLOBS_URL",
  RequestTimeTooSkewed: "set the clock of this machine",
  ExpiredToken: "renew AWS_SESSION_TOKEN",
};

const MAX_BODY = 64 * 1024;

/** A word of the store's error document. Anything else of it is not repeated: it quotes the request. */
const codeIn = (text: string): string | undefined => /<Code>(\w{1,80})<\/Code>/.exec(text)?.[1];

const explain = (status: number | undefined, code: string | undefined): string =>
  [[status, code].filter(Boolean).join(" "), ADVICE[code ?? ""]].filter(Boolean).join(": ");

/** The error for a response other than success. */
export const refusalOf = async (response: Response): Promise<ObjectStoreError> => {
  const { status } = response;
  const isText = Number(response.headers.get("content-length") ?? 0) <= MAX_BODY;
  const code = isText ? codeIn(await response.text()) : undefined;
  if (!isText) await response.body?.cancel();
  return new ObjectStoreError(`it responded ${explain(status, code)}`, { status, code });
};

const NETWORK: Readonly<Record<string, string>> = {
  ConnectionRefused: "the connection was refused",
  ECONNREFUSED: "the connection was refused",
  ConnectionClosed: "the connection was closed",
  ECONNRESET: "the connection was closed",
  ENOTFOUND: "its name is not in the DNS",
  FailedToOpenSocket: "its name is not in the DNS, or the network cannot be reached",
};

/** Any error of a request. The errors of Bun hold the signed URL, so only their codes are kept. */
export const failureOf = (place: string, error: unknown): ObjectStoreError => {
  const { name, code } = error as { name?: unknown; code?: unknown };
  if (error instanceof ObjectStoreError)
    return error.message.startsWith("the object store ")
      ? error
      : new ObjectStoreError(`the object store ${place} cannot be used: ${error.message}`, error);
  const word = typeof code === "string" ? code : typeof name === "string" ? name : "Error";
  const reason = NETWORK[word] ?? (name === "S3Error" ? `it responded ${explain(undefined, word)}` : word);
  return new ObjectStoreError(`the object store ${place} cannot be used: ${reason}`, { code: word });
};

const FINAL_CODES: ReadonlySet<string> = new Set([...Object.keys(ADVICE), "NoSuchKey", "InvalidArgument"]);

/** True if another try may succeed. */
export const isTransient = ({ status, code, isFinal }: ObjectStoreError): boolean => {
  if (isFinal || FINAL_CODES.has(code ?? "")) return false;
  return status === undefined || status >= 500 || status === 429 || status === 408;
};
