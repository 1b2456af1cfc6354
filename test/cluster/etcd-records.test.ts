import { expect, test } from "bun:test";
import { headIn, headText } from "../../src/cluster/engines/etcd-records.ts";
import { EngineUnavailable } from "../../src/cluster/errors.ts";

const rangeOf = (text: string) => ({
  header: { revision: "1" },
  kvs: [{ key: "", value: btoa(text), create_revision: "1" }],
});

test("the end of the log is read as it was written", () => {
  const head = { log: "log-1", position: 7, id: "seventh" };
  expect(headIn(rangeOf(headText(head)))).toEqual(head);
  expect(headIn({ header: { revision: "1" } })).toBeUndefined();
});

test("an end of the log that another program wrote is a fault of the engine", () => {
  for (const text of ["garbage{{", "", "null", "{}", "[]", '["log-1","7","seventh"]', '["log-1",1e300,"id"]'])
    expect(() => headIn(rangeOf(text))).toThrow(EngineUnavailable);
});
