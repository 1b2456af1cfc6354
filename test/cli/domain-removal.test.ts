import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { addDomain, addSite } from "../edge/projects.ts";
import { openStore, temporaryDirectory } from "../support/store.ts";
import { inProcessIn } from "./program.ts";

/** What `domains remove` prints before it asks, for a project with a live domain and a live wildcard. */
const advice = async (hostname: string): Promise<string> => {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, "data"), { mode: 0o700 });
  const store = await openStore({ path: join(cwd, "data", "adoption-store.db") });
  await addSite(store, "docs");
  addDomain(store, "docs", "*.example.net");
  addDomain(store, "docs", "docs.example.org", { role: "primary" });
  return (await inProcessIn(cwd, ["domains", "remove", hostname, "--project", "docs"])).out;
};

test("a wildcard cannot be redirected before its removal, and takes no redirect", async () => {
  expect(await advice("*.example.net")).toBe(
    "*.example.net is live: its traffic stops being served immediately.\n",
  );
  const lines = await advice("docs.example.org");
  expect(lines).toContain("adoption-store domains add OTHER --project docs --wait");
  expect(lines).not.toContain("*.example.net");
});
