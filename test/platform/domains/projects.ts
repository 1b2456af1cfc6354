import type { DomainFinding } from "../../../src/platform/dns-checks/finding.ts";
import type { Inspect, Inspection } from "../../../src/platform/dns-checks/inspect.ts";
import { tarGzOf } from "../deploys/archives.ts";
import { type Call, type Store, type StoreSettings, openStore } from "../../support/store.ts";

/** A domain on the wire, as far as tests look. */
export interface WireDomain {
  hostname: string;
  unicode: string;
  project: string;
  stage: string;
  role: string;
  record: Record<string, string | number>;
  findings: { kind: string; message: string; [field: string]: unknown }[];
  trace?: { questions: unknown[]; [field: string]: unknown };
  [time: string]: unknown;
}

export interface WireEvent {
  at: string;
  actor: string;
  key?: number;
  name?: string;
  event: string;
  stage: string;
  findings: unknown[];
}

const REPORT: Inspection["report"] = {
  target: "",
  nameServers: [],
  chain: [],
  targetAddresses: [],
  caa: [],
  questions: [],
};

type Outcome = Inspection["event"] | "unreachable";

const findingOf = (said: Outcome, name: string): DomainFinding[] => {
  switch (said) {
    case "records_right":
      return [];
    case "records_wrong":
      return [{ kind: "conflicting_record", name, type: "A", found: ["203.0.113.7"], expected: ["target"] }];
    case "records_missing":
      return [{ kind: "no_record", name, type: "CNAME", expected: ["target"] }];
    default:
      return [{ kind: "unreachable", name, server: "192.0.2.53", reason: "timeout" }];
  }
};

/** A DNS with one outcome for all names, or one by name. */
export const openFakeDns = (outcome: Outcome = "records_missing") => {
  const asked: string[] = [];
  const byName = new Map<string, Outcome>();
  const fakeDns = {
    outcome,
    asked,
    byName,
    /** True for an apex that has addresses but no proof. */
    isFlattened: false,
    /** True for a TXT record with the project's own target. */
    isClaimed: false,
    /** Targets of other projects that its TXT record names. */
    rivals: [] as string[],
    /** Replaces the findings that belong to the outcome. */
    findings: undefined as DomainFinding[] | undefined,
    /** Of the target. */
    addresses: [] as string[],
    /** Of the zone. */
    nameServers: [] as string[],
    delay: undefined as (() => Promise<unknown>) | undefined,
  };
  const inspect: Inspect = async ({ ascii }, target) => {
    asked.push(ascii);
    await fakeDns.delay?.();
    const current = byName.get(ascii) ?? fakeDns.outcome;
    return {
      event: current === "unreachable" ? undefined : current,
      findings: (fakeDns.findings ?? findingOf(current, ascii)) as Inspection["findings"],
      isProven: !fakeDns.isFlattened,
      isClaimed: fakeDns.isClaimed,
      rivals: fakeDns.rivals,
      report: { ...REPORT, target, targetAddresses: fakeDns.addresses, nameServers: fakeDns.nameServers },
    };
  };
  return { fakeDns, inspect };
};

export const DEPLOY = tarGzOf([{ name: "index.html", content: "<h1>Docs</h1>" }]);

/** Makes a project, by default with a deploy. */
export const makeProject = async (store: Store, slug: string, plan = "pro", isDeployed = true) => {
  await store.call("POST", "/platform/projects", { json: { slug, name: slug, plan } });
  if (isDeployed)
    await store.call("POST", `/platform/projects/${slug}/deploys`, {
      body: DEPLOY,
      headers: { "content-type": "application/gzip" },
    });
};

/** The service with the deployed project `docs` on the plan Pro. Checks query the DNS if `dns` is set, else `fakeDns`. */
export const openProject = async (settings: StoreSettings = {}) => {
  const { fakeDns, inspect } = openFakeDns();
  const addressesOf = async () => fakeDns.addresses;
  const store = await openStore(settings.dns ? settings : { inspect, addressesOf, ...settings });
  await makeProject(store, "docs");
  const api = (method: string, path = "", call: Call = {}, slug = "docs") =>
    store.call(method, `/platform/projects/${slug}${path}`, call);
  const add = (hostname: string, slug = "docs") => api("POST", "/domains", { json: { hostname } }, slug);
  const show = async (hostname: string, slug = "docs") =>
    (await (await api("GET", `/domains/${hostname}`, {}, slug)).json()) as WireDomain;
  const verify = (hostname: string, slug = "docs") => api("POST", `/domains/${hostname}/verify`, {}, slug);
  const history = async (hostname: string, slug = "docs") =>
    (await (await api("GET", `/domains/${hostname}/history`, {}, slug)).json()) as WireEvent[];
  const events = async (hostname: string, slug = "docs") =>
    (await history(hostname, slug)).map(({ event, stage }) => `${event} ${stage}`).toReversed();
  return { store, fakeDns, api, add, show, verify, history, events };
};
