import { expect, test } from "bun:test";
import { softAuthenticator } from "../../support/authenticator.ts";
import { faultOf, openStore } from "../../support/store.ts";
import { ORIGIN, invite, signedIn, visitor } from "./visitor.ts";

type Authenticator = ReturnType<typeof softAuthenticator>;
type CreationOptions = Parameters<Authenticator["create"]>[0];
type RequestOptions = Parameters<Authenticator["get"]>[0];

test("an invitation lets the person register a passkey, which signs them in then and later", async () => {
  const store = await openStore();
  const { token } = await invite(store);
  const browser = visitor(store);
  const seen = await browser.send("POST", "/console/auth/invitation", { json: { token } });
  expect(await seen.json()).toEqual({
    name: "Ada Byron",
    email: "ada@example.org",
    role: "volunteer",
    expiresAt: "2026-11-27T00:00:00.000Z",
  });
  const authenticator = softAuthenticator(ORIGIN);
  const accepted = await browser.accept(token, authenticator);
  expect([accepted.status, await accepted.json()]).toEqual([
    201,
    {
      signedIn: true,
      csrfToken: expect.any(String),
      storeId: expect.any(String),
      person: {
        id: 1,
        name: "Ada Byron",
        email: "ada@example.org",
        role: "volunteer",
        scopes: ["pets:read", "orders:read", "orders:write"],
      },
    },
  ]);
  const later = visitor(store);
  expect((await later.signIn(authenticator)).status).toBe(201);
  expect(await later.state()).toMatchObject({ signedIn: true, person: { id: 1 } });
});

test("an invitation works once, even if two browsers use it at the same time", async () => {
  const store = await openStore();
  const { token } = await invite(store);
  const responses = await Promise.all([1, 2, 3].map(() => visitor(store).accept(token)));
  expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 410, 410]);
  const people = await (await store.call("GET", "/platform/people")).json();
  expect(people).toMatchObject([{ passkeys: [{ name: "Passkey" }] }]);
  expect((people as object[])[0]).not.toHaveProperty("invitedUntil");
});

test("an invitation ends after seven days", async () => {
  const store = await openStore();
  const { token } = await invite(store);
  store.clock.advance(7 * 24 * 60 * 60_000);
  const response = await visitor(store).send("POST", "/console/auth/invitation", { json: { token } });
  expect(await faultOf(response)).toBe("410 invalid_invitation");
});

test("an invitation ends when a new one is made, or the person is removed", async () => {
  const store = await openStore();
  const { id, token } = await invite(store);
  const again = await store.call("POST", `/platform/people/${id}/invite`);
  const { invitation } = (await again.json()) as { invitation: { link: string } };
  const newer = new URL(invitation.link).hash.slice(1);
  const look = async (sent: string) =>
    (await visitor(store).send("POST", "/console/auth/invitation", { json: { token: sent } })).status;
  expect([await look(token), await look(newer)]).toEqual([410, 200]);
  await store.call("DELETE", `/platform/people/${id}`);
  expect(await look(newer)).toBe(410);
});

test("an invitation is stored as a hash only, and no log has it", async () => {
  const store = await openStore();
  const { token } = await invite(store);
  await visitor(store).accept(token);
  const rows = store.database.client.query("SELECT * FROM invitations").all();
  expect(JSON.stringify([rows, store.log])).not.toContain(token);
});

test("signing in with a passkey is refused for another origin, another challenge, another user, or without user verification", async () => {
  const store = await openStore();
  const { authenticator } = await signedIn(store);
  for (const wishes of [
    { origin: "http://evil.example" },
    { challenge: "AAAA" },
    { userHandle: "AAAA" },
    { isVerified: false },
  ])
    expect(await faultOf(await visitor(store).signIn(authenticator, wishes))).toBe("401 passkey_refused");
});

test.each([
  { crossOrigin: true, topOrigin: "https://evil.example" },
  { crossOrigin: true },
  { topOrigin: "https://evil.example" },
])("signing in with a passkey in a page that another site embeds is refused: %j", async (clientData) => {
  const store = await openStore();
  const { authenticator } = await signedIn(store);
  expect(await faultOf(await visitor(store).signIn(authenticator, { clientData }))).toBe(
    "401 passkey_refused",
  );
});

