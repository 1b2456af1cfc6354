import { expect } from "bun:test";
import { join } from "node:path";
import type { Debug } from "../../src/data/cluster/engines/engine.ts";
import { AppendUnknown, EngineUnavailable, type Head, type Log } from "../../src/data/cluster/log.ts";
import { outcomeOf } from "../support/outcome.ts";
import type { cutProxy } from "./cut-proxy.ts";
import { until, within } from "./support.ts";

export const FIRST = { log: "log-1", position: 0, id: "first", checksum: "", reference: "" };
export const HEAD: Head = { log: "log-1", position: 0, id: "first" };
export const record = (text: string): Uint8Array => new TextEncoder().encode(text);

/** @param text of the record, or of its request */
export const lostResponse = async (
  log: Log,
  proxy: Awaited<ReturnType<typeof cutProxy>>,
  text: string,
): Promise<void> => {
  await log.create(FIRST);
  proxy.cut(text);
  expect((await log.append(HEAD, "one", record(text))).won).toBe(true);
  expect(proxy.cuts()).toBe(1);
  expect(await log.read(HEAD, 10)).toHaveLength(1);
};

interface Server {
  pause(): void;
  resume(): void;
  kill(): Promise<unknown>;
  restart(): Promise<unknown>;
}

/** Without a server, nothing is put; with a silent one, it is not known. */
export const unavailableServer = async (log: Log, server: Server): Promise<void> => {
  await log.create(FIRST);
  server.pause();
  expect(await outcomeOf(log.append(HEAD, "one", record("one")))).toThrow(AppendUnknown);
  server.resume();
  expect((await log.append(HEAD, "one", record("one"))).won).toBe(true);
  await server.kill();
  // The first attempt may find the old connection.
  await outcomeOf(log.head());
  const head = { ...HEAD, position: 1, id: "one" };
  const outcome = await outcomeOf(log.append(head, "two", record("two")));
  expect(outcome).toThrow(EngineUnavailable);
  expect(outcome).not.toThrow(AppendUnknown);
  await server.restart();
  expect((await log.append(head, "two", record("two"))).won).toBe(true);
};

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
