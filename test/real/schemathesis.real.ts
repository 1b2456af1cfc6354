import { expect } from "bun:test";
import { join } from "node:path";
import { SCHEMATHESIS, requestsOf } from "./clients.ts";
import { real, run, serve } from "./support.ts";

const test = real(SCHEMATHESIS);

const LEAST_REQUESTS = 3000;
const CONFIGURATION = join(import.meta.dir, "schemathesis");

/** The key that the first start makes, with which Schemathesis sends its requests. */
const FIRST_KEY = "1";

for (const { name, path, examples } of [
  { name: "store", path: "/openapi.json", examples: 140 },
  { name: "platform", path: "/platform/openapi.json", examples: 90 },
])
  test(
    `Schemathesis finds nothing with all its checks in ${LEAST_REQUESTS} requests of the ${name} document`,
    async () => {
      // It tries many wrong keys.
      // No server listens there, so that checks of names end immediately.
      const env = { AUTH_FAILURES_PER_MINUTE: "1000000", DNS_RESOLVERS: "127.0.0.1:1" };
      const server = await serve({ env });
      const { code, stdout, stderr } = await run(
        [
          SCHEMATHESIS,
          `--config-file=${CONFIGURATION}/schemathesis.toml`,
          "run",
          `${server.url}${path}`,
          `--header=Authorization: Bearer ${server.key}`,
          `--max-examples=${examples}`,
          // The same requests each time, one after the other.
          "--seed=1",
          "--workers=1",
          "--generation-database=none",
          "--no-color",
        ],
        {
          cwd: server.cwd,
          env: {
            OWN_KEY_ID: FIRST_KEY,
            PYTHONPATH: CONFIGURATION,
            PYTHONDONTWRITEBYTECODE: "1",
            SCHEMATHESIS_HOOKS: "hooks",
          },
        },
      );
      const findings = stdout.slice(stdout.search(/=+ (ERRORS|FAILURES|SUMMARY) =+/));
      expect({ code, stderr, findings: code === 0 ? "" : findings.slice(0, 10_000) }).toEqual({
        code: 0,
        stderr: "",
        findings: "",
      });
      expect(await requestsOf(server)).toBeGreaterThan(LEAST_REQUESTS);
    },
    10 * 60_000,
  );
