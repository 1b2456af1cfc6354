import { expect, test } from "bun:test";
import { DATA, HEADERS, SETTINGS, WINDOW_UPDATE } from "../../../src/protocols/tls/frames.ts";
import { watchResponses } from "../../../src/protocols/tls/responses.ts";

const STALL_MS = 30_000;
const NOTHING = Buffer.alloc(0);

const frame = (type: number, stream: number, length = 0) => ({ type, flags: 0, stream, length });

/** The windows of a client on a clock that a test moves. Stream 1 has a response whose first byte closed its window. */
const closedWindow = () => {
  let now = 1;
  const responses = watchResponses(
    () => now,
    () => {},
  );
  const setWindow = (bytes: number) => {
    const settings = Buffer.from([0, 4, 0, 0, 0, 0]);
    settings.writeUInt32BE(bytes, 2);
    responses.received(frame(SETTINGS, 0), settings);
  };
  setWindow(1);
  responses.received(frame(HEADERS, 1), NOTHING);
  responses.sent(frame(HEADERS, 1));
  responses.sent(frame(DATA, 1, 1));
  return {
    pass: (ms: number) => void (now += ms),
    /** The client grants bytes, and the server sends them immediately. */
    read(bytes: number) {
      const update = Buffer.alloc(4);
      update.writeUInt32BE(bytes);
      for (const stream of [0, 1]) responses.received(frame(WINDOW_UPDATE, stream), update);
      responses.sent(frame(DATA, 1, bytes));
    },
    /** The client grants 64 KiB and withdraws them before the server sends any. */
    toggle() {
      setWindow(65_536);
      setWindow(1);
    },
    isLate: () => responses.blockedSince(now - STALL_MS).length > 0,
  };
};

test.each([
  [1, 10, true],
  [2300, 10, true],
  [2400, 10, false],
  [6960, 29, false],
])("a client that reads %i bytes every %i s is late within an hour: %p", (bytes, seconds, isLate) => {
  const { pass, read, isLate: isLateNow } = closedWindow();
  let wasLate = false;
  for (let at = 0; at < 3600; at += seconds) {
    pass(1000 * seconds);
    wasLate ||= isLateNow();
    read(bytes);
  }
  expect(wasLate).toBe(isLate);
});

test("a client that opens its window and closes it again without reading is late after 30 s", () => {
  const { pass, toggle, isLate } = closedWindow();
  pass(STALL_MS - 1);
  toggle();
  expect(isLate()).toBe(false);
  pass(1);
  expect(isLate()).toBe(true);
});

test("a client that reads again after hours is not late for as long", () => {
  const { pass, read, isLate } = closedWindow();
  pass(7_200_000);
  read(7200);
  expect(isLate()).toBe(false);
  pass(STALL_MS - 1);
  expect(isLate()).toBe(false);
  pass(1);
  expect(isLate()).toBe(true);
});

test("requests after the end of a connection do not count as open", () => {
  let open = 0;
  const responses = watchResponses(
    () => 1,
    (change) => void (open += change),
  );
  responses.received(frame(HEADERS, 1), NOTHING);
  expect(open).toBe(1);
  responses.endAll();
  responses.received(frame(HEADERS, 3), NOTHING);
  expect(open).toBe(0);
});
