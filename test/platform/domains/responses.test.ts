import { beforeAll, describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { ADVICE, summaryOf } from "../../../src/platform/certificates/summary.ts";
import { type DomainFinding as Finding, FINDING_KINDS } from "../../../src/platform/dns-checks/finding.ts";
import { DomainFinding } from "../../../src/platform/dns-checks/model.ts";
import { CERTIFICATE_STATUSES, DomainCertificate } from "../../../src/platform/domains/certificate-model.ts";
import { EVENTS, ROLES } from "../../../src/platform/domains/domain.ts";
import { STAGES, STORED_STAGES } from "../../../src/platform/domains/stage.ts";
import { LATEST_TIME } from "../../../src/lib/time.ts";
import { openIssuing } from "../certificates/issuing.ts";
import { runInCommit } from "../../support/store.ts";

type Body = Record<string, unknown>;
type Cell = string | number | null;

let room: Awaited<ReturnType<typeof openIssuing>>;

beforeAll(async () => {
  room = await openIssuing();
});

/** Sets columns of the rows of a name. */
const update = (table: string, hostname: string, row: Record<string, Cell>) =>
  runInCommit(
    room.store.database,
    `UPDATE ${table} SET ${Object.keys(row)
      .map((column) => `${column} = ?`)
      .join()} WHERE hostname = ?`,
    [...Object.values(row), hostname],
  );

/** The number of added domains. Each has a separate name, because a domain can be verified only ten times a minute. */
let count = 0;

/** Runs `work` with the only domain of a project, whose certificate is not ordered. */
const withDomain = async (work: (hostname: string) => Promise<void>) => {
  const hostname = `d${++count}.example.org`;
  await room.add(hostname);
  await room.certificates.want([hostname], room.clock.now());
  try {
    await work(hostname);
  } finally {
    await room.api("DELETE", `/domains/${hostname}`);
  }
};

/** The domain in every response that contains it, each after `prepare`. */
const everywhere = async (hostname: string, prepare: () => Promise<unknown>): Promise<Body[]> => {
  const bodies: Body[] = [];
  for (const [method, path, call] of [
    ["GET", "/domains"],
    ["GET", `/domains/${hostname}`],
    ["POST", `/domains/${hostname}/verify`],
    ["PUT", `/domains/${hostname}/primary`],
    // Without its certificate.
    ["POST", "/domains", { json: { hostname } }],
  ] as const) {
    await prepare();
    const response = await room.api(method, path, call);
    const domains = [(await response.json()) as Body | Body[]].flat();
    expect({ method, path, status: response.status, domains }).toMatchObject({
      status: 200,
      domains: [{ hostname }],
    });
    bodies.push(...domains);
  }
  return bodies;
};

/** RFC 8555 section 6.7, RFC 9773 section 7.4, and the types of this service. */
const PROBLEM_TYPES = [
  ...new Set([
    ...Object.keys(ADVICE),
    ..."accountDoesNotExist alreadyReplaced alreadyRevoked badCSR badNonce badPublicKey".split(" "),
    ..."badRevocationReason badSignatureAlgorithm caa compound connection dns".split(" "),
    ..."externalAccountRequired incorrectResponse invalidContact malformed orderNotReady".split(" "),
    ..."rateLimited rejectedIdentifier serverInternal tls unauthorized unsupportedContact".split(" "),
    ..."unsupportedIdentifier userActionRequired".split(" "),
    ..."internal malformed_answer no_challenge order_invalid undecided unexplained".split(" "),
    "unfit_certificate",
  ]),
];

const LARGEST_INTEGER = 2 ** 31 - 1;
const LONG_TEXT = '\u{1F415} <b>"x"</b>\u202E'.repeat(60);

/** The columns of a certificate that is not ordered. */
const NOT_ORDERED = {
  key: null,
  chain: null,
  authority: null,
  not_before: null,
  not_after: null,
  order_authority: null,
  order_key: null,
  problem: null,
  failures: 0,
  next_at: null,
};

/** The columns that an attempt sets in the row of a certificate, from the smallest values to the largest. */
const attempts = (type: string) => [
  { next_at: null, failures: 0, problem: { type, detail: "", subproblems: [] } },
  { next_at: 0, failures: 1, problem: { type, detail: "-", subproblems: [{ type: "", detail: "" }] } },
  {
    next_at: LATEST_TIME,
    failures: LARGEST_INTEGER,
    problem: {
      type,
      detail: LONG_TEXT,
      status: 999,
      subproblems: Array.from({ length: 100 }, () => ({ type, detail: LONG_TEXT, identifier: LONG_TEXT })),
    },
  },
];

const isDocumented = (certificate: unknown): boolean => Value.Check(DomainCertificate, certificate);

/** The certificate as the command line prints it. */
const printed = async (hostname: string): Promise<unknown> => {
  const found = await room.certificates.find(hostname);
  return JSON.parse(JSON.stringify(found && summaryOf(found, room.clock.now(), false)));
};

describe("every response contains a domain", () => {
  test.each(PROBLEM_TYPES)("whose certificate has the problem %s", (type) =>
    withDomain(async (hostname) => {
      for (const { problem, ...row } of attempts(type)) {
        const columns = { ...NOT_ORDERED, ...row, problem: JSON.stringify(problem) };
        const responses = await everywhere(hostname, () => update("certificates", hostname, columns));
        const bodies = responses.slice(0, -1);
        const { failures } = row;
        expect(bodies).toMatchObject(bodies.map(() => ({ certificate: { problem, failures } })));
        expect(isDocumented(await printed(hostname))).toBe(true);
      }
    }),
  );

  const NOW = () => room.clock.now();
  const PAIR = { key: "-", chain: "-" };
  const ROWS: Record<(typeof CERTIFICATE_STATUSES)[number], () => Record<string, Cell>[]> = {
    wanted: () => [{ created_at: NOW() }],
    ordered: () => [{ created_at: NOW(), order_authority: "https://ca.example", order_key: "-" }],
    failing: () => [{ created_at: NOW(), problem: '{"type":"caa","detail":"","subproblems":[]}' }],
    ssl_overdue: () => [{ created_at: 0 }, { created_at: 0, order_authority: "", order_key: "-" }],
    in_use: () => [
      { ...PAIR, not_before: 0, not_after: LATEST_TIME },
      { ...PAIR, not_before: LATEST_TIME, not_after: LATEST_TIME, authority: LONG_TEXT },
    ],
    expired: () => [{ ...PAIR, not_before: 0, not_after: 0, authority: "" }],
  };

  test.each([...CERTIFICATE_STATUSES])("whose certificate is %s", (status) =>
    withDomain(async (hostname) => {
      for (const row of ROWS[status]()) {
        const prepare = () => update("certificates", hostname, { ...NOT_ORDERED, ...row });
        const bodies = (await everywhere(hostname, prepare)).slice(0, -1);
        expect(bodies).toMatchObject(bodies.map(() => ({ certificate: { status } })));
        expect(isDocumented(await printed(hostname))).toBe(true);
      }
    }),
  );

  test.each([...STORED_STAGES])("in the stage %s with every role", (stage) =>
    withDomain(async (hostname) => {
      for (const role of ROLES) {
        const row = { stage, role, checked_at: 0, failing_since: LATEST_TIME, live_at: null };
        const [listed, shown] = await everywhere(hostname, () => update("domains", hostname, row));
        expect([listed, shown]).toMatchObject([
          { stage, role },
          { stage, role },
        ]);
      }
    }),
  );
});

interface Documented {
  type?: string;
  enum?: readonly unknown[];
  format?: string;
  properties?: Record<string, Documented>;
}

/** The extreme values of a member of a finding, by type. They ignore its documented limits, which are under test. */
const extremesOf = (schema: Documented): unknown[] => {
  if (schema.enum) return [...schema.enum];
  if (schema.format === "date-time") return ["1970-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"];
  switch (schema.type) {
    case "integer":
      return [0, LARGEST_INTEGER];
    case "boolean":
      return [false, true];
    case "object":
      return ["", LONG_TEXT].map((text) =>
        Object.fromEntries(Object.keys(schema.properties ?? {}).map((name) => [name, text])),
      );
    case "array":
      return [[], [""], Array.from({ length: 20 }, () => LONG_TEXT)];
    default:
      return ["", LONG_TEXT];
  }
};

const {
  kind: _kind,
  message: _message,
  responsible: _responsible,
  isHint: _isHint,
  title: _title,
  changes: _changes,
  ...MEMBERS
} = DomainFinding.properties;

/** Findings of a kind with each member at each of its extremes, and once without the optional members. */
const findingsOf = (kind: string): Finding[] => {
  const members = Object.entries(MEMBERS).map(
    ([name, schema]) => [name, extremesOf(schema as Documented)] as const,
  );
  const rounds = Math.max(...members.map(([, extremes]) => extremes.length));
  const full = Array.from({ length: rounds }, (_, round) =>
    Object.fromEntries(members.map(([name, extremes]) => [name, extremes.at(round) ?? extremes.at(-1)])),
  );
  const optional = "parameter tag since reachesService challenge wildcard".split(" ");
  const required = Object.fromEntries(
    Object.entries(full[0] ?? {}).filter(([name]) => !optional.includes(name)),
  );
  return [...full, required].map((finding) => ({ ...finding, kind }) as unknown as Finding);
};

describe("every response contains findings of the kind", () => {
  test.each(FINDING_KINDS)("%s", (kind) =>
    withDomain(async (hostname) => {
      const findings = findingsOf(kind);
      const found = findings.map((finding) => expect.objectContaining({ kind, name: finding.name }));
      room.fakeDns.findings = findings;
      const row = { findings: JSON.stringify(findings) };
      const bodies = await everywhere(hostname, () => update("domains", hostname, row));
      room.fakeDns.findings = undefined;
      expect(bodies).toMatchObject(bodies.map(() => ({ findings: found })));
      await update("domain_events", hostname, row);
      const events = await room.history(hostname);
      expect(events.length).toBeGreaterThan(0);
      expect(events).toMatchObject(events.map(() => ({ findings: found })));
    }),
  );
});

test("a check of a name contains findings of every kind, with and without a target", async () => {
  room.fakeDns.findings = FINDING_KINDS.flatMap(findingsOf);
  const hostname = "other.example.org";
  for (const json of [{ hostname }, { hostname, target: "target.example.net" }]) {
    const check = await room.store.call("POST", "/platform/domain-checks", { json });
    expect(await check.json()).toMatchObject({ hostname, findings: expect.any(Array) });
  }
  room.fakeDns.findings = undefined;
});

test.each([...EVENTS])("a history contains the event %s with every stage", (event) =>
  withDomain(async (hostname) => {
    for (const stage of STAGES) {
      await update("domain_events", hostname, { event, stage });
      expect(await room.history(hostname)).toMatchObject([{ event, stage }]);
    }
  }),
);

test("a finding that an earlier version stored has its title, its hint and its changes, except in the history", () =>
  withDomain(async (hostname) => {
    const stored = { kind: "no_record", name: hostname, type: "CNAME", expected: ["target.example.net"] };
    const row = { findings: JSON.stringify([stored]) };
    await update("domains", hostname, row);
    await update("domain_events", hostname, row);
    const texts = {
      ...stored,
      responsible: "holder",
      isHint: false,
      title: `There is no CNAME record for ${hostname} yet`,
      message: `${hostname} has no CNAME record: create one with the value target.example.net.`,
    };
    const label = hostname.replace(".example.org", "");
    const record = { type: "CNAME", name: label, fullName: hostname, value: "target.example.net" };
    const { findings } = (await room.show(hostname)) as { findings: unknown[] };
    expect(findings).toEqual([{ ...texts, changes: [{ action: "create", ...record }] }]);
    const moving = JSON.stringify([{ ...stored, kind: "not_moved", found: [] }]);
    await update("domains", hostname, { findings: moving });
    expect(await room.show(hostname)).toMatchObject({ findings: [{ isHint: true, changes: [] }] });
    await update("domains", hostname, { stage: "live" });
    const live = await room.show(hostname);
    const changes = [{ action: "create", ...record, value: live.record["value"] }];
    expect(live).toMatchObject({ findings: [{ isHint: false, changes }] });
    const [event] = (await room.history(hostname)) as { findings: unknown[] }[];
    expect(event?.findings).toEqual([texts]);
  }));

test("a finding of a kind that this version does not know is omitted", () =>
  withDomain(async (hostname) => {
    const row = {
      findings: JSON.stringify([
        { kind: "former", name: "-" },
        { kind: "domain_lost", name: "-" },
      ]),
    };
    await update("domains", hostname, row);
    await update("domain_events", hostname, row);
    expect(await room.show(hostname)).toMatchObject({ findings: [{ kind: "domain_lost" }] });
    expect(await room.history(hostname)).toMatchObject([{ findings: [{ kind: "domain_lost" }] }]);
  }));

test("a domain that violates the schema is omitted from its project's list, and the log names it", () =>
  withDomain(async (hostname) => {
    await room.add("other.example.org");
    await update("domains", hostname, { checked_at: -1 });
    const response = await room.api("GET", "/domains");
    expect(await response.json()).toMatchObject([{ hostname: "other.example.org" }]);
    expect(room.store.log).toContainEqual(
      expect.objectContaining({
        rows: [{ index: 0, hostname, violations: "checkedAt: must be a time such as 2030-12-05T00:00:00Z" }],
      }),
    );
    await room.api("DELETE", "/domains/other.example.org");
  }));
