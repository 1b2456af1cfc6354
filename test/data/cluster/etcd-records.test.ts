import { expect, test } from "bun:test";
import { headText, parseHead } from "../../../src/data/cluster/engines/etcd.ts";
import { EngineUnavailable } from "../../../src/data/cluster/log.ts";

test("the end of the log is read as it was written", () => {
  const head = { log: "log-1", position: 7, id: "seventh" };
  expect(parseHead(headText(head))).toEqual(head);
});

test("an end of the log that another program wrote is a fault of the engine", () => {
  for (const text of ["garbage{{", "", "null", "{}", "[]", '["log-1","7","seventh"]', '["log-1",1e300,"id"]'])
    expect(() => parseHead(text)).toThrow(EngineUnavailable);
});
