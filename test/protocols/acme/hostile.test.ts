import { describe, expect, test } from "bun:test";
import { acmeCa } from "../../support/acme-ca.ts";
import { clientOf, obtain, openAccount, problemFrom, registered } from "./clients.ts";

const NAMES = ["docs.example.org"];

const serve = (response: (request: Request) => Response | Promise<Response>) => {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: response });
  return { url: server.url.href, [Symbol.asyncDispose]: () => server.stop(true) };
};

/** Sends a chunk again and again, until the reader cancels. */
const endless = (piece: string): Response => {
  const bytes = new TextEncoder().encode(piece);
  return new Response(
    new ReadableStream({
      async pull(controller) {
        await Bun.sleep(1);
        controller.enqueue(bytes);
      },
    }),
  );
};

const silent = (): Promise<Response> => Promise.withResolvers<Response>().promise;

const URLS = {
  newNonce: "https://ca.example/nonce",
  newAccount: "https://ca.example/account",
  newOrder: "https://ca.example/order",
  revokeCert: "https://ca.example/revoke",
};

const WINDOW = { suggestedWindow: { start: "2026-12-01T00:00:00Z", end: "2026-12-02T00:00:00Z" } };

test.each<[string, () => Response]>([
  ["a page", () => new Response("<h1>It works!</h1>")],
  ["nothing", () => new Response("")],
  ["a list", () => Response.json([])],
  ["null", () => Response.json(null)],
  ["an empty object", () => Response.json({})],
  ["a number for a URL", () => Response.json({ ...URLS, newNonce: 1 })],
  ["a file for a URL", () => Response.json({ ...URLS, newNonce: "file:///etc/passwd" })],
  ["a URL with a line feed", () => Response.json({ ...URLS, newNonce: "https://ca.example/\n" })],
  ["a URL with a password", () => Response.json({ ...URLS, newNonce: "https://a:b@ca.example/" })],
  ["a URL without end", () => Response.json({ ...URLS, newNonce: `https://ca.example/${"a".repeat(2000)}` })],
  ["names that are not texts", () => Response.json({ ...URLS, meta: { caaIdentities: [{}] } })],
  ["a thousand names", () => Response.json({ ...URLS, meta: { caaIdentities: Array(1000).fill("a") } })],
  ["2 MiB", () => new Response(" ".repeat(2 * 1024 * 1024) + JSON.stringify(URLS))],
  ["a body without end", () => endless(" ".repeat(65_536))],
  ["a redirect", () => Response.redirect("https://ca.example/directory", 302)],
  ["a redirect without a target", () => new Response(null, { status: 307 })],
  [
    "an unrequested compression",
    () => new Response(Bun.gzipSync(JSON.stringify(URLS)), { headers: { "content-encoding": "gzip" } }),
  ],
])("a response that is not a directory is malformed: %s", async (_, response) => {
  await using server = serve(response);
  const problem = await problemFrom(clientOf(server.url).directory());
  expect(problem.type).toBe("malformed_answer");
  expect(problem.detail.length).toBeLessThan(200);
});

test("a response that is not a directory is not cached: the next one is requested and used", async () => {
  const responses = [new Response("no"), Response.json(URLS)];
  await using server = serve(() => responses.shift() ?? new Response("no"));
  const client = clientOf(server.url);
  await problemFrom(client.directory());
  expect((await client.directory()).newOrder).toBe(URLS.newOrder);
});

