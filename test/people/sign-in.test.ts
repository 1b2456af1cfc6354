import { describe, expect, test } from "bun:test";
import { softAuthenticator } from "../support/authenticator.ts";
import { faultOf, openStore } from "../support/store.ts";
import { ORIGIN, invite, signedIn, visitor } from "./visitor.ts";

describe("an invitation", () => {
  test("lets the person register a passkey, which signs them in then and later", async () => {
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

  test("works once, even if two browsers use it at the same time", async () => {
    const store = await openStore();
    const { token } = await invite(store);
    const responses = await Promise.all([1, 2, 3].map(() => visitor(store).accept(token)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 410, 410]);
    const people = await (await store.call("GET", "/platform/people")).json();
    expect(people).toMatchObject([{ passkeys: [{ name: "Passkey" }] }]);
    expect((people as object[])[0]).not.toHaveProperty("invitedUntil");
  });

  test("ends after seven days", async () => {
    const store = await openStore();
    const { token } = await invite(store);
    store.clock.advance(7 * 24 * 60 * 60_000);
    const response = await visitor(store).send("POST", "/console/auth/invitation", { json: { token } });
    expect(await faultOf(response)).toBe("410 invalid_invitation");
  });

  test("ends when a new one is made, or the person is removed", async () => {
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

  test("is stored as a hash only, and no log has it", async () => {
    const store = await openStore();
    const { token } = await invite(store);
    await visitor(store).accept(token);
    const rows = store.database.client.query("SELECT * FROM invitations").all();
    expect(JSON.stringify([rows, store.log])).not.toContain(token);
  });
});

describe("signing in with a passkey", () => {
  test("is refused for another origin, another challenge, another user, or without user verification", async () => {
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

  test("is refused for a passkey that nobody has registered", async () => {
    const store = await openStore();
    await signedIn(store);
    expect(await faultOf(await visitor(store).signIn(softAuthenticator(ORIGIN)))).toBe("401 passkey_refused");
  });

  test("uses a challenge once, in the browser that it was made for, within five minutes", async () => {
    const store = await openStore();
    const { authenticator } = await signedIn(store);
    const attempt = async (finish: ReturnType<typeof visitor>, wait = 0) => {
      const browser = visitor(store);
      const { ceremony, options } = await browser.begin<{ rpId: string; challenge: string }>(
        "/console/auth/passkey/options",
      );
      const json = { ceremony, response: authenticator.get(options) };
      store.clock.advance(wait);
      const send = (sender: ReturnType<typeof visitor>) =>
        sender.send("POST", "/console/auth/passkey", { json }).then(({ status }) => status);
      return { own: () => send(browser), other: () => send(finish) };
    };
    const elsewhere = await attempt(visitor(store));
    expect([await elsewhere.other(), await elsewhere.own(), await elsewhere.own()]).toEqual([401, 201, 401]);
    const late = await attempt(visitor(store), 5 * 60_000);
    expect(await late.own()).toBe(401);
  });

  test("is refused if the authenticator counts backwards: there are two of it", async () => {
    const store = await openStore();
    const { authenticator } = await signedIn(store);
    authenticator.setCount(7);
    expect((await visitor(store).signIn(authenticator)).status).toBe(201);
    authenticator.setCount(7);
    expect(await faultOf(await visitor(store).signIn(authenticator))).toBe("401 passkey_refused");
    authenticator.setCount(8);
    expect((await visitor(store).signIn(authenticator)).status).toBe(201);
  });

  test("from a page of another site is refused", async () => {
    const store = await openStore();
    for (const path of ["/console/auth/passkey/options", "/console/auth/invitation/options"]) {
      const response = await visitor(store).send("POST", path, {
        json: { token: "x" },
        headers: { "sec-fetch-site": "cross-site" },
      });
      expect(await faultOf(response)).toBe("403 cross_site_request");
    }
  });

  test("is limited after failures", async () => {
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
  ])("with the response %j is refused", async (response) => {
    const store = await openStore();
    const browser = visitor(store);
    const { ceremony } = await browser.begin("/console/auth/passkey/options");
    const sent = await browser.send("POST", "/console/auth/passkey", { json: { ceremony, response } });
    expect(await faultOf(sent)).toBe("401 passkey_refused");
  });
});

describe("registering a passkey", () => {
  test("accepts self attestation, and no certificates, whose addresses would be fetched", async () => {
    const store = await openStore();
    const own = await invite(store);
    expect((await visitor(store).accept(own.token, undefined, { format: "packed" })).status).toBe(201);
    const other = await invite(store, { email: "b@example.org" });
    const wishes = { format: "packed", statement: { x5c: [Buffer.from("certificate")] } };
    expect(await faultOf(await visitor(store).accept(other.token, undefined, wishes))).toBe(
      "401 passkey_refused",
    );
  });

  test("begins at most 60 times a minute: each takes memory that others need too", async () => {
    const store = await openStore();
    const person = await signedIn(store);
    const statuses: number[] = [];
    for (let at = 0; at < 61; at++)
      statuses.push((await person.send("POST", "/console/auth/passkeys/options")).status);
    // One more was the invitation's.
    expect([statuses.indexOf(429), statuses.at(-1)]).toEqual([59, 429]);
  });

  test("of another person's invitation with this person's challenge is refused", async () => {
    const store = await openStore();
    const [mine, theirs] = [await invite(store), await invite(store, { email: "b@example.org" })];
    const browser = visitor(store);
    const { ceremony, options } = await browser.begin<{
      rp: { id: string };
      user: { id: string };
      challenge: string;
    }>("/console/auth/invitation/options", { token: mine.token });
    const response = softAuthenticator(ORIGIN).create(options);
    const sent = await browser.send("POST", "/console/auth/invitation/accept", {
      json: { token: theirs.token, ceremony, response },
    });
    expect(await faultOf(sent)).toBe("401 passkey_refused");
  });
});
