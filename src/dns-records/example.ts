import { TARGET } from "../dns-checks/model.ts";

/** What the domain of the examples in the OpenAPI documents needs. */
export const RECORD = {
  type: "CNAME",
  name: "docs",
  value: TARGET,
  ttl: 3600,
  bind: `docs.example.org. 3600 IN CNAME ${TARGET}.`,
  terraform: `resource "dns_cname_record" "docs_example_org" {\n  zone  = "example.org."\n  name  = "docs"\n  cname = "${TARGET}."\n  ttl   = 3600\n}`,
};
