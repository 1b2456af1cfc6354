import { expect } from "bun:test";
import { copyFileSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTestCa } from "../support/certificates.ts";
import { EXECUTABLE, directory, real, run } from "./support.ts";

const test = real();

/** All that an upgrade without a service runs of the new executable. */
const NEWER = `#!/bin/sh\necho '{"version":"999.0.0","commit":null,"migration":"9999_next"}'\n`;
const SUM = new Bun.CryptoHasher("sha256").update(NEWER).digest("hex");

test("the executable replaces itself with one from an HTTPS server", async () => {
  const place = directory();
  const { root, issue } = await createTestCa();
  await using server = Bun.serve({
    hostname: "localhost",
    port: 0,
    tls: await issue(["localhost"]),
    routes: {
      "/latest/newer": Response.redirect("/1/newer"),
      "/latest/SHA256SUMS": Response.redirect("/1/SHA256SUMS"),
      "/1/newer": new Response(NEWER),
      "/1/SHA256SUMS": new Response(`${SUM}  newer\n`),
      "/wrong/newer": new Response(`${NEWER}# changed\n`),
      "/wrong/SHA256SUMS": new Response(`${SUM}  newer\n`),
    },
  });
  const own = join(place, "adoption-store");
  copyFileSync(EXECUTABLE, own);
  writeFileSync(join(place, "root.pem"), root);
  const upgrade = (path: string, env: Record<string, string>) =>
    run([own, "upgrade", `https://localhost:${server.port}${path}`, "--data-dir", "data"], {
      cwd: place,
      env,
    });

  const untrusted = await upgrade("/latest/newer", {});
  expect(untrusted).toMatchObject({ code: 1, stdout: "" });
  expect(untrusted.stderr).toContain("cannot be downloaded");

  const env = { NODE_EXTRA_CA_CERTS: join(place, "root.pem") };
  const wrong = await upgrade("/wrong/newer", env);
  expect(wrong).toMatchObject({ code: 1, stdout: "" });
  expect(wrong.stderr).toContain(`not ${SUM}: do not use this file`);
  expect(readdirSync(place).toSorted()).toEqual(["adoption-store", "root.pem"]);

  const upgraded = await upgrade("/latest/newer", env);
  expect(upgraded).toMatchObject({ code: 0 });
  expect(upgraded.stdout).toContain("to 999.0.0.\nRestart the server to run it.\n");
  expect(upgraded.stderr).toContain("with the right checksum");
  expect(readFileSync(own, "utf8")).toBe(NEWER);
  expect((await run([`${own}.previous`, "upgrade", "--rollback", "--yes"], { cwd: place })).code).toBe(0);
  expect(Bun.file(own).size).toBe(Bun.file(EXECUTABLE).size);
});
