import { describe, expect, test } from "bun:test";
import { preflightChecks } from "../../../src/platform/certificates/preflight.ts";
import { alpnCertificate } from "../../../src/protocols/acme/tls-alpn.ts";
import type { DomainFinding } from "../../../src/platform/dns-checks/finding.ts";
import { certificateRecords } from "../../../src/platform/domains/certificate-records.ts";
import type { Inspect, Inspection, InspectOptions } from "../../../src/platform/dns-checks/inspect.ts";
import type { Domains } from "../../../src/platform/domains/repository.ts";
import { challengeProbes, handshakeTrier } from "../../../src/platform/certificates/probes.ts";
import { listenerFor } from "../../protocols/tls/listeners.ts";
import { type DnsAccess, failWithoutSending } from "../../../src/protocols/dns/authoritative.ts";
import { answer, caaRecord, exchange, record } from "../dns-checks/traces.ts";
import { outcomeOf } from "../../support/outcome.ts";

const NO_DNS = {
  ask: failWithoutSending("forbidden", "no query is sent here"),
  resolvers: () => [{ address: "127.0.0.1", port: 53 }],
  port: 53,
  mayAsk: () => false,
};

const NAME = "docs.example.org";
const OLD_HOST = "192.0.2.99";

/** A DNS that has only the address of the old host, and these CAA properties of example.org. */
const dnsWithCaa = (values: string[]): DnsAccess => ({
  ...NO_DNS,
  async ask(server, question, recursive) {
    const { type, name } = question;
    const caa = values.map((value) => caaRecord("example.org", "issue", value));
    const records = type === "CAA" && name === "example.org" ? caa : [];
    const own = type === "A" && name === NAME ? [record("A", NAME, OLD_HOST)] : records;
    return { ...exchange(answer(own)), server, question, recursive };
  },
});

/** The same for a name with as many addresses as a response can hold. Its holder chooses them. */
const dnsWithManyAddresses: DnsAccess = {
  ...NO_DNS,
  async ask(server, question, recursive) {
    const { type, name } = question;
    const addresses = Array.from({ length: 4000 }, (_, index) => `192.0.${index >> 8}.${index & 255}`);
    const records =
      type === "A" && name === NAME ? addresses.map((address) => record("A", NAME, address)) : [];
    return { ...exchange(answer(records)), server, question, recursive };
  },
};

/** A resolver with a CAA record that the zone's own server no longer has. */
const dnsWithOldCaa: DnsAccess = {
  ...dnsWithCaa(['";"']),
  mayAsk: (address) => address === "192.0.2.53",
  async ask(server, question, recursive) {
    const { name, type } = question;
    const cached = {
      NS: [record("NS", "example.org", "ns.example.org")],
      A: [record("A", "ns.example.org", "192.0.2.53")],
      CAA: [caaRecord("example.org", "issue", ";")],
    }[type as string];
    const records = recursive ? (cached ?? []).filter((one) => one.name === name) : [];
    return { ...exchange(answer(records, { authoritative: !recursive })), server, question, recursive };
  },
};

const ACCOUNT = "https://ca.test/acct/1";

const REFUSED = "connection refused";

/** Runs the preflight of a name whose records are right by default; each test chooses what its addresses return. */
const examine = ({
  name = NAME,
  isOwn = false,
  hasMoved = true,
  identities = [],
  inspected = () => {},
  event,
  findings = [],
  addresses = ["192.0.2.1"],
  caa = [],
  dns = dnsWithCaa(caa),
  overHttp = async () => {},
  inHandshake = async () => {},
}: {
  name?: string;
  isOwn?: boolean;
  /** False for a proven domain whose records point to the old host. */
  hasMoved?: boolean;
  identities?: string[];
  inspected?: (manner: InspectOptions) => void;
  /** Right records, unless it is given. */
  event?: Inspection["event"] | null;
  findings?: DomainFinding[];
  addresses?: string[];
  caa?: string[];
  dns?: DnsAccess;
  overHttp?: (address: string) => Promise<void>;
  inHandshake?: (address: string) => Promise<void>;
}) => {
  const held = {
    domain: { stage: "verified", verifiedAt: hasMoved ? 1 : null },
    project: { targetLabel: "label" },
  };
  const inspect: Inspect = async (_hostname, _target, manner) => {
    inspected(manner);
    return {
      event:
        event === undefined
          ? manner.acceptsProof
            ? "ownership_proven"
            : "records_right"
          : (event ?? undefined),
      findings: findings as Inspection["findings"],
      isProven: true,
      rivals: [],
      report: {
        target: "",
        nameServers: [],
        chain: [],
        targetAddresses: addresses,
        caa: [],
        questions: [],
      },
    };
  };
  return preflightChecks({
    records: certificateRecords({
      domains: { holder: async () => held } as unknown as Pick<Domains, "holder">,
      inspect,
      issuance: { issuers: ["ca.test"], methods: [], accounts: async () => [ACCOUNT] },
      dns,
      targetOf: (label) => label,
    }),
    isOwnName: () => isOwn,
    isServed: () => true,
    caaIdentities: async () => identities,
    probes: { open: (hostname) => ({ token: crypto.randomUUID(), body: hostname }) },
    async fetchChallenge(address, hostname) {
      await overHttp(address);
      return hostname;
    },
    tryHandshake: (_hostname, address) => inHandshake(address),
    ports: { http: 8080, tls: 8443 },
  })(name);
};

