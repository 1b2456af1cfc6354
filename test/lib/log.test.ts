import { expect, test } from "bun:test";
import { join } from "node:path";

const LOG = join(import.meta.dir, "../../src/lib/log.ts");

/** The log writes to the standard output of its process. */
const logged = (route: string, status: number): string => {
  const entry = { requestId: "a", method: "GET", url: "http://localhost/x/y", route, status, ms: 1.2 };
  const program = `
    const { logger, logRequest } = await import(${JSON.stringify(LOG)});
    logRequest(logger({ level: "info", format: "pretty", colour: false }), ${JSON.stringify(entry)});`;
  return Bun.spawnSync([process.execPath, "-e", program]).stdout.toString();
};

test.each([
  ["", 421, "request GET 421 1.2 ms {"],
  ["/v1/pets", 421, "request GET /v1/pets 421 1.2 ms {"],
  ["/*", 404, "request GET /x/y 404 1.2 ms {"],
])("a pretty line of a request whose route is %j and status %d has single spaces", (route, status, text) => {
  expect(logged(route, status)).toContain(text);
});
