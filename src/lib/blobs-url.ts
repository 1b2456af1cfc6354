import { attempt } from "./attempt.ts";
/** The object storage of sites' files, from BLOBS_URL and the environment. Print `describeBlobsUrl` instead. */
export interface BlobsUrl {
  readonly bucket: string;
  /** Without slashes at its ends; "": the whole bucket. */
  readonly prefix: string;
  readonly endpoint: string;
  readonly region: string;
  /** Undefined: the environment has to name them. */
  readonly credentials: ObjectCredentials | undefined;
}

interface ObjectCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

/** Names a correct form, and repeats nothing that may be a part of a secret. */
export class InvalidBlobsUrl extends Error {
  override name = "InvalidBlobsUrl";
}

const EXAMPLE = "s3://my-bucket/sites?endpoint=https://s3.example.org&region=eu-central-1";
const MAX_LENGTH = 4096;
const DEFAULT_REGION = "us-east-1";

/** Credentials, bucket, prefix and query. A secret that holds one of `@ / ? #` must be percent-encoded. */
const FORM = /^s3:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
/** The rules of Amazon S3, which every other service accepts. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^(?:[\w.-]{1,64}(?:\/[\w.-]{1,64}){0,7})?$/;
const REGION = /^[\w-]{1,64}$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const refuse = (reason: string): never => {
  throw new InvalidBlobsUrl(reason);
};

const decode = (text: string, what: string): string => {
  const decoded = attempt(() => decodeURIComponent(text));
  if (decoded !== undefined && !/\p{Cc}/u.test(decoded)) return decoded;
  return refuse(`${what} is not percent-encoded: write % as %25, @ as %40, / as %2F, ? as %3F and # as %23`);
};

const optionsOf = (query: string): ReadonlyMap<string, string> => {
  const options = new Map<string, string>();
  for (const part of query.split("&").filter((text) => text !== "")) {
    const [, name = "", value = ""] = /^(endpoint|region)=(.+)$/.exec(part) ?? [];
    if (name === "" || options.has(name))
      return refuse(`the options after the ? must be endpoint and region, each once, as in ${EXAMPLE}`);
    options.set(name, decode(value, `the option ${name}`));
  }
  return options;
};

/** The traffic is the files of sites and a signature for each: outside this machine it is encrypted. */
const endpointOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    return refuse("the endpoint must be an address such as https://s3.example.org");
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname))
    return refuse("the endpoint must be https, unless it is on this machine");
  return url.href.replace(/\/+$/, "");
};

const credentialsIn = (text: string | undefined): ObjectCredentials | undefined => {
  if (text === undefined) return undefined;
  const [key = "", secret = "", ...others] = text.split(":").map((part) => decode(part, "the secret key"));
  return key === "" || secret === "" || others.length > 0
    ? refuse("before the @ there must be both keys: ACCESS_KEY_ID:SECRET_ACCESS_KEY@")
    : { accessKeyId: key, secretAccessKey: secret, sessionToken: undefined };
};

/** The parts in the URL itself. */
type WrittenBlobsUrl = Omit<BlobsUrl, "endpoint" | "region"> & {
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
};

/** @throws InvalidBlobsUrl */
export const parseBlobsUrl = (text: string): WrittenBlobsUrl => {
  const [, userinfo, bucket = "", path = "", query = ""] =
    (text.length <= MAX_LENGTH && FORM.exec(text)) || [];
  if (bucket === "") return refuse(`it must be written as ${EXAMPLE}`);
  if (!BUCKET.test(bucket))
    return refuse(
      "the bucket must be 3 to 63 lower-case letters, digits, dots and hyphens, as in s3://my-bucket/sites",
    );
  const prefix = decode(path, "the prefix").replace(/\/+$/, "");
  if (!PREFIX.test(prefix) || prefix.split("/").some((part) => part === "." || part === ".."))
    return refuse("the prefix after the bucket must be words of letters, digits, . _ and -, such as /sites");
  const options = optionsOf(query);
  const endpoint = options.get("endpoint");
  const region = options.get("region");
  if (region !== undefined && !REGION.test(region))
    return refuse("the region must be a word, such as eu-central-1");
  return {
    bucket,
    prefix,
    endpoint: endpoint === undefined ? undefined : endpointOf(endpoint),
    region,
    credentials: credentialsIn(userinfo),
  };
};

type Environment = Readonly<Record<string, string | undefined>>;

const credentialsFrom = (env: Environment): ObjectCredentials | undefined => {
  const { AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = env;
  if (!key !== !secret) return refuse("set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither");
  return key && secret
    ? { accessKeyId: key, secretAccessKey: secret, sessionToken: token || undefined }
    : undefined;
};

/**
 * Adds the environment's values, from the variables that other programs read too. @throws InvalidBlobsUrl
 */
export const completeBlobsUrl = (written: WrittenBlobsUrl, env: Environment): BlobsUrl => {
  // Bun's S3 client would send this token along with any keys.
  if (written.credentials && (env["AWS_SESSION_TOKEN"] || env["S3_SESSION_TOKEN"]))
    return refuse(
      "its keys cannot be used with the session token of the environment: unset AWS_SESSION_TOKEN and S3_SESSION_TOKEN, or remove the keys from the URL",
    );
  const region = written.region ?? (env["AWS_REGION"] || DEFAULT_REGION);
  if (!REGION.test(region)) return refuse("AWS_REGION must be a word, such as eu-central-1");
  const endpoint = written.endpoint ?? (env["S3_ENDPOINT"] || undefined);
  return {
    ...written,
    region,
    endpoint: endpoint === undefined ? `https://s3.${region}.amazonaws.com` : endpointOf(endpoint),
    credentials: written.credentials ?? credentialsFrom(env),
  };
};

/** As BLOBS_URL, without credentials: `completeBlobsUrl` adds those of the environment. */
export const blobsUrlText = ({ bucket, prefix, endpoint, region }: BlobsUrl): string =>
  `s3://${bucket}${prefix && `/${prefix}`}?endpoint=${encodeURIComponent(endpoint)}&region=${region}`;

/** Without credentials, for people and logs. */
export const describeBlobsUrl = ({ bucket, prefix, endpoint }: BlobsUrl): string =>
  `s3://${bucket}${prefix && `/${prefix}`} at ${endpoint}`;