const refuse =
  (...addresses: string[]) =>
  async (address: string) => {
    if (addresses.includes(address)) throw new Error(REFUSED);
  };

test("a domain is proven over HTTP where that works, and nothing else is tried", async () => {
  const tried: string[] = [];
  const inHandshake = async (address: string) => void tried.push(address);
  expect(await examine({ inHandshake })).toEqual({ method: "http-01" });
  expect(tried).toEqual([]);
});

test("a domain is proven although a hint is found, which does not stop it", async () => {
  const findings: DomainFinding[] = [{ kind: "long_ttl", name: NAME, type: "CNAME", seconds: 86_400 }];
  expect(await examine({ findings })).toEqual({ method: "http-01" });
});

test("a domain is proven although a server does not respond, and a resolver still has the old record", async () => {
  const findings: DomainFinding[] = [
    { kind: "unreachable", name: NAME, server: "192.0.2.53", reason: "timeout" },
    { kind: "lame_delegation", name: "example.org", server: "192.0.2.54", reason: "REFUSED" },
    { kind: "not_propagated", name: NAME, server: "192.0.2.55", seconds: 3600 },
  ];
  expect(await examine({ findings })).toEqual({ method: "http-01" });
});

test("a domain is proven although a resolver still has a CAA record that forbade it", async () => {
  expect(await examine({ dns: dnsWithOldCaa })).toEqual({ method: "http-01" });
});

test("a domain is not proven while CAA queries to the zone's servers fail, because a CA would refuse", async () => {
  const findings: DomainFinding[] = [
    { kind: "caa_unanswered", name: NAME, server: "192.0.2.53", reason: "NOTIMP" },
  ];
  const obstacle = { type: "records", detail: expect.stringContaining("Ask the DNS provider") };
  expect(await examine({ findings })).toMatchObject({ obstacle });
});

test("a domain is not proven while this service is unready, and its operator must act", async () => {
  const findings: DomainFinding[] = [
    { kind: "platform_unready", name: "t1.pages.test", reason: "has no A or AAAA record" },
  ];
  const obstacle = { type: "platform_unready", detail: expect.stringContaining("Its operator must") };
  expect(await examine({ findings })).toMatchObject({ obstacle });
});

test("a domain is proven in the handshake where HTTP fails and HTTPS works, at every address", async () => {
  const addresses = ["192.0.2.1", "2001:db8::1"];
  const tried: string[] = [];
  const found = await examine({
    addresses,
    overHttp: refuse("2001:db8::1"),
    inHandshake: async (address) => void tried.push(address),
  });
  expect(found).toEqual({ method: "tls-alpn-01" });
  expect(tried).toEqual(addresses);
});

test.each([
  [
    "the resolver fails",
    [
      {
        kind: "unreachable",
        name: NAME,
        server: "192.0.2.53",
        reason: "ECONNREFUSED",
        responsible: "operator",
      },
    ],
    "The operator of this service",
  ],
  [
    "a name server is silent",
    [
      {
        kind: "unreachable",
        name: NAME,
        server: "192.0.2.53",
        reason: "timeout",
        responsible: "dns_provider",
      },
    ],
    "Ask the DNS provider",
  ],
  ["nothing is found", [], "could not be looked up"],
] as [string, DomainFinding[], string][])(
  "records are not reported as wrong when %s",
  async (_, findings, detail) => {
    const obstacle = { type: "records_unknown", detail: expect.stringContaining(detail) };
    expect(await examine({ event: null, findings })).toMatchObject({ obstacle });
  },
);

test("records are wrong although a name server is silent too", async () => {
  const findings: DomainFinding[] = [
    { kind: "unreachable", name: NAME, server: "192.0.2.53", reason: "timeout" },
    { kind: "no_record", name: NAME, type: "CNAME", expected: ["t1.pages.test"] },
  ];
  expect(await examine({ event: null, findings })).toMatchObject({ obstacle: { type: "records" } });
});