describe("responses of the wrong shape", () => {
  const order = (more: object) => ({
    status: "pending",
    identifiers: [{ type: "dns", value: "docs.example.org" }],
    authorizations: ["https://ca.example/authorization"],
    finalize: "https://ca.example/finalize",
    ...more,
  });
  const LOCATION = { headers: { location: "https://ca.example/order/1" } };

  test.each<[string, object, ResponseInit]>([
    ["an unknown status", order({ status: "done" }), LOCATION],
    ["no identifiers", order({ identifiers: undefined }), LOCATION],
    ["another name", order({ identifiers: [{ type: "dns", value: "evil.example.org" }] }), LOCATION],
    ["an address", order({ identifiers: [{ type: "ip", value: "192.0.2.1" }] }), LOCATION],
    ["a thousand authorizations", order({ authorizations: Array(1000).fill(URLS.newOrder) }), LOCATION],
    ["an authorization that is no URL", order({ authorizations: ["/authorization"] }), LOCATION],
    ["a valid one without a certificate", order({ status: "valid" }), LOCATION],
    ["no Location", order({}), {}],
    ["a Location without a host", order({}), { headers: { location: "/order/1" } }],
    ["a Location that is no URL", order({}), { headers: { location: "javascript:alert(1)" } }],
  ])("a response for an order is malformed: %s", async (_, body, init) => {
    await using ca = await acmeCa();
    const { client, account } = await openAccount(ca);
    ca.failNext("new-order", () => Response.json(body, { status: 201, ...init }));
    expect((await problemFrom(client.order(account, NAMES))).type).toBe("malformed_answer");
  });

  test.each(["deactivated", "expired", "revoked"])(
    "an order with Boulder's status %s is invalid",
    async (status) => {
      await using ca = await acmeCa();
      const { client, account } = await openAccount(ca);
      ca.failNext("new-order", () => Response.json(order({ status }), LOCATION));
      expect((await client.order(account, NAMES)).status).toBe("invalid");
    },
  );

  test("URLs are not normalised: the server compares their characters", async () => {
    await using ca = await acmeCa();
    const { client, account } = await openAccount(ca);
    const url = "https://CA.example:443/order/%7e1";
    const body = order({ certificate: "", error: null });
    ca.failNext("new-order", () => Response.json(body, { headers: { location: url } }));
    expect((await client.order(account, NAMES)).url).toBe(url);
  });

  const challenge = {
    type: "http-01",
    url: "https://ca.example/c",
    status: "pending",
    token: "a".repeat(43),
  };

  test.each<[string, object]>([
    [
      "a token that leaves its directory",
      { challenges: [{ ...challenge, token: "../../../../etc/passwd" }] },
    ],
    ["a token that is too short", { challenges: [{ ...challenge, token: "short" }] }],
    ["a token that is too long", { challenges: [{ ...challenge, token: "a".repeat(1000) }] }],
    ["a challenge without a URL", { challenges: [{ ...challenge, url: undefined }] }],
    ["a challenge that is a text", { challenges: ["http-01"] }],
    ["an unknown status", { status: "perhaps" }],
  ])("a response for an authorization is malformed: %s", async (_, more) => {
    await using ca = await acmeCa();
    const { client, account } = await openAccount(ca);
    const authorization = {
      status: "pending",
      identifier: { type: "dns", value: "docs.example.org" },
      challenges: [challenge],
      ...more,
    };
    ca.failNext("authorization", () => Response.json(authorization));
    const url = ca.directory.replace("directory", "authorization/1");
    expect((await problemFrom(client.authorization(account, url))).type).toBe("malformed_answer");
  });

  test.each<[string, object]>([
    ["no window", {}],
    [
      "a window that ends before it starts",
      { suggestedWindow: { start: "2026-12-02T00:00:00Z", end: "2026-12-01T00:00:00Z" } },
    ],
    ["times that are numbers", { suggestedWindow: { start: 1, end: 2 } }],
    ["an invalid time", { suggestedWindow: { start: "tomorrow", end: "2026-12-02T00:00:00Z" } }],
    [
      "a day that does not exist",
      { suggestedWindow: { start: "2026-02-30T00:00:00Z", end: "2026-12-02T00:00:00Z" } },
    ],
  ])("a response for renewal information is malformed: %s", async (_, body) => {
    await using ca = await acmeCa();
    ca.failNext("renewal-info", () => Response.json(body));
    const problem = await problemFrom(clientOf(ca.directory).renewalInfo("AAAA.BBBB"));
    expect(problem.type).toBe("malformed_answer");
  });

  test.each<[string, (chain: string, key: string) => string]>([
    ["a page", () => "<h1>It works!</h1>"],
    ["nothing", () => ""],
    ["eleven certificates", (chain) => chain.repeat(6)],
    ["a private key among them", (chain, key) => chain + key],
    [
      "a malformed certificate",
      (chain) => `${chain}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
    ],
    ["text among them", (chain) => `${chain}\nand so on\n`],
  ])("a response for a certificate is refused: %s", async (_, body) => {
    await using ca = await acmeCa();
    const { client, account } = await openAccount(ca);
    const { key, order } = await obtain(ca, client, account, NAMES);
    const chain = ca.certificates[0]?.chain ?? "";
    ca.failNext("certificate", () => new Response(body(chain, key)));
    const problem = await problemFrom(client.certificate(account, order.certificate ?? ""));
    expect(problem.type).toBe("unfit_certificate");
    expect(problem.stack).not.toContain("PRIVATE KEY");
  });

  test.each(["", "a b", "<script>", "a".repeat(1000)])("the nonce %j is not used", async (nonce) => {
    await using ca = await acmeCa();
    ca.failNext("new-nonce", () => new Response(null, { headers: { "replay-nonce": nonce } }));
    expect((await problemFrom(registered(clientOf(ca.directory)))).type).toBe("malformed_answer");
  });

  test("of the nonces of a server that sends too many, the newest 32 are kept", async () => {
    const directory = "https://ca.example/directory";
    const used: string[] = [];
    let sent = 0;
    const client = clientOf(
      directory,
      {},
      {
        fetch: async (url, { method, body }) => {
          const headers = { location: "https://ca.example/account/1" };
          if (method === "POST") {
            const { protected: header = "" } = JSON.parse(body as string) as { protected?: string };
            const { nonce } = JSON.parse(Buffer.from(header, "base64url").toString()) as { nonce: string };
            used.push(nonce);
            return Response.json({}, { headers });
          }
          const named = { "replay-nonce": method === "HEAD" ? "requested" : `n${++sent}` };
          const content = url === directory ? { ...URLS, renewalInfo: "https://ca.example/ari" } : WINDOW;
          return Response.json(content, { headers: named });
        },
      },
    );
    for (let reads = 0; reads < 40; reads += 1) await client.renewalInfo("AAAA.BBBB");
    for (let posts = 0; posts < 33; posts += 1) await registered(client);
    const newest = Array.from({ length: 32 }, (_, index) => `n${41 - index}`);
    expect(used).toEqual([...newest, "requested"]);
  });
});

test("a response with a malformed problem document is still a problem", async () => {
  const body = { detail: "so\n", type: "urn:ietf:params:acme:error:\u001b[2J", subproblems: "many" };
  await using server = serve(() => Response.json(body, { status: 500 }));
  expect(await problemFrom(clientOf(server.url).directory())).toMatchObject({
    type: String.raw`\u001b[2J`,
    detail: "so",
    status: 500,
    subproblems: [],
  });
});

test("a server that is silent or sends a byte at a time is unreachable after the timeout", async () => {
  for (const response of [silent, () => endless(" ")]) {
    await using server = serve(response);
    const problem = await problemFrom(clientOf(server.url, {}, { timeoutMs: 100 }).directory());
    expect(problem).toMatchObject({
      type: "unreachable",
      detail: `${new URL(server.url).origin}: timed out after 100 ms`,
    });
  }
});

test("a server whose port is closed or that does not speak HTTP is unreachable", async () => {
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => void socket.end("SSH-2.0\r\n") },
  });
  const { port } = listener;
  expect((await problemFrom(clientOf(`http://127.0.0.1:${port}/`).directory())).type).toBe("unreachable");
  listener.stop(true);
  expect(await problemFrom(clientOf(`http://127.0.0.1:${port}/`).directory())).toMatchObject({
    type: "unreachable",
    detail: `http://127.0.0.1:${port}: connection refused`,
  });
});

test("a server whose name does not resolve is unreachable, and the detail names DNS", async () => {
  // DNS allows 63 bytes between two dots: no name server gets a query.
  const origin = `https://${"x".repeat(64)}.invalid`;
  expect(await problemFrom(clientOf(`${origin}/directory`).directory())).toMatchObject({
    type: "unreachable",
    detail: `${origin}: DNS does not resolve its name`,
  });
});

test("a server is unreachable if no name server responds, and the detail names DNS", async () => {
  const fetchWithoutDns = async () => {
    throw Object.assign(new TypeError("getaddrinfo EAI_AGAIN ca.example"), { code: "EAI_AGAIN" });
  };
  const client = clientOf("https://ca.example/directory", {}, { fetch: fetchWithoutDns });
  expect(await problemFrom(client.directory())).toMatchObject({
    type: "unreachable",
    detail: "https://ca.example: DNS does not respond, so its name does not resolve",
  });
});

test.each([
  "http://ca.example/directory",
  "http://127.0.0.1.example/",
  "ftp://ca.example/",
  "file:///etc/passwd",
  "nonsense",
])("a server at %s gets no request", async (directory) => {
  let requests = 0;
  const spy = async () => {
    requests += 1;
    return new Response();
  };
  const client = clientOf(directory, {}, { fetch: spy });
  expect((await problemFrom(client.directory())).type).toBe("malformed_answer");
  expect(requests).toBe(0);
});

test("a loopback URL in a remote directory gets no request", async () => {
  const requests: string[] = [];
  const spy = async (url: string) => {
    requests.push(url);
    return Response.json({ ...URLS, newNonce: "http://127.0.0.1:8080/nonce" });
  };
  const client = clientOf("https://ca.example/directory", {}, { fetch: spy });
  expect((await problemFrom(registered(client))).type).toBe("malformed_answer");
  expect(requests).toEqual(["https://ca.example/directory"]);
});

test("the server's certificate must come from the given CA", async () => {
  await using ca = await acmeCa();
  await using another = await acmeCa();
  const { client, account } = await openAccount(ca);
  const { key, chain: cert } = await obtain(ca, client, account, ["localhost"]);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { key, cert },
    fetch: () => Response.json(URLS),
  });
  const { port } = server;
  const directory = `https://localhost:${port}/`;
  expect((await clientOf(directory, { ca: ca.root }).directory()).newOrder).toBe(URLS.newOrder);
  const both = `${another.root}\n${ca.root}\n`;
  expect((await clientOf(directory, { ca: both }).directory()).newOrder).toBe(URLS.newOrder);
  for (const options of [{}, { ca: another.root }]) {
    const problem = await problemFrom(clientOf(directory, options).directory());
    expect(problem.type).toBe("unreachable");
    expect(problem.detail).toStartWith(`https://localhost:${port}: its certificate is not trusted (`);
  }
  const misnamed = await problemFrom(clientOf(`https://127.0.0.1:${port}/`, { ca: ca.root }).directory());
  expect(misnamed.detail).toContain("its certificate is not trusted (ERR_TLS_CERT_ALTNAME_INVALID)");
  await server.stop(true);
});
