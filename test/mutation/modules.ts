import { join } from "node:path";
import { Glob } from "bun";

const ROOT = join(import.meta.dir, "../..");

const filesIn = (pattern: string): string[] => [...new Glob(pattern).scanSync(ROOT)].toSorted();

/** The repositories and endpoints. The tests of their room cover them, and those of the OpenAPI documents. */
const roomModules = (): [module: string, tests: string[]][] =>
  ["src/**/*repository.ts", "src/**/endpoints.ts"].flatMap(filesIn).map((module) => {
    const [, room = ""] = /^src\/(.+)\/[^/]+$/.exec(module) ?? [];
    const documents = module.endsWith("/endpoints.ts") ? ["test/pages/openapi/documents.test.ts"] : [];
    return [module, [...filesIn(`test/${room}/**/*.test.ts`), ...documents]];
  });

/**
 * The pure modules, and for each the fewest test files that cover all of its rules. Add a module with the test file that
 * mirrors it.
 */
export const PURE: Readonly<Record<string, readonly string[]>> = {
  "src/operate/backups/file-names.ts": ["test/operate/backups/file-names.test.ts"],
  "src/platform/certificates/budget.ts": ["test/platform/certificates/budget.test.ts"],
  "src/platform/certificates/certificate.ts": ["test/platform/certificates/certificate.test.ts"],
  "src/platform/certificates/imported.ts": ["test/platform/certificates/importable.test.ts"],
  "src/config/parse.ts": ["test/config/parse.test.ts"],
  "src/lib/hostname.ts": ["test/lib/hostname.test.ts"],
  "src/platform/deploys/rules/headers.ts": ["test/platform/deploys/rules/headers.test.ts"],
  "src/platform/deploys/rules/path-pattern.ts": [
    "test/platform/deploys/rules/path-pattern.test.ts",
    "test/platform/deploys/rules/redirects.test.ts",
  ],
  "src/platform/deploys/rules/redirects.ts": ["test/platform/deploys/rules/redirects.test.ts"],
  "src/platform/dns-checks/cname-rule.ts": ["test/platform/dns-checks/verdict.test.ts"],
  "src/platform/dns-checks/verdict.ts": ["test/platform/dns-checks/verdict.test.ts"],
  "src/platform/dns-records/needed-record.ts": [
    "test/platform/dns-records/needed-record.test.ts",
    "test/platform/dns-records/providers.test.ts",
  ],
  "src/platform/domains/roles.ts": [
    "test/platform/domains/roles-config.test.ts",
    "test/platform/domains/config.test.ts",
  ],
  "src/platform/domains/progress.ts": ["test/platform/domains/progress.test.ts"],
  "src/platform/domains/schedule.ts": ["test/platform/domains/schedule.test.ts"],
  "src/edge/hosts.ts": ["test/edge/hosts.test.ts"],
  "src/access/privilege-ceiling.ts": ["test/access/privilege-ceiling.test.ts"],
  "src/access/keys/secret.ts": ["test/access/keys/secret.test.ts"],
  "src/lib/accept.ts": ["test/lib/accept.test.ts"],
  "src/lib/csv-writer.ts": ["test/lib/csv-writer.test.ts"],
  "src/lib/json.ts": ["test/lib/json.test.ts"],
  "src/lib/lru.ts": ["test/lib/lru.test.ts"],
  "src/lib/pagination.ts": ["test/lib/pagination.test.ts"],
  "src/lib/rate-limiter.ts": ["test/lib/rate-limiter.test.ts", "test/access/privilege-ceiling.test.ts"],
  "src/http/scopes.ts": ["test/http/scopes.test.ts"],
  "src/lib/text.ts": ["test/lib/text.test.ts"],
  "src/lib/time.ts": ["test/lib/time.test.ts"],
  "src/store/orders/order.ts": ["test/store/orders/status.test.ts"],
  "src/platform/projects/slug.ts": ["test/platform/projects/slug.test.ts"],
  "src/protocols/acme/problem.ts": ["test/protocols/acme/problem.test.ts"],
  "src/protocols/acme/renewal.ts": ["test/protocols/acme/renewal.test.ts"],
  "src/protocols/dns/address.ts": ["test/protocols/dns/address.test.ts"],
  "src/protocols/dns/cname-chain.ts": ["test/protocols/dns/cname-chain.test.ts"],
  "src/protocols/dns/name.ts": ["test/protocols/dns/name.test.ts"],
  "src/protocols/dns-server/answer.ts": [
    "test/protocols/dns-server/answer.test.ts",
    "test/protocols/dns-server/responder.test.ts",
    "test/protocols/dns-server/query.test.ts",
  ],
  "src/protocols/dns-server/zone.ts": ["test/protocols/dns-server/answer.test.ts"],
  "src/protocols/dns-server/query.ts": ["test/protocols/dns-server/query.test.ts"],
  "src/protocols/tls/frame-budget.ts": ["test/protocols/tls/frame-budget.test.ts"],
  "src/protocols/tls/client-hello.ts": ["test/protocols/tls/client-hello.test.ts"],
  "src/platform/sites/range.ts": ["test/platform/sites/range.test.ts"],
};

/** All modules with their tests. A run tries the quickest file first. */
export const MODULES: Readonly<Record<string, readonly string[]>> = {
  ...PURE,
  ...Object.fromEntries(roomModules()),
};