test("a missing TXT record is the reason, and not an HTTPS record, which CAs ignore", async () => {
  const findings: DomainFinding[] = [
    { kind: "https_record", name: NAME, found: ["1 old.test."] },
    { kind: "ownership_unproven", name: `_adoption-store.${NAME}`, type: "TXT", found: [], expected: ["t1"] },
  ];
  const obstacle = { type: "records", detail: expect.stringContaining("Create a TXT record") };
  expect(await examine({ event: null, findings })).toMatchObject({ obstacle });
});

test("no order is placed for a domain with an address that fails both ways, and both reasons are given", async () => {
  const addresses = ["192.0.2.1", "2001:db8::1"];
  const nowhere = refuse("2001:db8::1");
  const found = await examine({ addresses, overHttp: nowhere, inHandshake: nowhere });
  if (!("obstacle" in found)) throw new Error("the preflight passed");
  expect(found.obstacle.type).toBe("challenge_unreachable");
  expect(found.obstacle.detail).toContain(
    `http://${NAME}:8080/.well-known/acme-challenge/ cannot be fetched at 2001:db8::1: ${REFUSED}`,
  );
  expect(found.obstacle.detail).toContain(`port 8443 of ${NAME} at 2001:db8::1: ${REFUSED}`);
});

test("before its records change, a domain is proven over HTTP if its old host forwards the challenge", async () => {
  const tried: string[] = [];
  const overHttp = async (address: string) => void tried.push(address);
  expect(await examine({ hasMoved: false, overHttp })).toEqual({ method: "http-01" });
  expect(tried).toEqual([OLD_HOST]);
});

test("before its records change, a domain without an address is not proven, because no CA can connect to it", async () => {
  const dns: DnsAccess = {
    ...NO_DNS,
    ask: async (server, question, recursive) => ({ ...exchange(answer()), server, question, recursive }),
  };
  expect(await examine({ hasMoved: false, dns })).toMatchObject({
    obstacle: {
      type: "not_moved",
      detail: expect.stringContaining(`${NAME} has no address yet. Create its record`),
    },
  });
});

test("before its records change, a domain is proven with few queries to slow servers, regardless of the number of its labels", async () => {
  const name = `${"a.".repeat(100)}example.org`;
  let sent = 0;
  const dns: DnsAccess = {
    ...NO_DNS,
    mayAsk: () => true,
    async ask(server, question, recursive) {
      sent += recursive ? 0 : 1;
      const own = {
        NS: [record("NS", "example.org", "ns.example.org")],
        A: [record("A", question.name, "192.0.2.53")],
      }[question.type as string];
      const records = (recursive && own?.filter((one) => one.name === question.name)) || [];
      const outcome = answer(records, { authoritative: !recursive });
      return { ...exchange(outcome), server, question, recursive, milliseconds: 5000 };
    },
  };
  await examine({ name, hasMoved: false, dns });
  expect(sent).toBeWithin(1, 25);
});

test("before its records change, a domain is proven at a few addresses, although its holder can name thousands", async () => {
  const tried: string[] = [];
  const overHttp = async (address: string) => void tried.push(address);
  await examine({ hasMoved: false, dns: dnsWithManyAddresses, overHttp });
  expect(tried).toHaveLength(20);
});

test("before its records change, a domain is not proven if the old host does not forward the challenge, and the problem has the remedy", async () => {
  const nowhere = refuse(OLD_HOST);
  const found = await examine({ hasMoved: false, overHttp: nowhere, inHandshake: nowhere });
  expect(found).toMatchObject({
    obstacle: { type: "not_moved", detail: expect.stringContaining("let the old host proxy") },
  });
});

describe("CAA records of RFC 8657:", () => {
  const nowhere = refuse("192.0.2.1");

  test.each([
    ["http-01", "tls-alpn-01", "http"],
    ["tls-alpn-01", "http-01", "https"],
  ])("a name is proven by %s alone where CAA records forbid %s", async (method, _, port) => {
    const caa = [`ca.test; accounturi=${ACCOUNT}; validationmethods=${method}`];
    expect(await examine({ caa })).toMatchObject({ method });
    const failing = await examine({ caa, [port === "http" ? "overHttp" : "inHandshake"]: nowhere });
    expect(failing).toMatchObject({ obstacle: { type: "challenge_unreachable" } });
    expect(await examine({ caa, isOwn: true, overHttp: nowhere, inHandshake: nowhere })).toMatchObject({
      method,
    });
  });

  test.each([
    ["ca.test; validationmethods=dns-01", '"ca.test; validationmethods=http-01,tls-alpn-01"'],
    ["ca.test; accounturi=https://ca.test/acct/2", `"ca.test; accounturi=${ACCOUNT}"`],
  ])(
    "no order is placed for a name with the CAA record %s, and the value to add is named",
    async (value, wanted) => {
      for (const isOwn of [false, true]) {
        const found = await examine({ caa: [value], isOwn });
        if (!("obstacle" in found)) throw new Error("the preflight passed");
        expect(found.obstacle.type).toBe("records");
        expect(found.obstacle.detail).toContain(wanted);
      }
    },
  );
});

