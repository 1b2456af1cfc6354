import { createHash } from "node:crypto";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import type { Runtime } from "../../data/context.ts";
import { apexOf } from "../../lib/hostname.ts";
import { limiter } from "../../lib/limiter.ts";
import type { Server } from "../../lib/name-server.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { reasonOf } from "../../lib/reason.ts";
import { printable, sentence } from "../../lib/text.ts";
import { AcmeProblem, printable as printableDetail } from "../../protocols/acme/problem.ts";
import type { AskAuthorities } from "../../protocols/dns/authoritative.ts";
import { recordsOf } from "../../protocols/dns/cname-chain.ts";
import { type TsigKey, parseTsigKey } from "../../protocols/dns/tsig.ts";
import { type TxtUpdate, type UpdateDependencies, updateTxt } from "../../protocols/dns/update.ts";

/** TXT records for DNS-01 challenges, in a zone of the operator or of this service. */
export interface ChallengeRecords {
  /** Adds a record. Others of the same name stay. Resolves once the zone has it. @throws Error with the reason and the remedy */
  add(name: string, value: string): Promise<void>;
  /** Removes a record, if the zone has it. @throws Error with the reason and the remedy */
  remove(name: string, value: string): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The hook of a DNS provider's API takes seconds. */
const MAX_MS = 60_000;
const MAX_OUTPUT_BYTES = 10_000;
/** Characters of the output in a message. */
const MAX_QUOTED = 300;
/** How long to wait for output after the hook has ended: a process that it started may still write. */
const OUTPUT_GRACE_MS = 200;

/** Reads the end of a stream, and ignores the rest so that its writer does not block. */
const readEnd = async (stream: ReadableStream<Uint8Array>, kept: { text: string }): Promise<void> => {
  const decoder = new TextDecoder();
  for await (const chunk of stream)
    kept.text = (kept.text + decoder.decode(chunk, { stream: true })).slice(-MAX_OUTPUT_BYTES);
};

/** The hook sees no setting of the service, whose variables hold secrets. */
const environmentOf = ({ PATH, HOME }: Environment): Record<string, string> => ({
  ...(PATH !== undefined && { PATH }),
  ...(HOME !== undefined && { HOME }),
});

const describeEnd = (
  { exitCode, signalCode }: Pick<Bun.Subprocess, "exitCode" | "signalCode">,
  isLate: boolean,
  timeoutMs: number,
): string => {
  if (isLate) return `did not end within ${timeoutMs / 1000} seconds`;
  return exitCode === null ? `was ended by ${signalCode}` : `failed with exit code ${exitCode}`;
};

/** Ends a process, and those that it started. */
const killGroup = (pid: number, signal: NodeJS.Signals) => {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended in the meantime.
  }
};

/** Runs the command without a shell. @throws Error unless it ends with exit code 0 in time */
const run = async (argv: [string, ...string[]], env: Environment, timeoutMs: number): Promise<void> => {
  const child = Bun.spawn(argv, {
    env: environmentOf(env),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    // A separate process group, so that the hook's child processes end with it.
    detached: true,
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killGroup(child.pid, "SIGKILL");
  }, timeoutMs);
  // No signal of a terminal reaches another group, and after this process nothing would end a late hook.
  const onExit = () => killGroup(child.pid, "SIGTERM");
  process.on("exit", onExit);
  const output = { text: "" };
  const reading = readEnd(child.stderr, output).catch(() => undefined);
  const code = await child.exited.finally(() => {
    clearTimeout(timer);
    process.off("exit", onExit);
  });
  if (code === 0 && !isLate) return;
  await Promise.race([reading, Bun.sleep(OUTPUT_GRACE_MS)]);
  const said = printable(output.text.trim().slice(-MAX_QUOTED), MAX_QUOTED);
  throw new Error(
    `DNS_CHALLENGE_HOOK ${describeEnd(child, isLate, timeoutMs)}${said ? `, and wrote: ${said}` : ""}`,
  );
};

/** @throws OperatorError unless this user may run the file */
const assertExecutable = (command: string) => {
  try {
    accessSync(command, constants.X_OK);
  } catch (error) {
    throw new OperatorError(
      `DNS_CHALLENGE_HOOK ${command}: cannot be run (${reasonOf(error)}); give the path of a program that this user may run`,
      { cause: error },
    );
  }
};

/**
 * Changes records with a command of the operator: `command add|remove <name> <value>`. One call runs at a time, because such
 * scripts often read a zone, change it and write it back.
 * @param command the path of a program @throws OperatorError if it cannot be run
 */
export const challengeHook = (
  command: string,
  { env, timeoutMs = MAX_MS }: { env: Environment; timeoutMs?: number },
): ChallengeRecords => {
  assertExecutable(command);
  const inTurn = limiter(1);
  const call = (action: "add" | "remove") => (name: string, value: string) =>
    inTurn(() => run([command, action, name, value], env, timeoutMs));
  return { add: call("add"), remove: call("remove") };
};

/** The permission of others to read. The group may be that of the name server. */
const READABLE_BY_OTHERS = 0o004;

const refused = (file: string, why: string, cause?: unknown) =>
  new OperatorError(`DNS_UPDATE_KEY_FILE ${file}: ${why}`, { cause });

