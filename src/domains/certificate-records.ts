import { hostnameOf } from "../lib/hostname.ts";
import { describe } from "./domain.ts";
import type { Inspect, InspectOptions } from "./inspect.ts";
import type { Domains } from "./repository.ts";
import { wantsCertificate } from "./stage.ts";

/** What the DNS says about a name before a certificate is ordered for it. */
export type NameRecords =
  /** The addresses that a CA connects to. */
  | { kind: "right"; addresses: readonly string[] }
  /** The detail is a sentence for the holder of the domain. */
  | { kind: "wrong"; detail: string }
  /** A project holds the name, but its plan has no custom domains. */
  | { kind: "suspended" };

const IN_BACKGROUND: InspectOptions = { isUrgent: () => false, needsProof: false };

const wrong = (detail: string): NameRecords => ({ kind: "wrong", detail });

/** Checks records again before an order, because CAs limit failed orders. */
export const certificateRecords = ({
  domains,
  inspect,
  targetOf,
}: {
  domains: Pick<Domains, "holder">;
  inspect: Inspect;
  /** The CNAME target of a project by its label. */
  targetOf: (label: string) => string;
}) => ({
  /** For a custom domain, whose records must all be right, CAA among them; undefined if no project holds it. */
  async forDomain(hostname: string): Promise<NameRecords | undefined> {
    const holder = await domains.holder(hostname);
    if (!holder) return undefined;
    if (!wantsCertificate(holder.domain.stage)) return { kind: "suspended" };
    const target = targetOf(holder.project.targetLabel);
    const { event, findings, report } = await inspect(hostnameOf(hostname), target, IN_BACKGROUND);
    const [first] = findings;
    if (event === "records_right" && !first) return { kind: "right", addresses: report.targetAddresses };
    return wrong(first ? describe(first) : "The domain's records could not be looked up.");
  },

  /**
   * For one of the service's own names. The operator may point it here in any way, so only forbidding CAA records and a
   * missing address count.
   * @param issuers more CAs that CAA records may name, besides the configured ones
   */
  async forOwnName(hostname: string, issuers: readonly string[]): Promise<NameRecords> {
    const { findings, report } = await inspect(hostnameOf(hostname), hostname, { ...IN_BACKGROUND, issuers });
    const forbidden = findings.find(({ kind }) => kind === "caa_forbids");
    if (forbidden) return wrong(describe(forbidden));
    const addresses = report.targetAddresses;
    if (addresses.length === 0 && findings.some(({ kind }) => kind === "no_record"))
      return wrong(`${hostname} has no address: create an A or AAAA record.`);
    return { kind: "right", addresses };
  },
});
