import { expect, test } from "bun:test";
import { faultOf } from "../../src/lib/errors.ts";
import { retryOutOfFiles } from "../../src/lib/files.ts";
import { outcomeOf } from "../support/outcome.ts";

const outOfFiles = () => Object.assign(new Error("too many open files"), { code: "EMFILE" });

/** Fails this many times, then returns the number of calls. */
const failing = (times: number, error: Error = outOfFiles()) => {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls <= times) throw error;
    return calls;
  };
};

test("an action without a free descriptor is retried until there is one", async () => {
  expect(await retryOutOfFiles(failing(5), async () => {})).toBe(6);
});

test("an action that never gets a descriptor fails in the end", async () => {
  const act = failing(Infinity);
  expect(await outcomeOf(Promise.resolve(retryOutOfFiles(act, async () => {})))).toThrow(
    "too many open files",
  );
});

test("an action with another error is not retried", async () => {
  const act = failing(1, new Error("gone"));
  expect(await outcomeOf(Promise.resolve(retryOutOfFiles(act, async () => {})))).toThrow("gone");
});

test("a result that is not a promise is returned unchanged", () => {
  expect(retryOutOfFiles(() => 7)).toBe(7);
});

test.each(["EMFILE", "ENFILE"])("the error %s becomes a 503 with Retry-After", (code) => {
  const fault = faultOf(Object.assign(new Error("x"), { code }));
  expect([fault.code, fault.headers["retry-after"]]).toEqual(["storage_unavailable", "1"]);
  expect(fault.message).toBe("The service has too many files and connections open. Try again later.");
});
