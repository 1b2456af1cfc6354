import { expect, test } from "bun:test";
import { deviceOf } from "../../../src/pages/console/sessions.ts";
import { type Store, faultOf, openStore } from "../../support/store.ts";
import { signedIn, visitor } from "./visitor.ts";

const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:148.0) Gecko/20100101 Firefox/148.0";
const SAFARI =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1";

interface OwnSession {
  id: string;
  device: string;
  openedAt: string;
  lastUsedAt: string;
  isCurrent: boolean;
}

type Visitor = ReturnType<typeof visitor>;

const sessionsOf = async ({ send }: Pick<Visitor, "send">): Promise<OwnSession[]> =>
  (await (await send("GET", "/console/auth/sessions")).json()) as OwnSession[];

const signedInAs = async ({ state }: Pick<Visitor, "state">) => (await state()).signedIn;

/** A person with a session in Firefox from 00:00, and one on an iPhone from 00:10. */
const openTwice = async (store: Store) => {
  const ada = await signedIn(store);
  const desktop = visitor(store, { "user-agent": FIREFOX });
  await desktop.signIn(ada.authenticator);
  await ada.send("DELETE", "/console/session");
  store.clock.advance(600_000);
  const phone = visitor(store, { "user-agent": SAFARI });
  await phone.signIn(ada.authenticator);
  return { desktop, phone, id: ada.id };
};

test("the sessions of a user are listed with device, first and last use, and the current one is marked", async () => {
  const store = await openStore();
  const { desktop, phone } = await openTwice(store);
  await signedIn(store, { email: "other@example.org" });
  store.clock.advance(120_000);
  await desktop.state();
  const id = expect.stringMatching(/^[0-9a-f]{16}$/) as string;
  expect(await sessionsOf(phone)).toEqual([
    {
      id,
      device: "Safari on iPhone",
      openedAt: "2026-11-20T00:10:00.000Z",
      lastUsedAt: "2026-11-20T00:12:00.000Z",
      isCurrent: true,
    },
    {
      id,
      device: "Firefox on Windows",
      openedAt: "2026-11-20T00:00:00.000Z",
      lastUsedAt: "2026-11-20T00:12:00.000Z",
      isCurrent: false,
    },
  ]);
});

test("the sessions of a user are not listed after an hour without use", async () => {
  const store = await openStore();
  const { phone } = await openTwice(store);
  store.clock.advance(50 * 60_000);
  expect((await sessionsOf(phone)).map(({ device }) => device)).toEqual(["Safari on iPhone"]);
});

test("the sessions of a user end one by one, and their browsers are signed out at the next request", async () => {
  const store = await openStore();
  const { desktop, phone } = await openTwice(store);
  const other = (await sessionsOf(phone)).find(({ isCurrent }) => !isCurrent)!;
  expect((await phone.send("DELETE", `/console/auth/sessions/${other.id}`)).status).toBe(204);
  expect([await signedInAs(desktop), await signedInAs(phone)]).toEqual([false, true]);
  expect(await faultOf(await phone.send("DELETE", `/console/auth/sessions/${other.id}`))).toBe(
    "404 not_found",
  );
});

test("the sessions of a user end together, except the current one, and not for an empty id", async () => {
  const store = await openStore();
  const { desktop, phone } = await openTwice(store);
  expect((await desktop.send("DELETE", "/console/auth/sessions/")).status).toBe(404);
  expect((await desktop.send("DELETE", "/console/auth/sessions")).status).toBe(204);
  expect([await signedInAs(desktop), await signedInAs(phone)]).toEqual([true, false]);
  expect(await sessionsOf(desktop)).toMatchObject([{ device: "Firefox on Windows", isCurrent: true }]);
});

test("the sessions of a user are neither listed nor ended by other people, without the CSRF token or without a session", async () => {
  const store = await openStore();
  const { desktop, phone } = await openTwice(store);
  const [own] = await sessionsOf(desktop);
  const bo = await signedIn(store, { name: "Bo", email: "bo@example.org" });
  expect(await sessionsOf(bo)).toHaveLength(1);
  expect(await faultOf(await bo.send("DELETE", `/console/auth/sessions/${own!.id}`))).toBe("404 not_found");
  expect((await bo.send("DELETE", "/console/auth/sessions")).status).toBe(204);
  const forged = await desktop.send("DELETE", "/console/auth/sessions", {
    headers: { "x-csrf-token": "x" },
  });
  expect(await faultOf(forged)).toBe("403 cross_site_request");
  for (const [method, path] of [
    ["GET", ""],
    ["DELETE", ""],
    ["DELETE", `/${own!.id}`],
  ])
    expect(await faultOf(await visitor(store).send(method!, `/console/auth/sessions${path}`))).toBe(
      "401 not_signed_in",
    );
  expect([await signedInAs(desktop), await signedInAs(phone)]).toEqual([true, true]);
});

test("the sessions of an API key are listed and ended too", async () => {
  const store = await openStore();
  const [one, other] = [visitor(store, { "user-agent": FIREFOX }), visitor(store)];
  await one.signInWithKey();
  await other.signInWithKey();
  expect(await sessionsOf(one)).toHaveLength(2);
  await one.send("DELETE", "/console/auth/sessions");
  expect(await signedInAs(other)).toBe(false);
});

test("the sessions of a user leave entries in the audit log when they begin and when they end", async () => {
  const store = await openStore();
  const { phone, id } = await openTwice(store);
  await phone.send("DELETE", "/console/auth/sessions");
  const response = await store.call("GET", `/platform/audit?actor=person:${id}&resource=session`);
  const entries = (await response.json()) as { action: string; resource: { name: string } }[];
  expect(entries.map(({ action, resource }) => `${action} ${resource.name}`)).toEqual([
    "session.closed Firefox on Windows",
    "session.opened Safari on iPhone",
    "session.closed Unknown device",
    "session.opened Firefox on Windows",
    "session.opened Unknown device",
  ]);
});

test("a session that a browser replaces by signing in again ends, with an entry in the audit log", async () => {
  const store = await openStore();
  const ada = await signedIn(store);
  await ada.signIn(ada.authenticator);
  expect(await sessionsOf(ada)).toHaveLength(1);
  const response = await store.call("GET", "/platform/audit?action=session.closed");
  expect(await response.json()).toMatchObject([{ actor: { kind: "person", id: ada.id } }]);
});

test.each([
  [FIREFOX, "Firefox on Windows"],
  [SAFARI, "Safari on iPhone"],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
    "Safari on Mac",
  ],
  [
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/145.0.0.0 Safari/537.36",
    "Chrome on Linux",
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/145.0.0.0 Safari/537.36 Edg/145.0.0.0",
    "Edge on Windows",
  ],
  [
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36",
    "Samsung Internet on Android",
  ],
  [
    "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/145.0.0.0 Safari/537.36",
    "Chrome on ChromeOS",
  ],
  [
    "Mozilla/5.0 (iPad; CPU OS 18_7 like Mac OS X) AppleWebKit/605.1.15 CriOS/145.0 Mobile/15E148 Safari/604.1",
    "Chrome on iPad",
  ],
  ["curl/8.14.1", "Unknown device"],
  ["<script>alert(1)</script> (Windows NT 10.0)", "Unknown browser on Windows"],
  [`${"x".repeat(100_000)} Firefox/1`, "Unknown device"],
  ["", "Unknown device"],
  [null, "Unknown device"],
])("the User-Agent %p is shown as %p", (userAgent, device) => {
  expect(deviceOf(userAgent)).toBe(device);
});
