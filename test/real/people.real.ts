import { Database as Client } from "bun:sqlite";
import { expect } from "bun:test";
import { softAuthenticator } from "../support/authenticator.ts";
import { freePort } from "./authorities.ts";
import { kept, type Server, directory, real, serve, store, until } from "./support.ts";

const PROVIDER = ["node", "oidc-provider"] as const;

const test = real();
const withProvider = real(...PROVIDER);

/** The provider as a separate process. */
const startProvider = async (redirectUri: string) => {
  const port = freePort();
  const child = Bun.spawn(["node", `${import.meta.dir}/oidc/provider.mjs`, String(port), redirectUri], {
    stdout: "pipe",
    stderr: "ignore",
  });
  const issuer = `http://localhost:${port}`;
  const isReady = () =>
    fetch(`${issuer}/.well-known/openid-configuration`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until("the provider is ready", isReady, 20_000);
  return {
    issuer,
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
};

/** A browser without scripts: it keeps cookies by host, follows redirects and submits forms. */
const browser = () => {
  const jars = new Map<string, Map<string, string>>();
  const send = async (url: URL, init: RequestInit = {}): Promise<Response> => {
    const jar = jars.get(url.host) ?? new Map<string, string>();
    jars.set(url.host, jar);
    const cookie = [...jar].map((pair) => pair.join("=")).join("; ");
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: { ...(cookie && { cookie }), ...(init.headers as Record<string, string>) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "" || /expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  };
  return {
    jars,
    send,
    /** Follows redirects to a page that is not one, or to an address of this host and path. */
    async follow(url: URL, stopAt: (url: URL) => boolean, init?: RequestInit) {
      let [at, response] = [url, await send(url, init)];
      for (let hops = 0; hops < 20; hops++) {
        const location = response.headers.get("location");
        if (location === null) return { at, response };
        at = new URL(location, at);
        if (stopAt(at)) return { at, response };
        response = await send(at);
      }
      throw new Error("too many redirects");
    },
  };
};

interface State {
  signedIn: boolean;
  csrfToken?: string;
  person?: { id: number; name: string };
  oidc?: { label: string };
}

/** Signs in at the provider as this account. @returns where the console sends the browser, and its session */
const signInAt = async (server: Server, account: string, visitor = browser()) => {
  const base = new URL(server.url);
  const isConsole = (url: URL) => url.host === base.host && !url.pathname.startsWith("/console/auth/");
  const start = new URL("/console/auth/oidc?to=/console/adoptions", base);
  let { at, response } = await visitor.follow(start, isConsole);
  // First the provider's page to sign in, then the one to consent.
  for (let pages = 0; pages < 3 && !isConsole(at); pages++) {
    const html = await response.text();
    const action = /action="([^"]+)"/.exec(html)?.[1] ?? "";
    const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1] ?? "";
    const form = new URLSearchParams({ prompt, login: account, password: "x" });
    ({ at, response } = await visitor.follow(new URL(action, at), isConsole, { method: "POST", body: form }));
  }
  const state = (await (await visitor.send(new URL("/console/session", base))).json()) as State;
  return { at: `${at.pathname}${at.search}`, state, visitor };
};

/** The executable with a provider. */
const openBoth = async (cwd: string, extra: Record<string, string> = {}) => {
  const port = freePort();
  const provider = kept(await startProvider(`http://127.0.0.1:${port}/console/auth/oidc/callback`));
  const env = {
    BASE_URL: `http://127.0.0.1:${port}`,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: "adoption-store",
    OIDC_CLIENT_SECRET: "a-secret-that-no-log-may-have",
    OIDC_LABEL: "Shelter account",
    ...extra,
  };
  const server = await serve({ cwd, env, flags: ["--port", String(port)] });
  return { server, provider, env };
};

const add = (server: Server, name: string, role = "volunteer") =>
  server.send<{ id: number; invitation: { link: string } }>("/platform/people", {
    name,
    email: `${name}@example.org`,
    role,
  });

withProvider(
  "people sign in with accounts of oidc-provider: known ones by issuer and subject, new ones by their verified address, and no one else",
  async () => {
    const place = directory();
    const both = await openBoth(place);
    const { server, env } = both;
    const { id } = await add(server, "ada");
    await add(server, "unverified-bo");

    const first = await signInAt(server, "ada");
    expect(first).toMatchObject({ at: "/console/adoptions", state: { person: { id, name: "ada" } } });
    // The account stays hers when the address changes hands.
    const listed = await server.read<{ signsInWith: string[] }[]>("/platform/people");
    expect(listed[0]?.signsInWith).toEqual([env.OIDC_ISSUER]);
    expect((await signInAt(server, "ada")).state.person?.id).toBe(id);

    for (const [account, problem] of [
      ["mallory", "unknown_person"],
      ["unverified-bo", "email_not_verified"],
    ] as const) {
      const refused = await signInAt(server, account);
      expect([refused.at, refused.state]).toEqual([
        `/console?sign-in=${problem}`,
        { signedIn: false, oidc: { label: "Shelter account" } },
      ]);
    }

    // Removed: out at the next request, and not let in again.
    await store(["people", "remove", String(id), "--yes"], { cwd: place, env });
    const gone = await first.visitor.send(new URL("/console/api/v1/pets", server.url));
    expect([gone.status, ((await gone.json()) as { code: string }).code]).toEqual([401, "not_signed_in"]);
    expect((await signInAt(server, "ada")).at).toBe("/console?sign-in=unknown_person");

    const shown = await store(["config", "show"], { cwd: place, env });
    expect(shown.stdout).toContain("OIDC_ISSUER");
    await server.stop();
    for (const text of [shown.stdout, server.stdout()])
      expect(text).not.toContain("a-secret-that-no-log-may-have");
  },
);

