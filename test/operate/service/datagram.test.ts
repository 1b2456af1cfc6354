import { dlopen, ptr } from "bun:ffi";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { sendDatagram } from "../../../src/operate/service/notify.ts";
import { atEnd } from "../../support/ends.ts";
import { temporaryDirectory } from "../../support/store.ts";

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

linux("a socket that nobody listens to, or with a path that is too long, is an error", () => {
  const path = join(temporaryDirectory(), "nobody");
  expect(() => sendDatagram(path, "READY=1")).toThrow(`${path} does not accept a datagram`);
  expect(() => sendDatagram(`/${"x".repeat(108)}`, "READY=1")).toThrow("is too long for a socket");
});
