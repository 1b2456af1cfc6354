import { RCODE } from "../protocols/dns-server/answer.ts";
import type { Client } from "../protocols/dns-server/responder.ts";

const NAMES = new Map<number | undefined, string>(Object.entries(RCODE).map(([name, code]) => [code, name]));

/** Counts the responses by transport and response code. */
export const responseCounts = () => {
  const counts = { udp: new Map<number | undefined, number>(), tcp: new Map<number | undefined, number>() };
  return {
    add({ transport }: Client, rcode: number | undefined): void {
      counts[transport].set(rcode, (counts[transport].get(rcode) ?? 0) + 1);
    },
    /** The counts, with the code `none` for packets without a response. */
    *all(): Generator<{ labels: { transport: string; rcode: string }; count: number }> {
      for (const [transport, codes] of Object.entries(counts))
        for (const [code, count] of codes)
          yield { labels: { transport, rcode: NAMES.get(code) ?? "none" }, count };
    },
  };
};
