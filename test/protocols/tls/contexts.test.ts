import { expect, test } from "bun:test";
import { secureContexts, type KeyPair } from "../../../src/protocols/tls/contexts.ts";
import { createTestCa } from "../../support/certificates.ts";

const testCa = await createTestCa();
const pair = await testCa.issue(["a.test"]);
const other = await testCa.issue(["b.test"], { intermediate: true });

/** Contexts for the pairs in `stored`, and the names that were read and that failed. */
const contextsOver = (stored: Record<string, KeyPair>, maxContexts?: number) => {
  const reads: string[] = [];
  const failures: string[] = [];
  const contexts = secureContexts({
    read: (name) => {
      reads.push(name);
      return stored[name];
    },
    onError: (name) => failures.push(name),
    ...(maxContexts !== undefined && { maxContexts }),
  });
  return { contexts, reads, failures };
};

test("a context is created on first use and cached", () => {
  const { contexts, reads } = contextsOver({ "a.test": pair });
  expect(contexts.count).toBe(0);
  const found = contexts.find("a.test");
  expect(found).toBeDefined();
  expect(contexts.find("a.test")).toBe(found);
  expect(reads).toEqual(["a.test"]);
});

test("a name without a certificate has no context, is not cached, and may get one later", () => {
  const stored: Record<string, KeyPair> = {};
  const { contexts } = contextsOver(stored);
  expect(contexts.find("a.test")).toBeUndefined();
  expect(contexts.count).toBe(0);
  stored["a.test"] = pair;
  expect(contexts.find("a.test")).toBeDefined();
});

test("the context used least recently is evicted first", () => {
  const { contexts, reads } = contextsOver({ a: pair, b: other, c: pair }, 2);
  for (const name of ["a", "b", "a", "c", "a", "b"]) contexts.find(name);
  expect(reads).toEqual(["a", "b", "c", "b"]);
  expect(contexts.count).toBe(2);
});

test("a dropped name is read again, and every name is after clear", () => {
  const { contexts, reads } = contextsOver({ a: pair, b: other });
  contexts.find("a");
  contexts.find("b");
  contexts.drop("a");
  contexts.find("a");
  contexts.find("b");
  contexts.clear();
  expect(contexts.count).toBe(0);
  contexts.find("b");
  expect(reads).toEqual(["a", "b", "a", "b"]);
});

test.each<[string, KeyPair]>([
  ["key of another certificate", { key: other.key, cert: pair.cert }],
  ["malformed key", { key: "no key", cert: pair.cert }],
  ["empty certificate", { key: pair.key, cert: "" }],
  [
    "broken chain",
    { key: pair.key, cert: `${pair.cert}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n` },
  ],
])("a %s is reported once, and gives no context until it is replaced", (_what, broken) => {
  const stored = { "a.test": broken };
  const { contexts, failures } = contextsOver(stored);
  expect(contexts.find("a.test")).toBeUndefined();
  expect(contexts.find("a.test")).toBeUndefined();
  expect(failures).toEqual(["a.test"]);
  stored["a.test"] = pair;
  contexts.drop("a.test");
  expect(contexts.find("a.test")).toBeDefined();
});

test("an error of `read` is reported, and the next find reads again", () => {
  let isBroken = true;
  const failures: unknown[] = [];
  const contexts = secureContexts({
    read: () => {
      if (isBroken) throw new Error("locked");
      return pair;
    },
    onError: (_name, error) => failures.push(error),
  });
  expect(contexts.find("a.test")).toBeUndefined();
  expect(failures).toEqual([new Error("locked")]);
  isBroken = false;
  expect(contexts.find("a.test")).toBeDefined();
});
