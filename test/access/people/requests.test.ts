import { describe, expect, test } from "bun:test";
import { openPeople } from "../../../src/access/people/service.ts";
import { IDLE_MS } from "../../../src/pages/console/sessions.ts";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { join } from "node:path";
import { softAuthenticator } from "../../support/authenticator.ts";
import { openOwnDatabase } from "../../support/database.ts";
import { addPet, atEnd, faultOf, openStore, temporaryDirectory } from "../../support/store.ts";
import { ORIGIN, invite, signedIn, visitor } from "./visitor.ts";

const ANIMAL = { name: "Bella", categoryId: 1 };

test("a person's request reaches the API with the scopes of their role", async () => {
  const store = await openStore();
  const volunteer = await signedIn(store);
  expect((await volunteer.send("GET", "/console/api/v1/pets")).status).toBe(200);
  const refused = await volunteer.send("POST", "/console/api/v1/pets", { json: ANIMAL });
  expect([refused.status, await refused.json()]).toEqual([
    403,
    { code: "insufficient_scope", message: "Your role lacks the scope pets:write.", status: 403 },
  ]);
  expect(await faultOf(await volunteer.send("GET", "/console/api/platform/people"))).toBe(
    "403 insufficient_scope",
  );
});

test("a person's request has the scopes of their current role", async () => {
  const store = await openStore();
  const person = await signedIn(store, { role: "staff" });
  const add = () => person.send("POST", "/console/api/v1/pets", { json: ANIMAL });
  expect((await add()).status).toBe(201);
  await store.call("PATCH", "/platform/people/1", { json: { role: "volunteer" } });
  expect(await faultOf(await add())).toBe("403 insufficient_scope");
  expect((await person.state()).person?.role).toBe("volunteer");
});

test("a person's request is refused once they are removed, and so is their session", async () => {
  const store = await openStore();
  const person = await signedIn(store);
  await store.call("DELETE", "/platform/people/1");
  expect(await faultOf(await person.send("GET", "/console/api/v1/pets"))).toBe("401 not_signed_in");
  expect(await faultOf(await person.send("GET", "/console/auth/passkeys"))).toBe("401 not_signed_in");
  expect(await person.state()).toEqual({ signedIn: false } as never);
  expect(await faultOf(await visitor(store).signIn(person.authenticator))).toBe("401 passkey_refused");
});

test("a person's request is refused once the command line removes them while the server runs", async () => {
  const path = join(temporaryDirectory(), "store.db");
  const store = await openStore({ path });
  const person = await signedIn(store);
  const list = () => person.send("GET", "/console/api/v1/pets");
  expect((await list()).status).toBe(200);
  const other = await openOwnDatabase(path);
  atEnd(() => other.close());
  const { people } = openPeople({ ...store.context, database: other });
  await people.change(1, { role: "staff" }, OPERATOR);
  expect((await person.send("POST", "/console/api/v1/pets", { json: ANIMAL })).status).toBe(201);
  await people.remove(1, OPERATOR);
  expect(await faultOf(await list())).toBe("401 not_signed_in");
});

test("a person's request is refused once the passkey that they signed in with is removed", async () => {
  const store = await openStore();
  const lost = await signedIn(store);
  const second = softAuthenticator(ORIGIN);
  expect((await lost.addPasskey(second, "New phone")).status).toBe(204);
  const other = visitor(store);
  expect((await other.signIn(second)).status).toBe(201);
  const own = (await (await other.send("GET", "/console/auth/passkeys")).json()) as { id: number }[];
  expect(own).toMatchObject([{ name: "Passkey" }, { name: "New phone" }]);
  expect((await other.send("DELETE", `/console/auth/passkeys/${own[0]!.id}`)).status).toBe(204);
  expect(await faultOf(await lost.send("GET", "/console/api/v1/pets"))).toBe("401 not_signed_in");
  const last = await other.send("DELETE", `/console/auth/passkeys/${own[1]!.id}`);
  expect(await faultOf(last)).toBe("409 last_passkey");
});

test("a person's request that removes a passkey keeps one, even if two do so at the same time", async () => {
  const store = await openStore();
  const person = await signedIn(store);
  await person.addPasskey();
  const remove = (id: number) => person.send("DELETE", `/console/auth/passkeys/${id}`);
  const [first, second] = await Promise.all([remove(1), remove(2)]);
  expect([first.status, await faultOf(second)]).toEqual([204, "409 last_passkey"]);
});

