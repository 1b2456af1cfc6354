import type { AuthoritativeServers } from "../../protocols/dns/authoritative.ts";
import type { RelevantCaa } from "../../protocols/dns/caa.ts";
import type { Exchange } from "../../protocols/dns/client.ts";
import type { CnameChain } from "../../protocols/dns/cname-chain.ts";
import type { Question } from "../../protocols/dns/message.ts";
import type { Server } from "../../lib/name-server.ts";

/** The host name that is verified. */
export interface Subject {
  /** The name, in A-labels. */
  ascii: string;
  /** Its registered domain. */
  apex: string;
  /** The name that its record must point to. */
  target: string;
  /** True for a name that stands for its sibling, the wildcard. */
  isWildcard?: boolean;
  /** True if a TXT record can prove the name before its records point here. */
  acceptsProof?: boolean;
}

/** The responses of one server about the name. */
export interface View {
  server: Server;
  role: "authority" | "resolver";
  cname: Exchange;
  a: Exchange;
  aaaa: Exchange;
}

/** The TXT records that name the project of a host name. */
export interface Proof {
  /** From the zone's own servers, or from the resolvers if none of those responds. */
  resolved: CnameChain;
  /** From each authoritative server. */
  direct: Exchange[];
}

/** Every query about a name, and its response. */
export interface Trace {
  ascii: string;
  target: string;
  /** The registered domain. */
  apex: string;
  authority: AuthoritativeServers | undefined;
  /** Without resolvers while the records are wrong at the zone's own servers. */
  views: View[];
  /** The name's CNAME chain and addresses. */
  chain: CnameChain;
  /** The target's A and AAAA records. */
  targets: CnameChain[];
  caa: RelevantCaa;
  /** Only for an apex with addresses, and for a name that a TXT record can prove. */
  proof?: Proof | undefined;
  /** The records of an unused sibling name. If they are the same, a wildcard answers for both. */
  sibling?: Exchange | undefined;
  /** The records of the name, or of the TXT record's, with the zone twice: a common place of a missing record. */
  doubled?: Exchange;
  /** The records of an unused sibling of that name, which only a wildcard can have. */
  doubledSibling?: Exchange;
  /** Responses with the name's other records, from one of the zone's own servers, without those of a wildcard. */
  others?: Exchange[] | undefined;
  /** The response about the DS record of the domain, if a resolver failed. */
  ds?: Exchange | undefined;
  /** The response of a resolver that failed, to the same query without DNSSEC. */
  unchecked?: Exchange | undefined;
  /** All exchanges, in the order of their responses. */
  exchanges: Exchange[];
}

export interface TraceOptions {
  /** At least one. */
  resolvers: Server[];
  /** The port of authoritative servers. */
  port: number;
  /**
   * True if an authoritative server may be asked. The holder of a zone chooses these addresses, and could make this server
   * send packets into its own network. Resolvers need no check, because the operator chooses them.
   */
  mayAsk: (address: string) => boolean;
}

/** Asks the server whose response decides: one of the zone's own, or else a resolver. */
export type AskSource = (question: Question) => Promise<Exchange>;

/** Unused, so only a wildcard record answers for it. */
const SIBLING_LABEL = "_adoption-store-sibling";

/** Another name of the same parent. */
export const siblingNameOf = (name: string): string => `${SIBLING_LABEL}${name.slice(name.indexOf("."))}`;

export const PROOF_LABEL = "_adoption-store";

/** The name whose TXT record names the project of a host name. */
export const proofNameOf = (hostname: string): string => `${PROOF_LABEL}.${hostname}`;
