import { expect, test } from "bun:test";
import { join } from "node:path";

const LOG = join(import.meta.dir, "../../src/lib/log.ts");

/** The log writes to the standard output of its process. */
const logged = (route: string): string => {
  const entry = { requestId: "a", method: "GET", route, status: 421, ms: 1.2 };
  const program = `
    const { logger, logRequest } = await import(${JSON.stringify(LOG)});
    logRequest(logger({ level: "info", format: "pretty", colour: false }), ${JSON.stringify(entry)});`;
  return Bun.spawnSync([process.execPath, "-e", program]).stdout.toString();
};

test.each([
  ["", "request GET 421 1.2 ms {"],
  ["/v1/pets", "request GET /v1/pets 421 1.2 ms {"],
])("a pretty line of a request whose route is %j has single spaces", (route, text) => {
  expect(logged(route)).toContain(text);
});
