import { expect } from "bun:test";
import { join } from "node:path";
import type { Debug } from "../../src/cluster/engines/write-lease.ts";
import type { Log } from "../../src/cluster/log.ts";
import { until, within } from "./support.ts";

const PROGRAM = join(import.meta.dir, "lease-holder.ts");

/** A process that has the write lease or a claim. */
const startHolder = async (url: string, what: "write lease" | "claim") => {
  const child = Bun.spawn(["setpriv", "--pdeathsig", "KILL", process.execPath, PROGRAM, url, what], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  let output = "";
  void (async () => {
    for await (const chunk of child.stdout) output += new TextDecoder().decode(chunk);
  })();
  await until(`${what} is held`, () => output.includes("held"));
  return {
    child,
    output: () => output,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
};

/** A node that is stopped delays others for a bounded time, and learns that it has lost its claim. */
export const stoppedHolder = async (
  url: string,
  open: (url: string, debug: Debug) => Promise<Log>,
): Promise<void> => {
  const decisions: string[] = [];
  const log = await open(url, (_, decision) => decisions.push(decision));
  await using writer = await startHolder(url, "write lease");
  await using worker = await startHolder(url, "claim");
  // Held for longer than the lease of each, because both are renewed.
  await Bun.sleep(5000);
  expect(await log.claim("work", 3000)).toBeUndefined();
  writer.child.kill("SIGSTOP");
  worker.child.kill("SIGSTOP");
  const lease = await within("the write lease", 6000, log.writeLease());
  expect(decisions).toEqual(["took the write lease"]);
  await lease.release("done");
  await until("the claim can be had", async () => (await log.claim("work", 3000)) !== undefined);
  worker.child.kill("SIGCONT");
  await until("it learns that the claim is lost", () => worker.output().includes("lost"));
};
