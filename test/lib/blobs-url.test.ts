import { expect, test } from "bun:test";
import { completeBlobsUrl, describeBlobsUrl, parseBlobsUrl } from "../../src/lib/blobs-url.ts";

const read = (text: string, env: Record<string, string> = {}) => completeBlobsUrl(parseBlobsUrl(text), env);

test("BLOBS_URL names keys, bucket, prefix, endpoint and region", () => {
  expect(read("s3://key:sec%2Fret@my-bucket/a/b/?endpoint=https://s3.example.org/&region=eu-1")).toEqual({
    bucket: "my-bucket",
    prefix: "a/b",
    endpoint: "https://s3.example.org",
    region: "eu-1",
    credentials: { accessKeyId: "key", secretAccessKey: "sec/ret", sessionToken: undefined },
  });
});

test("BLOBS_URL takes missing parts from the environment, else from Amazon's names", () => {
  const env = {
    AWS_ACCESS_KEY_ID: "key",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_SESSION_TOKEN: "token",
    AWS_REGION: "eu-central-1",
  };
  expect(read("s3://my-bucket", env)).toEqual({
    bucket: "my-bucket",
    prefix: "",
    endpoint: "https://s3.eu-central-1.amazonaws.com",
    region: "eu-central-1",
    credentials: { accessKeyId: "key", secretAccessKey: "secret", sessionToken: "token" },
  });
  expect(read("s3://my-bucket", { S3_ENDPOINT: "http://127.0.0.1:9000" })).toMatchObject({
    endpoint: "http://127.0.0.1:9000",
    region: "us-east-1",
    credentials: undefined,
  });
});

test("BLOBS_URL is described without its keys", () => {
  expect(describeBlobsUrl(read("s3://key:secret@my-bucket/a?region=eu-1"))).toBe(
    "s3://my-bucket/a at https://s3.eu-1.amazonaws.com",
  );
});

test.each([
  ["https://my-bucket/sites", "it must be written as s3://"],
  ["s3://", "it must be written as s3://"],
  ["s3://My_Bucket", "the bucket must be"],
  ["s3://my-bucket/../x", "the prefix after the bucket"],
  ["s3://my-bucket/a b", "the prefix after the bucket"],
  ["s3://my-bucket?acl=public", "the options after the ?"],
  ["s3://my-bucket?region=a&region=b", "the options after the ?"],
  ["s3://my-bucket?region=a/b", "the region must be a word"],
  ["s3://my-bucket?endpoint=s3.example.org", "the endpoint must be an address"],
  ["s3://my-bucket?endpoint=https://key:secret@s3.example.org", "the options after the ?|endpoint|bucket"],
  ["s3://my-bucket?endpoint=http://s3.example.org", "the endpoint must be https"],
  ["s3://my-bucket?endpoint=http://127.0.0.1.example.org", "the endpoint must be https"],
  ["s3://key@my-bucket", "before the @ there must be both keys"],
  ["s3://key:%zz@my-bucket", "is not percent-encoded"],
])("BLOBS_URL=%s is refused", (text, says) => {
  expect(() => read(text)).toThrow(new RegExp(says.replaceAll("?", "\\?").replace("s3://", "s3:")));
});

test("BLOBS_URL does not mix its keys with a session token of the environment", () => {
  expect(() => read("s3://key:secret@my-bucket", { AWS_SESSION_TOKEN: "token" })).toThrow(
    "unset AWS_SESSION_TOKEN",
  );
});

test("BLOBS_URL without keys needs both keys of the environment", () => {
  expect(() => read("s3://my-bucket", { AWS_ACCESS_KEY_ID: "key" })).toThrow("set both AWS_ACCESS_KEY_ID");
});

test.each(["s3://key:topsecret@My_Bucket", "s3://key:topsecret:x@my-bucket", "s3://key:topsecret@b?x=1"])(
  "no refusal of BLOBS_URL=%s quotes a key",
  (text) => {
    let message = "";
    try {
      read(text);
    } catch (error) {
      ({ message } = error as Error);
    }
    expect(message).not.toBe("");
    expect(message).not.toContain("topsecret");
  },
);
