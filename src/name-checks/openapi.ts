import { TARGET } from "../dns-checks/model.ts";
import { RECORD } from "../dns-records/model.ts";
import { operation } from "../http/operation.ts";

export const checkDomain = operation({
  operationId: "checkDomain",
  summary: "Check a name before you add it",
  description:
    "Asks the DNS about a name, which need not belong to a project. Nothing is stored. With `target`, the verdict says whether the records are right. Without it, the verdict says whether other records are in the way. The findings say what to do, and the trace has a `dig` command for each query. Names below one registered domain can be checked 30 times a minute.",
  tags: ["domains"],
  bodyExample: { hostname: "docs.example.org", target: TARGET },
  responses: {
    200: {
      description: "What the DNS says about the name.",
      example: {
        hostname: "docs.example.org",
        unicode: "docs.example.org",
        verdict: "missing",
        message: "docs.example.org does not have its records yet: create them at your DNS provider.",
        record: RECORD,
        findings: [
          {
            kind: "no_record",
            name: "docs.example.org",
            type: "CNAME",
            expected: [TARGET],
            message: `docs.example.org has no CNAME record: create one with the value ${TARGET}.`,
          },
        ],
        trace: {
          target: TARGET,
          zone: "example.org",
          nameServers: ["192.0.2.1"],
          chain: ["docs.example.org"],
          targetAddresses: ["192.0.2.80"],
          caa: [],
          questions: [
            {
              server: "192.0.2.1",
              name: "docs.example.org",
              type: "CNAME",
              recursive: false,
              transport: "udp",
              outcome: "NXDOMAIN",
              records: [],
              milliseconds: 12,
              command: "dig @192.0.2.1 docs.example.org. CNAME +norecurse +noadflag +nocookie",
            },
          ],
        },
      },
    },
  },
  faults: ["not_ready"],
});
