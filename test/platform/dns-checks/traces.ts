import type { Exchange, Failure } from "../../../src/protocols/dns/client.ts";
import type { CnameChain } from "../../../src/protocols/dns/cname-chain.ts";
import type {
  Answer,
  CaaRecord,
  DnsRecord,
  SoaRecord,
  TextRecord,
} from "../../../src/protocols/dns/message.ts";
import type { AuthoritativeServers } from "../../../src/protocols/dns/authoritative.ts";
import type { View } from "../../../src/platform/dns-checks/cname-rule.ts";
import type { FindingOf } from "../../../src/platform/dns-checks/finding.ts";
import type { Trace } from "../../../src/platform/dns-checks/trace.ts";

type ReplacingKind =
  | "wrong_target"
  | "conflicting_record"
  | "stray_address"
  | "ownership_unproven"
  | "wildcard_record"
  | "doubled_name"
  | "not_moved";

/** A finding about a record with other values than those expected. */
export const recordFinding = <Kind extends ReplacingKind>(
  kind: Kind,
  name: string,
  type: FindingOf<Kind>["type"],
  found: string[],
  expected: string[],
) => ({ kind, name, type, found, expected }) as FindingOf<Kind>;

export const noRecord = (name: string, type: "CNAME" | "ALIAS", expected: string[]) =>
  ({ kind: "no_record", name, type, expected }) as const;

export const record = (type: TextRecord["type"], name: string, data: string, ttl = 60): TextRecord => ({
  type,
  name,
  data,
  ttl,
});

export const caaRecord = (name: string, tag: string, value: string, critical = false): CaaRecord => ({
  type: "CAA",
  name,
  ttl: 60,
  data: { critical, tag, value },
});

export const soa = (name: string, ttl: number, minimum: number): SoaRecord => ({
  type: "SOA",
  name,
  ttl,
  data: { minimum },
});

export const answer = (records: DnsRecord[] = [], more: Partial<Answer> = {}): Answer => ({
  kind: "answer",
  rcode: "NOERROR",
  authoritative: false,
  records,
  authorities: [],
  ...more,
});

export const failure = (kind: Failure["failure"], detail: string): Failure => ({
  kind: "failure",
  failure: kind,
  detail,
});

export const exchange = (outcome: Answer | Failure, address = "192.0.2.53", port = 53): Exchange => ({
  server: { address, port },
  question: { name: "", type: "A" },
  recursive: true,
  transport: "udp",
  outcome,
  milliseconds: 1,
  ignored: [],
});

/** One server that says the same to every question unless there is something of the question's own. */
export const view = (
  role: View["role"],
  address: string,
  outcomes: Partial<Record<"cname" | "a" | "aaaa", Answer | Failure>>,
): View => {
  const outcome = (type: "cname" | "a" | "aaaa") => {
    const given = outcomes[type] ?? answer();
    const isHolder = role === "authority" && given.kind === "answer";
    return exchange(isHolder ? { ...given, authoritative: true } : given, address);
  };
  return {
    server: { address, port: 53 },
    role,
    cname: outcome("cname"),
    a: outcome("a"),
    aaaa: outcome("aaaa"),
  };
};

export const chain = (records: DnsRecord[], more: Partial<CnameChain> = {}): CnameChain => ({
  names: [],
  records,
  last: exchange(answer(records)),
  ...more,
});

export const authorityOf = (
  zone: string,
  names: string[],
  more: Partial<AuthoritativeServers> = {},
): AuthoritativeServers => ({
  zone,
  names,
  servers: [],
  responding: [],
  unaddressed: [],
  isFromParent: false,
  ...more,
});

export const trace = (views: View[], more: Partial<Trace> = {}): Trace => ({
  ascii: "",
  apex: "",
  target: "",
  authority: undefined,
  views,
  chain: chain([]),
  targets: [],
  caa: { kind: "none" },
  exchanges: [],
  ...more,
});
