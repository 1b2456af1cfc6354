import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { readRefusedHosts, refusedHosts, refusedHostsPath } from "../../src/edge/refused-hosts.ts";
import { openStore, temporaryDirectory, testClock } from "../support/store.ts";

const HOUR_MS = 60 * 60_000;

const open = () => {
  const clock = testClock();
  const logged: string[] = [];
  const hosts = refusedHosts({
    clock,
    log: { warn: (entry: { host: string }) => void logged.push(entry.host) } as never,
  });
  return { clock, logged, hosts };
};

test("the list of refused hosts has the newest first, with their counts and last times", () => {
  const { clock, hosts } = open();
  hosts.add("a.example");
  hosts.add("b.example");
  clock.advance(1000);
  hosts.add("a.example");
  expect(hosts.list()).toEqual([
    { host: "a.example", count: 2, lastAt: "2026-11-20T00:00:01.000Z" },
    { host: "b.example", count: 1, lastAt: "2026-11-20T00:00:00.000Z" },
  ]);
});

test("the list of refused hosts keeps the newest 20, regardless of how many names strangers invent", () => {
  const { hosts } = open();
  for (let index = 0; index < 1000; index++) hosts.add(`${index}.example`);
  expect(hosts.list().map(({ host }) => host)).toEqual(
    Array.from({ length: 20 }, (_, index) => `${999 - index}.example`),
  );
});

test("the log names a refused host once an hour", () => {
  const { clock, hosts, logged } = open();
  for (let minute = 0; minute < 61; minute++) {
    hosts.add("a.example");
    clock.advance(HOUR_MS / 60);
  }
  expect(logged).toEqual(["a.example", "a.example"]);
});

test("the log names a refused host at most once a second, regardless of the names", () => {
  const { clock, hosts, logged } = open();
  for (let index = 0; index < 100; index++) {
    hosts.add(`${index}.example`);
    clock.advance(100);
  }
  expect(logged).toHaveLength(10);
  hosts.add("99.example");
  expect(logged.at(-1)).toBe("99.example");
});

test("the file of refused hosts is read as it was written, and only its owner can read it", async () => {
  const dataDir = temporaryDirectory();
  const { hosts } = open();
  hosts.add("adopt.example.org");
  await hosts.save(dataDir);
  expect(readRefusedHosts(dataDir)).toEqual(hosts.list());
  expect(statSync(refusedHostsPath(dataDir)).mode & 0o777).toBe(0o600);
});

test("the file of refused hosts is written only if a host was refused since", async () => {
  const dataDir = temporaryDirectory();
  const { hosts } = open();
  await hosts.save(dataDir);
  expect(existsSync(refusedHostsPath(dataDir))).toBe(false);
  hosts.add("a.example");
  await hosts.save(dataDir);
  writeFileSync(refusedHostsPath(dataDir), "mine");
  await hosts.save(dataDir);
  expect(readFileSync(refusedHostsPath(dataDir), "utf8")).toBe("mine");
});

test("the file of refused hosts of an earlier start is emptied", async () => {
  const dataDir = temporaryDirectory();
  const { hosts } = open();
  hosts.add("a.example");
  await hosts.save(dataDir);
  await open().hosts.save(dataDir);
  expect(readRefusedHosts(dataDir)).toEqual([]);
});

test.each([
  ["missing", undefined],
  ["damaged", "{"],
  ["not a list", '{"host":"a"}'],
  ["too large", JSON.stringify(Array.from({ length: 1000 }, () => "x".repeat(100)))],
  ["a list of something else", '[null, 1, {"host":"a"}, {"host":1,"count":1,"lastAt":""}]'],
])("a file of refused hosts that is %s reads as empty", (_, text) => {
  const dataDir = temporaryDirectory();
  if (text !== undefined) writeFileSync(refusedHostsPath(dataDir), text);
  expect(readRefusedHosts(dataDir)).toEqual([]);
});

test("a server counts refused hosts without their port, and no other requests", async () => {
  const store = await openStore({ env: { PLATFORM_DOMAIN: "sites.example.org" } });
  for (const host of [
    "Adopt.example.org:8443",
    "adopt.example.org.",
    "none.sites.example.org",
    "localhost",
    "a b",
  ])
    await store.visit("http://localhost/", { headers: { host } });
  expect(store.refusedHosts.list().map(({ host, count }) => `${host} ${count}`)).toEqual([
    "none.sites.example.org 1",
    "adopt.example.org 2",
  ]);
  expect(store.log.filter(({ level, host }) => level === 40 && host === "adopt.example.org")).toHaveLength(1);
});
