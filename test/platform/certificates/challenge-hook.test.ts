import { expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { challengeHook } from "../../../src/platform/certificates/dns-challenges.ts";
import { OperatorError } from "../../../src/lib/operator-error.ts";
import { temporaryDirectory } from "../../support/store.ts";

const ENV = { PATH: process.env["PATH"], HOME: "/nonexistent", ACME_EAB_HMAC: "secret" };
const NAME = "_acme-challenge.example.net";

/** A hook with this script. */
const hookOf = (script: string, timeoutMs?: number) => {
  const directory = temporaryDirectory();
  const file = join(directory, "hook");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o700);
  const output = join(directory, "output");
  const hook = challengeHook(file, { env: { ...ENV }, ...(timeoutMs !== undefined && { timeoutMs }) });
  return { hook, file, output, directory };
};

const messageOf = (promise: Promise<void>) =>
  promise.then(
    () => "succeeded",
    (error: unknown) => (error as Error).message,
  );

test("the hook gets the action, the name and the value unchanged: no shell reads them", async () => {
  const { hook, output } = hookOf('printf "%s|" "$#" "$@" >> "$(dirname "$0")/output"');
  await hook.add(NAME, "-v$(touch x)");
  await hook.remove(NAME, "value two");
  expect(readFileSync(output, "utf8")).toBe(`3|add|${NAME}|-v$(touch x)|3|remove|${NAME}|value two|`);
});

test("the hook sees PATH and HOME, and no setting of the service", async () => {
  const { hook, output } = hookOf('env > "$(dirname "$0")/output"');
  await hook.add(NAME, "value");
  const seen = readFileSync(output, "utf8");
  expect(seen).toContain("HOME=/nonexistent");
  expect(seen).not.toContain("secret");
});

test("the error of a hook that fails has its exit code and its output, without control characters", async () => {
  const { hook } = hookOf('printf "zone is \\033[31mlocked\\n" >&2; exit 3');
  expect(await messageOf(hook.add(NAME, "value"))).toBe(
    "DNS_CHALLENGE_HOOK failed with exit code 3, and wrote: zone is \\u001b[31mlocked",
  );
});

test("the error of a hook that is ended by a signal names the signal", async () => {
  const { hook } = hookOf("kill -TERM $$");
  expect(await messageOf(hook.add(NAME, "value"))).toBe("DNS_CHALLENGE_HOOK was ended by SIGTERM");
});

test("a hook that does not end is killed, even if its child process keeps the output open", async () => {
  const { hook } = hookOf("sleep 5 & sleep 5", 100);
  const begun = performance.now();
  expect(await messageOf(hook.add(NAME, "value"))).toBe("DNS_CHALLENGE_HOOK did not end within 0.1 seconds");
  expect(performance.now() - begun).toBeLessThan(2000);
});

/** Starts a process that does not end by itself, and writes its id. */
const STARTS_ANOTHER =
  'sleep 600 & echo $! > "$(dirname "$0")/id"; mv "$(dirname "$0")/id" "$(dirname "$0")/pid"; wait';

const untilEnded = async (pid: number) => {
  // An ended process may wait for its parent to read its exit code.
  const isRunning = () => {
    const status = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : "";
    return /^\d+ \(.*\) [^ZX]/.test(status);
  };
  while (isRunning()) await Bun.sleep(10);
};

test("a process that the hook started ends with it", async () => {
  const { hook, directory } = hookOf(STARTS_ANOTHER, 300);
  await messageOf(hook.add(NAME, "value"));
  await untilEnded(Number(readFileSync(join(directory, "pid"), "utf8")));
});

test("a hook and its child processes end with the server", async () => {
  const { file, directory } = hookOf(STARTS_ANOTHER);
  const pidFile = join(directory, "pid");
  const module = join(import.meta.dir, "../../../src/platform/certificates/dns-challenges.ts");
  const script = `
    const { challengeHook } = await import(${JSON.stringify(module)});
    void challengeHook(${JSON.stringify(file)}, { env: process.env }).add("n", "v");
    while (!(await Bun.file(${JSON.stringify(pidFile)}).exists())) await Bun.sleep(10);
    process.exit(0);`;
  expect(await Bun.spawn([process.execPath, "-e", script]).exited).toBe(0);
  await untilEnded(Number(readFileSync(pidFile, "utf8")));
});

test("the output of a hook is read to its end, and only its last part is kept", async () => {
  const { hook } = hookOf('head -c 3000000 /dev/zero | tr "\\0" x >&2; echo last >&2; exit 1');
  const message = await messageOf(hook.add(NAME, "value"));
  expect(message).toEndWith("last");
  expect(message.length).toBeLessThan(400);
});

test("calls run one after the other, also after one that fails", async () => {
  const { hook, output } = hookOf(
    'D=$(dirname "$0"); [ -e "$D/busy" ] && echo overlap >> "$D/output"; touch "$D/busy"; sleep 0.05; rm "$D/busy"; [ "$3" != bad ]',
  );
  const outcomes = await Promise.all(["a", "bad", "c"].map((value) => messageOf(hook.add(NAME, value))));
  expect(outcomes.map((outcome) => outcome === "succeeded")).toEqual([true, false, true]);
  expect(existsSync(output)).toBe(false);
});

test("a program that cannot be run stops the start, and the error explains what to do", () => {
  const { directory } = hookOf("");
  const text = join(directory, "text");
  writeFileSync(text, "");
  for (const command of [join(directory, "absent"), text]) {
    const open = () => challengeHook(command, { env: {} });
    expect(open).toThrow(OperatorError);
    expect(open).toThrow("DNS_CHALLENGE_HOOK");
  }
});