/** @throws OperatorError, which never contains the key */
const readKey = (file: string): TsigKey => {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw refused(
      file,
      `cannot be read (${reasonOf(error)}); give the path of a file that this user may read`,
      error,
    );
  }
  if ((statSync(file).mode & READABLE_BY_OTHERS) !== 0)
    throw refused(file, `every user may read the key: run chmod o= ${file}`);
  const key = parseTsigKey(text);
  if (!key)
    throw refused(
      file,
      "must hold one key for hmac-sha256, as tsig-keygen writes it: run tsig-keygen -a hmac-sha256",
    );
  return key;
};

/**
 * Changes records by dynamic updates of a zone (RFC 2136), signed with a TSIG key.
 * @param keyFile as tsig-keygen writes it @throws OperatorError if the key cannot be used
 */
export const challengeUpdates = (
  { server, zone, keyFile }: { server: Server; zone: string; keyFile: string },
  dependencies: UpdateDependencies,
): ChallengeRecords => {
  const key = readKey(keyFile);
  const change = (action: TxtUpdate["action"]) => async (name: string, value: string) => {
    try {
      await updateTxt({ zone, name, value, action }, { server, key }, dependencies);
    } catch (error) {
      throw new Error(`DNS_UPDATE_SERVER did not change ${zone}: ${reasonOf(error)}`, { cause: error });
    }
  };
  return { add: change("add"), remove: change("remove") };
};

/** Whether the servers of a zone have a record; `unknown` if none of them responds here. */
export type Visibility =
  /** With the longest TTL that a server returns, in seconds. */
  { kind: "visible"; ttl: number } | { kind: "missing" } | { kind: "unknown" };

/** The TXT records of DNS-01 challenges (RFC 8555 section 8.4). */
export interface DnsChallenges {
  /** Adds a record, and waits until the servers of its zone have it and no cache has an older set of records. @throws AcmeProblem */
  publish(name: string, value: string): Promise<void>;
  /** Never rejects: a record that is left over is harmless, because no CA asks for it again. */
  remove(name: string, value: string): Promise<void>;
}

/** RFC 8555 section 8.4: the value of the TXT record. */
export const recordValueOf = (keyAuthorization: string): string =>
  createHash("sha256").update(keyAuthorization).digest("base64url");

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;
/** Secondary servers follow within this time. */
const PATIENCE_MS = 120_000;
/** The longest wait for caches: the resolvers of public CAs keep records for less time. */
const MAX_CACHED_MS = 120_000;

/** How long a resolver may keep records, in milliseconds. It may count whole seconds, so one is added. */
const cachedMs = (ttl: number): number => Math.min((ttl + 1) * 1000, MAX_CACHED_MS);

const problem = (type: string, detail: string) => new AcmeProblem({ type, detail: printableDetail(detail) });

/** @param lookUp asks the authoritative servers */
export const dnsChallenges = (
  { clock, sleep, log }: Pick<Runtime, "clock" | "sleep" | "log">,
  records: ChallengeRecords,
  lookUp: (name: string, value: string) => Promise<Visibility>,
): DnsChallenges => {
  const untilVisible = async (name: string, value: string) => {
    const end = clock.now() + PATIENCE_MS;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, MAX_WAIT_MS)) {
      const found = await lookUp(name, value);
      log.debug({ name, ...found }, "looked up the TXT record of a challenge");
      // Perhaps only this machine cannot reach the zone's servers: the CA decides.
      if (found.kind === "unknown") return;
      // The domains of a project share one name: the CA's resolver may still have the values of another order.
      if (found.kind === "visible") return sleep(cachedMs(found.ttl));
      if (clock.now() + wait > end)
        throw problem(
          "challenge_not_visible",
          `The TXT record ${name} was created, but the name servers of its zone do not have it after ${PATIENCE_MS / 60_000} minutes.`,
        );
      await sleep(wait);
    }
  };

  const remove = async (name: string, value: string) => {
    try {
      await records.remove(name, value);
    } catch (error) {
      log.warn({ err: error, name }, "the TXT record of a challenge could not be removed");
    }
  };

  return {
    remove,
    async publish(name, value) {
      try {
        await records.add(name, value);
      } catch (error) {
        throw problem(
          "challenge_not_published",
          `The TXT record ${name} could not be created: ${sentence(reasonOf(error))}`,
        );
      }
      await untilVisible(name, value).catch(async (error: unknown) => {
        await remove(name, value);
        throw error;
      });
    },
  };
};

/** Asks whether all servers of the zone that respond have a TXT record. */
export const challengeVisibility =
  (askAuthorities: AskAuthorities) =>
  async (name: string, value: string): Promise<Visibility> => {
    const responses = await askAuthorities({ name, type: "TXT", apex: apexOf(name) });
    if (responses.length === 0) return { kind: "unknown" };
    const records = responses.map((response) =>
      recordsOf(response).find(({ type, data }) => type === "TXT" && data === value),
    );
    const ttls = records.flatMap((record) => record?.ttl ?? []);
    return ttls.length < responses.length ? { kind: "missing" } : { kind: "visible", ttl: Math.max(...ttls) };
  };
