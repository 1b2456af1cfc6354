import { expect, test } from "bun:test";
import { childEnvironment } from "../../src/config/shared-settings.ts";
import { readConfig } from "../../src/config/config.ts";

const read = (env: Readonly<Record<string, string | undefined>>, flags: Record<string, string> = {}) =>
  readConfig({ flags, env, isTerminal: false });

const KEYS = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };

test.each<[string, Record<string, string>, Record<string, string>]>([
  [
    "a flag with keys",
    {},
    { blobsUrl: "s3://id:a%2Fb%40c%25@bucket/a/b?endpoint=http://[::1]:9000&region=eu" },
  ],
  ["a flag with other keys than the environment", KEYS, { blobsUrl: "s3://other:word@bucket" }],
  [
    "a flag, with another bucket in the environment",
    { ...KEYS, BLOBS_URL: "s3://old" },
    { blobsUrl: "s3://new" },
  ],
  [
    "a variable, with a session token",
    { ...KEYS, AWS_SESSION_TOKEN: "token", BLOBS_URL: "s3://bucket/sites" },
    {},
  ],
  [
    "a flag, with region and endpoint of the environment",
    { AWS_REGION: "r", S3_ENDPOINT: "https://s3.test" },
    { blobsUrl: "s3://bucket" },
  ],
])("a command has the server's BLOBS_URL from its environment alone, also from %s", (_, env, flags) => {
  const { blobsUrl } = read(env, flags);
  expect(blobsUrl).toBeDefined();
  expect(read(childEnvironment({ blobsUrl }, env)).blobsUrl).toEqual(blobsUrl);
});

test("without BLOBS_URL the environment is the server's", () => {
  const env = { ...KEYS, PATH: "/bin" };
  expect(childEnvironment({ blobsUrl: undefined }, env)).toBe(env);
});