withProvider(
  "a callback of oidc-provider with another state, in another browser or a second time signs no one in",
  async () => {
    const place = directory();
    const both = await openBoth(place);
    const { server } = both;
    await add(server, "ada");
    const visitor = browser();
    const base = new URL(server.url);
    // Stops before the callback, as a thief of the address would.
    const isCallback = (url: URL) => url.pathname === "/console/auth/oidc/callback";
    let { at, response } = await visitor.follow(new URL("/console/auth/oidc", base), isCallback);
    for (let pages = 0; pages < 3 && !isCallback(at); pages++) {
      const html = await response.text();
      const action = /action="([^"]+)"/.exec(html)?.[1] ?? "";
      const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1] ?? "";
      const form = new URLSearchParams({ prompt, login: "ada", password: "x" });
      ({ at, response } = await visitor.follow(new URL(action, at), isCallback, {
        method: "POST",
        body: form,
      }));
    }
    using client = new Client(`${place}/data/adoption-store.db`, { readonly: true });
    expect(client.query("SELECT kind FROM browser_states WHERE kind <> 'sign_in_link'").all()).toEqual([]);
    const elsewhere = await browser().send(at);
    expect(elsewhere.headers.get("location")).toBe("/console?sign-in=expired");
    const forged = new URL(at);
    forged.searchParams.set("state", "x".repeat(43));
    expect((await visitor.send(forged)).headers.get("location")).toBe("/console?sign-in=expired");
    expect((await visitor.send(at)).headers.get("location")).toBe("/console");
    expect((await visitor.send(at)).headers.get("location")).toBe("/console?sign-in=expired");
  },
);

test("an unreachable provider leaves the other ways to sign in", async () => {
  const env = { OIDC_ISSUER: `http://localhost:${freePort()}`, OIDC_CLIENT_ID: "adoption-store" };
  const server = await serve({ env });
  const response = await browser().send(new URL("/console/auth/oidc", server.url));
  expect(response.headers.get("location")).toBe("/console?sign-in=unavailable");
  expect((await server.call("/v1/pets")).status).toBe(200);
});

test("the first start prints a link that signs in once, and neither the log nor a later start has it", async () => {
  const place = directory();
  const linkOf = (text: string) => /http:\S+\/console\/sign-in#[\w-]{43}/.exec(text)?.[0];
  let token = "";
  {
    await using server = await serve({ cwd: place });
    await until("the link is printed", () => linkOf(server.stdout()) !== undefined);
    const link = new URL(linkOf(server.stdout()) ?? "");
    token = link.hash.slice(1);
    const open = () =>
      fetch(new URL("/console/auth/link", server.url), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ token }),
      });
    const page = await fetch(link);
    expect([page.status, page.headers.get("referrer-policy")]).toEqual([200, "no-referrer"]);
    expect([(await open()).status, (await open()).status]).toEqual([201, 410]);
    await server.stop();
    expect(server.stdout().split(token)).toHaveLength(2);
    expect(server.stdout()).toContain("/console/auth/link");
  }
  const again = await serve({ cwd: place });
  expect(linkOf(again.stdout())).toBeUndefined();
  const invited = await store(["people", "invite", "--first"], { cwd: place });
  expect(new URL(linkOf(invited.stdout) ?? "").port).toBe(String(again.port));
  expect(invited.stdout).not.toContain(token);
});

test("an invitation registers a passkey, and a sign-in that began before a restart of two workers ends after it", async () => {
  const place = directory();
  const flags = ["--port", String(freePort())];
  const env = { WORKERS: "2" };
  const server = await serve({ cwd: place, env, flags });
  const { invitation } = await add(server, "ada", "staff");
  const token = new URL(invitation.link).hash.slice(1);
  const origin = `http://localhost:${server.port}`;
  const authenticator = softAuthenticator(origin);
  const visitor = browser();
  const post = async <Body>(path: string, json?: object) => {
    const response = await visitor.send(new URL(path, origin), {
      method: "POST",
      headers: { origin, ...(json && { "content-type": "application/json" }) },
      ...(json && { body: JSON.stringify(json) }),
    });
    return { status: response.status, body: (await response.json()) as Body };
  };
  const creation = await post<Parameters<typeof authenticator.create>[0]>(
    "/console/auth/invitation/options",
    { token },
  );
  const accepted = await post<State>("/console/auth/invitation/accept", {
    token,
    response: authenticator.create(creation.body),
  });
  expect([accepted.status, accepted.body.person?.name]).toEqual([201, "ada"]);
  visitor.jars.clear();
  const request = await post<Parameters<typeof authenticator.get>[0]>("/console/auth/passkey/options");
  await server.stop();
  const restarted = await serve({ cwd: place, env, flags });
  expect(restarted.port).toBe(server.port);
  const signedIn = await post<State>("/console/auth/passkey", {
    response: authenticator.get(request.body),
  });
  expect([signedIn.status, signedIn.body.person?.name]).toEqual([201, "ada"]);
  const pets = await visitor.send(new URL("/console/api/v1/pets", origin));
  expect(pets.status).toBe(200);
});
