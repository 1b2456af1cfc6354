import { apexOf } from "../lib/hostname.ts";
import type { AskAuthorities } from "../protocols/dns/authoritative.ts";
import { recordsOf } from "../protocols/dns/cname-chain.ts";
import type { Visibility } from "./dns-challenges.ts";

/** Asks whether all servers of the zone that respond have a TXT record. */
export const challengeVisibility =
  (askAuthorities: AskAuthorities) =>
  async (name: string, value: string): Promise<Visibility> => {
    const responses = await askAuthorities({ name, type: "TXT", apex: apexOf(name) });
    if (responses.length === 0) return { kind: "unknown" };
    const records = responses.map((response) =>
      recordsOf(response).find(({ type, data }) => type === "TXT" && data === value),
    );
    const ttls = records.flatMap((record) => record?.ttl ?? []);
    return ttls.length < responses.length ? { kind: "missing" } : { kind: "visible", ttl: Math.max(...ttls) };
  };