test("signing in with an unregistered passkey is refused", async () => {
  const store = await openStore();
  await signedIn(store);
  expect(await faultOf(await visitor(store).signIn(softAuthenticator(ORIGIN)))).toBe("401 passkey_refused");
});

test("signing in with a passkey uses a challenge once, in its browser, within five minutes", async () => {
  const store = await openStore();
  const { authenticator } = await signedIn(store);
  const begun = async () => {
    const browser = visitor(store);
    const options = await browser.begin<RequestOptions>("/console/auth/passkey/options");
    const json = { response: authenticator.get(options) };
    return async (sender = browser) => (await sender.send("POST", "/console/auth/passkey", { json })).status;
  };
  const finish = await begun();
  const other = visitor(store);
  await other.begin("/console/auth/passkey/options");
  expect(await finish(other)).toBe(401);
  expect([await finish(), await finish()]).toEqual([201, 401]);
  const finishLate = await begun();
  store.clock.advance(5 * 60_000);
  expect(await finishLate()).toBe(401);
});

test("signing in with a passkey works after any number of sign-ins that others begin, and those write nothing", async () => {
  const store = await openStore({ peerOf: (request) => request.headers.get("x-peer") ?? "192.0.2.1" });
  const { authenticator } = await signedIn(store);
  const victim = visitor(store);
  const options = await victim.begin<RequestOptions>("/console/auth/passkey/options");
  const version = store.database.version();
  for (let peer = 0; peer < 300; peer++)
    await visitor(store).send("POST", "/console/auth/passkey/options", {
      headers: { "x-peer": `198.51.${peer}.7` },
    });
  expect(store.database.version()).toBe(version);
  const json = { response: authenticator.get(options) };
  expect((await victim.send("POST", "/console/auth/passkey", { json })).status).toBe(201);
});

test("signing in with a passkey writes nothing if the signature is wrong, and the same challenge can be signed again", async () => {
  const store = await openStore();
  const { authenticator } = await signedIn(store);
  const browser = visitor(store);
  const options = await browser.begin<RequestOptions>("/console/auth/passkey/options");
  const version = store.database.version();
  const finish = async (response: object) =>
    (await browser.send("POST", "/console/auth/passkey", { json: { response } })).status;
  expect(await finish(authenticator.get(options, { isVerified: false }))).toBe(401);
  expect(store.database.version()).toBe(version);
  expect(await finish(authenticator.get(options))).toBe(201);
});

test("signing in with the challenge of a registration is refused", async () => {
  const store = await openStore();
  const person = await signedIn(store);
  const { challenge } = await person.begin<RequestOptions>("/console/auth/passkeys/options");
  const value = person.cookies.get("adoption-store-registration") ?? "";
  const browser = visitor(store);
  browser.cookies.set("adoption-store-authentication", value);
  const response = person.authenticator.get({ rpId: "localhost", challenge });
  const sent = await browser.send("POST", "/console/auth/passkey", { json: { response } });
  expect([value.length > 100, await faultOf(sent)]).toEqual([true, "401 passkey_refused"]);
});

test("signing in with a passkey keeps the challenge in a cookie that no script reads and no other site's request carries", async () => {
  const store = await openStore();
  const response = await visitor(store).send("POST", "/console/auth/passkey/options");
  const { challenge } = (await response.clone().json()) as RequestOptions;
  const [cookie = ""] = response.headers.getSetCookie();
  expect(cookie).toMatch(
    /^adoption-store-authentication=[\w-]+; Path=\/; Max-Age=300; HttpOnly; SameSite=Strict$/,
  );
  expect(cookie).not.toContain(challenge);
  const secure = await openStore({ env: { BASE_URL: "https://shelter.example.org" } });
  const begun = await secure.visit("https://shelter.example.org/console/auth/passkey/options", {
    method: "POST",
    headers: { origin: "https://shelter.example.org", "sec-fetch-site": "same-origin" },
  });
  expect(begun.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-adoption-store-authentication=.*; SameSite=Strict; Secure$/),
  ]);
});

