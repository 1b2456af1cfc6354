import { expect, jest, test } from "bun:test";
import { join } from "node:path";
import { takeSupervisor } from "../../../src/config/sources.ts";
import { sendDatagram, serviceNotifier } from "../../../src/operate/service/notify.ts";
import { atEnd } from "../../support/ends.ts";
import { dlopen, ptr } from "bun:ffi";
import { temporaryDirectory } from "../../support/store.ts";

const record = (watchdogMs?: number) => {
  const sent: string[] = [];
  const send = (socket: string, text: string) => void sent.push(`${socket} ${text.replaceAll("\n", " ")}`);
  const onError = (error: unknown) => {
    throw error;
  };
  return { sent, notifier: serviceNotifier({ socket: "@s", watchdogMs, send, onError }) };
};

/** Lets promises resolve while the timers are fake. */
const settle = async () => {
  for (let turns = 0; turns < 5; turns++) await Promise.resolve();
};

const fakeTimers = () => {
  jest.useFakeTimers();
  atEnd(() => jest.useRealTimers());
};

test("a slow start requests more time until it is ready", () => {
  fakeTimers();
  const { sent, notifier } = record();
  notifier.starting();
  jest.advanceTimersByTime(45_000);
  expect(sent).toEqual(Array(3).fill("@s EXTEND_TIMEOUT_USEC=60000000 STATUS=Starting"));
  sent.length = 0;
  notifier.ready(() => new Promise(() => {}));
  jest.advanceTimersByTime(100_000);
  expect(sent).toEqual(["@s READY=1 STATUS=Ready"]);
});

test("the watchdog gets the state twice in its time, also if the state is bad", async () => {
  fakeTimers();
  const { sent, notifier } = record(10_000);
  const states = ["Ready", "Not ready: disk: it is full\nreally", "Ready"];
  notifier.ready(() => Promise.resolve(states.shift() ?? ""));
  for (const _ of [1, 2]) {
    await settle();
    jest.advanceTimersByTime(5000);
  }
  await settle();
  expect(sent.slice(1)).toEqual([
    "@s WATCHDOG=1 STATUS=Ready",
    "@s WATCHDOG=1 STATUS=Not ready: disk: it is full really",
    "@s WATCHDOG=1 STATUS=Ready",
  ]);
});

test("the watchdog gets no message while the state is missing", async () => {
  fakeTimers();
  const { sent, notifier } = record(10_000);
  notifier.ready(() => new Promise(() => {}));
  await settle();
  jest.advanceTimersByTime(60_000);
  expect(sent).toEqual(["@s READY=1 STATUS=Ready"]);
});

test("nothing follows the message that the server stops", async () => {
  fakeTimers();
  const { sent, notifier } = record(10_000);
  notifier.ready(() => Promise.resolve("Ready"));
  notifier.stopping();
  await settle();
  jest.advanceTimersByTime(60_000);
  expect(sent.at(-1)).toBe("@s STOPPING=1 STATUS=Stopping");
});

test("the first message that cannot be sent is reported, and the server continues", () => {
  const errors: string[] = [];
  const notifier = serviceNotifier({
    socket: "/nobody",
    watchdogMs: undefined,
    onError: (error) => void errors.push((error as Error).message),
    send: (socket) => {
      throw new Error(socket);
    },
  });
  notifier.ready(() => Promise.resolve("Ready"));
  notifier.stopping();
  expect(errors).toEqual(["/nobody"]);
});

test("a process whose start fails ends, although it has requested more time", async () => {
  const script = `
    import { serviceNotifier } from ${JSON.stringify(join(import.meta.dir, "../../../src/operate/service/notify.ts"))};
    serviceNotifier({ socket: "@nobody", watchdogMs: 1000, onError: () => {}, send: () => {} }).starting();`;
  const child = Bun.spawn([process.execPath, "-e", script], { timeout: 5000 });
  expect(await child.exited).toBe(0);
});

test("the variables of the service manager are read once and removed", () => {
  const env = { NOTIFY_SOCKET: "@s", WATCHDOG_USEC: "30000000", WATCHDOG_PID: "7", PATH: "/bin" };
  expect(takeSupervisor(env, 7)).toEqual({ socket: "@s", watchdogMs: 30_000 });
  expect(env as Record<string, string>).toEqual({ PATH: "/bin" });
});

test.each([
  ["of another process", { NOTIFY_SOCKET: "/s", WATCHDOG_USEC: "30000000", WATCHDOG_PID: "8" }],
  ["without a time", { NOTIFY_SOCKET: "/s" }],
])("a watchdog %s does not count", (_, env) => {
  expect(takeSupervisor({ ...env }, 7)).toEqual({ socket: "/s", watchdogMs: undefined });
});

test("without a socket there is no service manager", () => {
  expect(takeSupervisor({ NOTIFY_SOCKET: "", WATCHDOG_USEC: "1" }, 7)).toBeUndefined();
});

/** A Unix datagram socket, through the C library of most Linux machines. */
const listen = (name: Buffer) => {
  const { symbols } = dlopen("libc.so.6", {
    socket: { args: ["i32", "i32", "i32"], returns: "i32" },
    bind: { args: ["i32", "ptr", "u32"], returns: "i32" },
    recv: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
    close: { args: ["i32"], returns: "i32" },
  });
  const address = Buffer.concat([Buffer.from([1, 0]), name]);
  const handle = symbols.socket(1, 2, 0);
  expect(symbols.bind(handle, ptr(address), address.length)).toBe(0);
  atEnd(() => symbols.close(handle));
  return () => {
    const buffer = Buffer.alloc(1000);
    const dontWait = 0x40;
    const length = Number(symbols.recv(handle, ptr(buffer), buffer.length, dontWait));
    return buffer.subarray(0, length).toString();
  };
};

const linux = test.skipIf(process.platform !== "linux");

linux("a datagram reaches a socket with a path, whole", () => {
  const path = join(temporaryDirectory(), "notify");
  const receive = listen(Buffer.from(`${path}\0`));
  sendDatagram(path, "READY=1\nSTATUS=Zoë");
  sendDatagram(path, "WATCHDOG=1");
  expect([receive(), receive()]).toEqual(["READY=1\nSTATUS=Zoë", "WATCHDOG=1"]);
});

linux("a datagram reaches an abstract socket", () => {
  const name = `adoption-store-test-${process.pid}`;
  const receive = listen(Buffer.from(`\0${name}`));
  sendDatagram(`@${name}`, "READY=1");
  expect(receive()).toBe("READY=1");
});

linux("a socket without a listener, or with a path that is too long, is an error", () => {
  const path = join(temporaryDirectory(), "nobody");
  expect(() => sendDatagram(path, "READY=1")).toThrow(`${path} does not accept a datagram`);
  expect(() => sendDatagram(`/${"x".repeat(108)}`, "READY=1")).toThrow("is too long for a socket");
});
