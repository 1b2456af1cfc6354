import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { commandRooms } from "../../../src/app/command-rooms.ts";
import { browserStateRepository } from "../../../src/pages/console/repository.ts";
import { createSessions } from "../../../src/pages/console/sessions.ts";
import { personRepository } from "../../../src/access/people/repository.ts";
import { ORIGIN, invite, signedIn, visitor } from "../../access/people/visitor.ts";
import { faultOf, openStore } from "../../support/store.ts";

const MINUTE = 60_000;

const openLinks = async () => {
  const store = await openStore();
  const { signInLinks } = commandRooms(store.context);
  const create = async () => (await signInLinks.create())?.token ?? "";
  const open = (token: string, browser = visitor(store)) =>
    browser.send("POST", "/console/auth/link", { json: { token } });
  return { store, create, open };
};

describe("a sign-in link", () => {
  test("signs the operator in with all scopes, and the audit log names the operator", async () => {
    const { store, create, open } = await openLinks();
    const browser = visitor(store);
    const response = await open(await create(), browser);
    const state = (await response.json()) as { csrfToken: string };
    expect(response.status).toBe(201);
    expect(state).toEqual({
      signedIn: true,
      csrfToken: expect.any(String),
      storeId: expect.any(String),
      operator: { scopes: ["*"] },
    } as never);
    expect(await browser.state()).toMatchObject({ signedIn: true, operator: { scopes: ["*"] } });
    const json = { name: "Ada Byron", email: "ada@example.org", role: "administrator" };
    const headers = { "x-csrf-token": state.csrfToken };
    const added = await browser.send("POST", "/console/api/platform/people", { json, headers });
    expect(added.status).toBe(201);
    const audit = await (await store.call("GET", "/platform/audit?limit=2")).json();
    expect(audit).toMatchObject([
      { action: "person.added", actor: { kind: "operator" } },
      { action: "session.opened", actor: { kind: "operator" }, changes: [{ field: "method", to: "link" }] },
    ]);
    expect(await faultOf(await browser.send("GET", "/console/auth/passkeys"))).toBe("404 not_found");
  });

  test("works once, even if two browsers open it at the same time", async () => {
    const { create, open } = await openLinks();
    const token = await create();
    const responses = await Promise.all([1, 2, 3].map(() => open(token)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 410, 410]);
  });

  test("is not used up by a GET request, a HEAD request or a page of another site", async () => {
    const { store, create, open } = await openLinks();
    const token = await create();
    for (const method of ["GET", "HEAD"])
      expect((await store.visit(`${ORIGIN}/console/sign-in`, { method })).status).toBe(200);
    const foreign = await visitor(store).send("POST", "/console/auth/link", {
      json: { token },
      headers: { "sec-fetch-site": "cross-site" },
    });
    expect(await faultOf(foreign)).toBe("403 cross_site_request");
    expect((await open(token)).status).toBe(201);
  });

  test("expires after fifteen minutes, and a newer link replaces it", async () => {
    const { store, create, open } = await openLinks();
    const first = await create();
    const second = await create();
    expect(await faultOf(await open(first))).toBe("410 invalid_invitation");
    store.clock.advance(15 * MINUTE - 1);
    expect((await open(second)).status).toBe(201);
    const third = await create();
    store.clock.advance(15 * MINUTE);
    expect((await open(third)).status).toBe(410);
  });

  test("is invalid once an administrator exists, and no other link is created", async () => {
    const { store, create, open } = await openLinks();
    await invite(store, { role: "staff" });
    const token = await create();
    await invite(store, { email: "b@example.org", role: "administrator" });
    expect(await faultOf(await open(token))).toBe("410 invalid_invitation");
    expect(await create()).toBe("");
    await store.call("DELETE", "/platform/people/2");
    expect((await open(token)).status).toBe(201);
  });

  test("gives no access from the moment that the first administrator can sign in", async () => {
    const { store, create, open } = await openLinks();
    const browser = visitor(store);
    await open(await create(), browser);
    const read = async () => (await browser.send("GET", "/console/api/platform/people")).status;
    const staff = await invite(store, { email: "staff@example.org", role: "staff" });
    await visitor(store).accept(staff.token);
    const { token } = await invite(store, { role: "administrator" });
    expect([await read(), (await browser.state()).signedIn]).toEqual([200, true]);
    await visitor(store).accept(token);
    expect([await read(), (await browser.state()).signedIn]).toEqual([401, false]);
    expect(await faultOf(await browser.send("GET", "/console/auth/sessions"))).toBe("401 not_signed_in");
  });

  test("gives no access again after the first administrator is removed", async () => {
    const { store, create, open } = await openLinks();
    const browser = visitor(store);
    await open(await create(), browser);
    const administrator = await signedIn(store, { role: "administrator" });
    await store.call("DELETE", `/platform/people/${administrator.id}`);
    expect((await browser.state()).signedIn).toBe(false);
    const response = await store.call("GET", "/platform/audit?action=session.closed");
    expect(await response.json()).toMatchObject([{ actor: { kind: "person", id: administrator.id } }]);
  });

  test("gives no access again after the first administrator is promoted and demoted", async () => {
    const { store, create, open } = await openLinks();
    const browser = visitor(store);
    await open(await create(), browser);
    const { id } = await signedIn(store, { role: "staff" });
    expect((await browser.state()).signedIn).toBe(true);
    for (const role of ["administrator", "staff"])
      expect((await store.call("PATCH", `/platform/people/${id}`, { json: { role } })).status).toBe(200);
    expect((await browser.state()).signedIn).toBe(false);
    const response = await store.call("GET", "/platform/audit?action=session.closed");
    expect(await response.json()).toMatchObject([{ actor: { kind: "key" } }]);
  });

  test("gives no access again after the first administrator joins with an account and is removed", async () => {
    const { store, create, open } = await openLinks();
    const browser = visitor(store);
    await open(await create(), browser);
    const { id } = await invite(store, { email: "ada@example.org", role: "administrator" });
    const account = { issuer: "https://login.example.org", subject: "7" };
    await personRepository(store.database).link(account, "ada@example.org", store.clock.now());
    await store.call("DELETE", `/platform/people/${id}`);
    expect((await browser.state()).signedIn).toBe(false);
  });

  test("gives no access again if an administrator joins before its session is stored", async () => {
    const { store } = await openLinks();
    const states = browserStateRepository(store.database);
    const { clock } = store;
    const sessions = createSessions(states, { clock, randomBytes: (count) => randomBytes(count) });
    const { id } = await signedIn(store, { role: "administrator" });
    const actor = { kind: "operator" } as const;
    const { token } = await sessions.open({ kind: "operator", id: 0 }, { actor, device: "Firefox on Linux" });
    await store.call("DELETE", `/platform/people/${id}`);
    expect(sessions.find(token)).toBeUndefined();
  });

  test("becomes the session of the administrator who accepts the invitation in the same browser", async () => {
    const { store, create, open } = await openLinks();
    const browser = visitor(store);
    await open(await create(), browser);
    const operator = visitor(store);
    operator.cookies.set("adoption-store", browser.cookies.get("adoption-store") ?? "");
    const { id, token } = await invite(store, { role: "administrator" });
    expect((await browser.accept(token)).status).toBe(201);
    expect(await browser.state()).toMatchObject({ signedIn: true, person: { id, scopes: ["*"] } });
    expect((await browser.send("GET", "/console/api/platform/people")).status).toBe(200);
    expect(await operator.state()).toEqual({ signedIn: false } as never);
  });

  test("replaces the session of the browser that opens it", async () => {
    const { store, create, open } = await openLinks();
    const person = await signedIn(store);
    const session = person.cookies.get("adoption-store") ?? "";
    await open(await create(), person);
    const former = visitor(store);
    former.cookies.set("adoption-store", session);
    expect(await former.state()).toEqual({ signedIn: false } as never);
  });

  test("is stored as a hash only, and no log has it", async () => {
    const { store, create, open } = await openLinks();
    const token = await create();
    const rows = store.database.client.query("select * from browser_states").all();
    expect(rows).toEqual([
      expect.objectContaining({ kind: "sign_in_link", hash: Bun.SHA256.hash(token, "hex"), sealed: "" }),
    ]);
    await open(token);
    expect(JSON.stringify(store.log)).not.toContain(token);
  });

  test("that is wrong writes nothing, and guesses are limited", async () => {
    const { store, open } = await openLinks();
    const version = store.database.version();
    const statuses: number[] = [];
    for (let at = 0; at < 70; at++) statuses.push((await open("x".repeat(43))).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([410, 429]);
    expect(store.database.version()).toBe(version);
  });
});