test("all addresses are tried at the same time, and the first that fails is named", async () => {
  const addresses = Array.from({ length: 20 }, (_, last) => `192.0.2.${last}`);
  /** Ends when it was called for every address. */
  const together = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let asked = 0;
    return async (address: string) => {
      if (++asked === addresses.length) resolve();
      await promise;
      await refuse("192.0.2.7", "192.0.2.9")(address);
    };
  };
  const found = await examine({ addresses, overHttp: together(), inHandshake: together() });
  if (!("obstacle" in found)) throw new Error("the preflight passed");
  expect(found.obstacle.detail).toContain(
    `http://${NAME}:8080/.well-known/acme-challenge/ cannot be fetched at 192.0.2.7: ${REFUSED}. The challenge fails on port 8443 of ${NAME} at 192.0.2.7: ${REFUSED}.`,
  );
});

describe("a trial of the handshake", () => {
  const probes = challengeProbes("a store");
  const own = probes.authorizationFor(NAME);

  /** A server that proves this key authorization in handshakes, tried while the order of a name is pending, or none. */
  const openTrial = async (proven: string) => {
    const { port } = await listenerFor({ challenge: (name) => alpnCertificate(name, proven) });
    const tryAt = (pending?: string, { acmeTlsPort = port, dnsPrivate = true } = {}) =>
      handshakeTrier({ acmeTlsPort, dnsPrivate }, probes, async () => pending)(NAME, "127.0.0.1");
    return { tryAt };
  };

  test("a trial succeeds at any process of the store, several times concurrently", async () => {
    const { tryAt } = await openTrial(challengeProbes("a store").authorizationFor(NAME));
    await Promise.all([tryAt(), tryAt(), tryAt()]);
  });

  test("a trial succeeds while the name's order is pending, and where that is not yet known", async () => {
    await (await openTrial("token.thumbprint")).tryAt("token.thumbprint");
    await (await openTrial(own)).tryAt("token.thumbprint");
  });

  test("a trial fails at another server, even one that responds to another challenge", async () => {
    for (const other of [challengeProbes("another").authorizationFor(NAME), "another's"])
      expect(await outcomeOf((await openTrial(other)).tryAt())).toThrow("another server responds");
  });

  test("a trial fails where nothing listens, and at addresses that CAs cannot reach", async () => {
    const { tryAt } = await openTrial(own);
    expect(await outcomeOf(tryAt(undefined, { acmeTlsPort: 1 }))).toThrow();
    expect(await outcomeOf(tryAt(undefined, { dnsPrivate: false }))).toThrow("not public");
  });
});

describe("a name of the service's own", () => {
  const own = { isOwn: true, findings: [] as DomainFinding[] };
  const nowhere = refuse("192.0.2.1");
  const caa: DomainFinding = {
    kind: "caa_forbids",
    name: "example.org",
    found: ['0 issue "ca.example.net"'],
    expected: ["letsencrypt.org"],
  };
  const missing: DomainFinding = { kind: "no_record", name: NAME, type: "CNAME", expected: [NAME] };

  test("a name of the service is proven in the handshake where only that works", async () => {
    expect(await examine({ ...own, overHttp: nowhere })).toEqual({ method: "tls-alpn-01" });
  });

  test("a name of the service is tried over HTTP where nothing can be reached from here, because a CA may reach it", async () => {
    const found = await examine({ ...own, overHttp: nowhere, inHandshake: nowhere });
    expect(found).toEqual({ method: "http-01" });
  });

  test("a name of the service gets no order while its CAA records forbid the certificate", async () => {
    expect(await examine({ ...own, findings: [caa] })).toMatchObject({
      obstacle: { type: "records", detail: expect.stringContaining("forbid the certificate") },
    });
  });

  test("a name of the service may have CAA records with the CA's own identity", async () => {
    const seen: InspectOptions[] = [];
    await examine({ ...own, identities: ["ca.example"], inspected: (manner) => void seen.push(manner) });
    expect(seen).toMatchObject([{ issuers: ["ca.example"] }]);
  });

  test("a name of the service gets no order without an address, and the problem has the required record", async () => {
    expect(await examine({ ...own, findings: [missing], addresses: [] })).toMatchObject({
      obstacle: { type: "records", detail: `${NAME} has no address: create an A or AAAA record.` },
    });
  });

  test("a name of the service gets an order regardless of the records that point it here", async () => {
    const other: DomainFinding = { ...missing, kind: "conflicting_record", type: "A", found: ["192.0.2.1"] };
    expect(await examine({ ...own, findings: [other] })).toEqual({ method: "http-01" });
    expect(await examine({ ...own, findings: [], addresses: [] })).toEqual({ method: "http-01" });
  });
});