test("a person's request that writes needs the session's CSRF token, and comes from the console's own page", async () => {
  const store = await openStore();
  const person = await signedIn(store, { role: "staff" });
  for (const headers of [
    { "x-csrf-token": "x" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ] as Record<string, string>[])
    for (const path of ["/console/api/v1/pets", "/console/auth/passkeys/options"])
      expect(await faultOf(await person.send("POST", path, { json: ANIMAL, headers }))).toBe(
        "403 cross_site_request",
      );
});

test("a person's request shares neither stored responses nor limits with the key of the same number", async () => {
  const store = await openStore();
  const person = await signedIn(store, { role: "staff" });
  const headers = { "idempotency-key": "once" };
  const ofKey = await store.call("POST", "/v1/pets", { json: ANIMAL, headers });
  const ofPerson = await person.send("POST", "/console/api/v1/pets", { json: ANIMAL, headers });
  expect([ofKey.status, ofPerson.status, ofPerson.headers.get("idempotency-replayed")]).toEqual([
    201,
    201,
    null,
  ]);
  const again = await person.send("POST", "/console/api/v1/pets", { json: ANIMAL, headers });
  expect(again.headers.get("idempotency-replayed")).toBe("true");
});

test("a person's request is logged with the person, and without their credentials", async () => {
  const store = await openStore();
  const person = await signedIn(store);
  await person.send("GET", "/console/api/v1/pets");
  expect(store.log.at(-1)).toMatchObject({ route: "/v1/pets", personId: 1, status: 200 });
  expect(store.log.at(-1)).not.toHaveProperty("keyId");
  for (const cookie of person.cookies.values()) expect(JSON.stringify(store.log)).not.toContain(cookie);
});

test("a person's request follows events, which end with the next one once they are removed", async () => {
  const store = await openStore();
  const person = await signedIn(store);
  const stream = await person.send("GET", "/console/api/v1/pets/events");
  expect(stream.status).toBe(200);
  const reader = stream.body!.getReader();
  await reader.read();
  await store.call("DELETE", "/platform/people/1");
  await addPet(store, {});
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read())
    text += new TextDecoder().decode(part.value);
  expect(text).not.toContain("Bella");
});

describe.each(["sign out", "are inactive for an hour"])("open streams of events, once they %s,", (end) => {
  test.each(["a person", "a key"])("the streams of %s end with the next event", async (holder) => {
    const store = await openStore();
    const session = holder === "a person" ? await signedIn(store) : visitor(store);
    if (holder === "a key") await session.signInWithKey();
    const stream = await session.send("GET", "/console/api/v1/pets/events");
    expect(stream.status).toBe(200);
    const reader = stream.body!.getReader();
    await reader.read();
    if (end === "sign out") await session.send("DELETE", "/console/session");
    else store.clock.advance(IDLE_MS);
    await addPet(store, {});
    let text = "";
    for (let part = await reader.read(); !part.done; part = await reader.read())
      text += new TextDecoder().decode(part.value);
    expect(text).not.toContain("Bella");
  });
});

const HEADERS: Record<string, string>[] = [
  { "x-person-id": "1", "x-caller": "person:1", "x-forwarded-user": "1", "remote-user": "1" },
  { authorization: "Person 1" },
  { authorization: "Bearer person:1" },
  { authorization: "Bearer " },
  { cookie: "adoption-store=person:1" },
  { cookie: `adoption-store=${"1".repeat(43)}` },
];
const PATHS = [
  "/v1/pets",
  "/v1/pets?caller=person:1&person=1",
  "/console/api/v1/pets",
  "/console/api/v1%2fpets",
  "/console/api//v1/pets",
  "/platform/people",
];

test.each(PATHS)("nothing in a request makes it a person's: %s is refused with any headers", async (path) => {
  const store = await openStore();
  await signedIn(store, { role: "administrator" });
  for (const headers of HEADERS) {
    const response = await store.visit(`${ORIGIN}${path}`, { headers });
    expect([401, 404]).toContain(response.status);
  }
});

test("the cookie of a person is worth nothing outside /console/api", async () => {
  const store = await openStore();
  const person = await signedIn(store, { role: "administrator" });
  for (const path of ["/v1/pets", "/platform/people", "/metrics"])
    expect((await person.send("GET", path)).status).toBe(401);
  expect((await person.send("GET", "/console/api/metrics")).status).toBe(404);
});

test("an API key in the header of a person's request is not used", async () => {
  const store = await openStore();
  const volunteer = await signedIn(store);
  const response = await volunteer.send("GET", "/console/api/platform/keys", {
    headers: { authorization: `Bearer ${store.key}` },
  });
  expect(await faultOf(response)).toBe("403 insufficient_scope");
});

test("a person who was invited but has not accepted has no session", async () => {
  const store = await openStore();
  const { token } = await invite(store);
  const response = await store.visit(`${ORIGIN}/v1/pets`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(await faultOf(response)).toBe("401 invalid_api_key");
});
