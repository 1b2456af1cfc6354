import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { addDomain, addSite } from "../edge/projects.ts";
import { openStore, temporaryDirectory } from "../support/store.ts";
import { inProcessIn } from "./program.ts";

test("`domains list` and `domains show` say why a domain is suspended", async () => {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, "data"), { mode: 0o700 });
  const store = await openStore({ path: join(cwd, "data", "adoption-store.db") });
  await addSite(store, "docs");
  addDomain(store, "docs", "docs.example.org", { stage: "suspended" });
  addDomain(store, "docs", "www.example.org");
  const run = async (...argv: string[]) =>
    (await inProcessIn(cwd, ["domains", ...argv, "--project", "docs"])).out;
  const stages = (await run("list")).split("\n").map((line) => line.split(/ {2,}/)[1]);
  expect(stages.slice(0, 3)).toEqual(["STAGE", "suspended (the plan is below Pro)", "live"]);
  expect(await run("show", "docs.example.org")).toStartWith(
    "docs.example.org: suspended\n  The project's plan is below Pro, so the domain is not served. Change the plan",
  );
  expect(JSON.parse(await run("show", "docs.example.org", "--json"))).toMatchObject({
    stage: "suspended",
    suspension: { reason: "plan_below_pro" },
  });
});
