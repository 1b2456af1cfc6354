import { expect, test } from "bun:test";
import { type Handlers, channel } from "../../../src/edge/workers/channel.ts";
import { outcomeOf } from "../../support/outcome.ts";

/** Two ends that are connected. */
const connected = (handlers: Handlers) => {
  const here = channel((packet) => queueMicrotask(() => there.receive(packet)), {});
  const there = channel((packet) => queueMicrotask(() => here.receive(packet)), handlers);
  return { here, there };
};

test("a call returns what the other process returns", async () => {
  const { here } = connected({ double: async (number: number) => 2 * number });
  expect(await Promise.all([here.ask("double", 2), here.ask("double", 3)])).toEqual([4, 6]);
});

test("a call that fails in the other process fails here", async () => {
  const { here } = connected({
    fail() {
      throw new Error("no room");
    },
  });
  expect(await outcomeOf(here.ask("fail"))).toThrow("no room");
});

test("a call that waits when the other process ends fails", async () => {
  const { here } = connected({ wait: () => new Promise(() => {}) });
  const waiting = outcomeOf(here.ask("wait"));
  here.close();
  expect(await waiting).toThrow("has ended");
  expect(await outcomeOf(here.ask("wait"))).toThrow("has ended");
});

test("calls to a process that has ended without notice fail, and it gets no response to its own calls", async () => {
  const fail = () => {
    throw new Error("there is no process");
  };
  const here = channel(fail, { add: () => 1 });
  expect(await outcomeOf(channel(fail, {}).ask("add"))).toThrow("has ended");
  here.receive({ id: 1, call: "add", data: undefined });
  await Bun.sleep(0);
  expect(await outcomeOf(here.ask("add"))).toThrow("has ended");
});
