import { TARGET } from "../model.ts";
import { RECORD } from "../../dns-records/model.ts";
import { endpoints } from "../../../http/endpoint.ts";
import type { Macros } from "../../../http/macros.ts";
import type { WithoutIdleTimeout } from "../../../lib/idle-timeout.ts";
import { DomainCheck, NewDomainCheck, fromNameCheck } from "./model.ts";
import type { NameCheckService } from "./name-check.ts";

const MISSING = {
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
      isHint: false,
      title: "There is no CNAME record for docs.example.org yet",
      message: `docs.example.org has no CNAME record: create one with the value ${TARGET}.`,
      changes: [
        { action: "create", type: "CNAME", name: "docs", fullName: "docs.example.org", value: TARGET },
      ],
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
};

/** The check of a name before it is added, at `/platform/domain-checks`. */
export const nameCheckEndpoints = ({
  nameChecks,
  macros,
  withoutIdleTimeout,
}: {
  nameChecks: NameCheckService;
  macros: Macros;
  withoutIdleTimeout: WithoutIdleTimeout;
}) => {
  const { add, app } = endpoints({ macros, tag: "domains", scope: "platform:read" });
  add("POST /platform/domain-checks", {
    id: "checkDomain",
    summary: "Check a name before you add it",
    description:
      "Asks the DNS about a name, which need not belong to a project. Nothing is stored. With `target`, the verdict says whether the records are right. Without it, the verdict says whether other records are in the way. The findings say what to do, and the trace has a `dig` command for each query. Names below one registered domain can be checked 30 times a minute.",
    body: NewDomainCheck,
    bodyExample: { hostname: "docs.example.org", target: TARGET },
    returns: [DomainCheck, "What the DNS says about the name.", MISSING],
    faults: ["not_ready"],
    // Strangers' name servers can be slow.
    run: async ({ body, request }) =>
      fromNameCheck(await withoutIdleTimeout(request, () => nameChecks.check(body))),
  });
  return app;
};