test("signing in with a passkey is refused if the authenticator counts backwards, because there are two of it", async () => {
  const store = await openStore();
  const { authenticator } = await signedIn(store);
  authenticator.setCount(7);
  expect((await visitor(store).signIn(authenticator)).status).toBe(201);
  authenticator.setCount(7);
  expect(await faultOf(await visitor(store).signIn(authenticator))).toBe("401 passkey_refused");
  authenticator.setCount(8);
  expect((await visitor(store).signIn(authenticator)).status).toBe(201);
});

test("signing in from a page of another site is refused", async () => {
  const store = await openStore();
  for (const path of ["/console/auth/passkey/options", "/console/auth/invitation/options"]) {
    const response = await visitor(store).send("POST", path, {
      json: { token: "x" },
      headers: { "sec-fetch-site": "cross-site" },
    });
    expect(await faultOf(response)).toBe("403 cross_site_request");
  }
});

test("signing in with a passkey is limited after failures", async () => {
  const store = await openStore({ env: { AUTH_FAILURES_PER_MINUTE: "2" } });
  const browser = visitor(store);
  const attempt = () => browser.send("POST", "/console/auth/invitation", { json: { token: "x" } });
  expect([(await attempt()).status, (await attempt()).status, (await attempt()).status]).toEqual([
    410, 410, 429,
  ]);
});

test.each([
  {},
  { id: 7 },
  { id: ["a"], response: null },
  { id: "a", rawId: "a", type: "public-key", response: {} },
])("signing in with the response %j is refused", async (response) => {
  const store = await openStore();
  const browser = visitor(store);
  await browser.begin("/console/auth/passkey/options");
  const sent = await browser.send("POST", "/console/auth/passkey", { json: { response } });
  expect(await faultOf(sent)).toBe("401 passkey_refused");
});

test("registering a passkey accepts self attestation, and no certificates, whose addresses would be fetched", async () => {
  const store = await openStore();
  const own = await invite(store);
  expect((await visitor(store).accept(own.token, undefined, { format: "packed" })).status).toBe(201);
  const other = await invite(store, { email: "b@example.org" });
  const wishes = { format: "packed", statement: { x5c: [Buffer.from("certificate")] } };
  expect(await faultOf(await visitor(store).accept(other.token, undefined, wishes))).toBe(
    "401 passkey_refused",
  );
});

test.each([
  { crossOrigin: true, topOrigin: "https://evil.example" },
  { crossOrigin: true },
  { topOrigin: "https://evil.example" },
])("registering a passkey in a page that another site embeds is refused: %j", async (clientData) => {
  const store = await openStore();
  const { token } = await invite(store);
  const embedded = await visitor(store).accept(token, undefined, { clientData });
  expect(await faultOf(embedded)).toBe("401 passkey_refused");
  expect((await visitor(store).accept(token)).status).toBe(201);
});

test("the registration of a passkey begins at most 60 times a minute", async () => {
  const store = await openStore();
  const person = await signedIn(store);
  const statuses: number[] = [];
  for (let at = 0; at < 61; at++)
    statuses.push((await person.send("POST", "/console/auth/passkeys/options")).status);
  // One more was the invitation's.
  expect([statuses.indexOf(429), statuses.at(-1)]).toEqual([59, 429]);
});

test("registering a passkey of another person's invitation with this person's challenge is refused", async () => {
  const store = await openStore();
  const [mine, theirs] = [await invite(store), await invite(store, { email: "b@example.org" })];
  const browser = visitor(store);
  const options = await browser.begin<CreationOptions>("/console/auth/invitation/options", {
    token: mine.token,
  });
  const response = softAuthenticator(ORIGIN).create(options);
  const sent = await browser.send("POST", "/console/auth/invitation/accept", {
    json: { token: theirs.token, response },
  });
  expect(await faultOf(sent)).toBe("401 passkey_refused");
});

test("registering a passkey uses a challenge once, even for two passkeys", async () => {
  const store = await openStore();
  const person = await signedIn(store);
  const options = await person.begin<CreationOptions>("/console/auth/passkeys/options");
  const register = async () => {
    const json = { response: softAuthenticator(ORIGIN).create(options) };
    return (await person.send("POST", "/console/auth/passkeys", { json })).status;
  };
  expect([await register(), await register()]).toEqual([204, 401]);
});
