/**
 * The pure modules, and the tests that must notice a change of each: the fewest that hold all of its rules. Add a module
 * with the test file that mirrors it; the run tries the quickest file first.
 */
export const MODULES: Readonly<Record<string, readonly string[]>> = {
  "src/backups/file-names.ts": ["test/backups/file-names.test.ts"],
  "src/config/parse.ts": ["test/config/config.test.ts"],
  "src/domains/acme/renewal.ts": ["test/domains/acme/renewal.test.ts"],
  "src/domains/dns/address.ts": ["test/domains/address.test.ts"],
  "src/domains/dns/name.ts": ["test/domains/pure.test.ts"],
  "src/domains/hostname.ts": ["test/domains/hostname.test.ts"],
  "src/domains/progress.ts": ["test/domains/schedule.test.ts"],
  "src/domains/record.ts": ["test/domains/record.test.ts"],
  "src/domains/redirect.ts": ["test/domains/redirect.test.ts"],
  "src/domains/schedule.ts": ["test/domains/schedule.test.ts"],
  "src/domains/stage.ts": ["test/domains/stage.test.ts"],
  "src/edge/hosts.ts": ["test/edge/hosts.test.ts"],
  "src/edge/tls/frame-budget.ts": ["test/edge/tls/frame-budget.test.ts"],
  "src/edge/tls/hello.ts": ["test/edge/tls/hello.test.ts"],
  "src/http/coding.ts": ["test/sites/site.test.ts"],
  "src/http/json.ts": ["test/http/pure.test.ts"],
  "src/keys/rate.ts": ["test/keys/rate.test.ts", "test/keys/reach.test.ts"],
  "src/keys/reach.ts": ["test/keys/reach.test.ts"],
  "src/keys/scopes.ts": ["test/keys/reach.test.ts"],
  "src/keys/secret.ts": ["test/keys/secret.test.ts"],
  "src/page.ts": ["test/http/pure.test.ts"],
  "src/projects/slug.ts": ["test/projects/slug.test.ts"],
  "src/sites/range.ts": ["test/sites/range.test.ts"],
  "src/time.ts": ["test/http/pure.test.ts"],
};
