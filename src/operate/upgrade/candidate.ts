import { chmodSync, existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { OperatorError } from "../../lib/operator-error.ts";
import { reasonOf } from "../../lib/reason.ts";
import { resultCode } from "../../lib/storage-errors.ts";
import { attempt } from "../../lib/attempt.ts";

/** A version of the program: its claimed version, and its hash. */
export interface Version {
  version: string;
  sha256: string;
}

const DOWNLOAD_MS = 15 * 60_000;
const MAX_REDIRECTS = 5;

const failed = (address: string, reason: string, cause?: unknown) =>
  new OperatorError(`${address} cannot be downloaded: ${reason}`, { cause });

/** In plain words if it is one of the faults that a slow or a broken connection has. */
const faultOf = (error: unknown): string => {
  const { name, code } = error as { name?: string; code?: unknown };
  if (name === "TimeoutError") return `it takes longer than ${DOWNLOAD_MS / 60_000} minutes`;
  if (code === "ECONNRESET") return "the connection ended before the end of the file: try again";
  return reasonOf(error);
};

const send = async (address: string, signal: AbortSignal): Promise<Response> => {
  const url = URL.parse(address);
  if (url?.protocol !== "https:")
    throw new OperatorError(`${address}: only https is allowed, because this file runs as root`);
  try {
    return await fetch(url, { redirect: "manual", signal });
  } catch (error) {
    throw failed(address, faultOf(error), error);
  }
};

/** Follows redirects, over HTTPS only. @throws OperatorError */
const follow = async (address: string, signal: AbortSignal): Promise<Response> => {
  let at = address;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await send(at, signal);
    if (response.status === 200) return response;
    await response.body?.cancel();
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null)
      throw failed(at, `the server responds with ${response.status}`);
    at = URL.parse(location, at)?.href ?? location;
  }
  throw failed(address, `it redirects more than ${MAX_REDIRECTS} times`);
};

/**
 * The bytes at an HTTPS address.
 * @throws OperatorError if they do not come whole, or are more than `maxBytes`
 */
export async function* download(address: string, maxBytes: number): AsyncGenerator<Uint8Array> {
  const response = await follow(address, AbortSignal.timeout(DOWNLOAD_MS));
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw failed(address, `it has more than ${maxBytes} bytes`);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw failed(address, faultOf(error), error);
  }
}

/** The text at an HTTPS address. @throws OperatorError as {@link download} does */
export const downloadText = async (address: string, maxBytes: number): Promise<string> =>
  Buffer.concat(await Array.fromAsync(download(address, maxBytes))).toString();

const SUMS = "SHA256SUMS";
/** The executable has 120 MB. */
const MAX_BYTES = 2 ** 30;
const MAX_SUMS_BYTES = 2 ** 20;

const isUrl = (source: string): boolean => /^[a-z]+:\/\//i.test(source);

/** The checksum of a file in the format of sha256sum(1); undefined if the file is not listed. */
const listedSum = (sums: string, name: string): string | undefined => {
  for (const line of sums.split("\n")) {
    const [, hash, listed] = /^([0-9a-f]{64}) [ *](.+)$/i.exec(line.trim()) ?? [];
    if (listed === name) return hash?.toLowerCase();
  }
};

const unknownSum = (why: string) =>
  new OperatorError(`${why}: give the checksum that the publisher names with --sha256`);

/** @param list the URL or path of the checksums @throws OperatorError if the file is not listed */
const sumIn = (sums: string, list: string, name: string): string => {
  const sum = listedSum(sums, name);
  if (sum === undefined) throw unknownSum(`${list} does not list ${name}`);
  return sum;
};

const downloadedSum = async (source: string): Promise<string> => {
  const url = new URL(source);
  const list = new URL(SUMS, url).href;
  const text = await downloadText(list, MAX_SUMS_BYTES).catch((error: unknown) => {
    throw unknownSum(reasonOf(error));
  });
  return sumIn(text, list, basename(url.pathname));
};

const sumBeside = (file: string): string | undefined => {
  const list = join(dirname(resolve(file)), SUMS);
  return existsSync(list) ? sumIn(readFileSync(list, "utf8"), list, basename(file)) : undefined;
};

/** The checksum that the source must have: `given`, else that in the adjacent SHA256SUMS. A file may have none. */
const expectedSum = async (source: string, given: string | undefined): Promise<string | undefined> => {
  if (given !== undefined) return given.toLowerCase();
  return isUrl(source) ? downloadedSum(source) : sumBeside(source);
};

const openSource = (source: string): AsyncIterable<Uint8Array> => {
  if (isUrl(source)) return download(source, MAX_BYTES);
  if (!existsSync(source)) throw new OperatorError(`${source} does not exist: check the name`);
  // A pipe may never end, and a device fills the disk.
  if (!statSync(source).isFile()) throw new OperatorError(`${source} is not a file: name an executable`);
  if (statSync(source).size > MAX_BYTES)
    throw new OperatorError(`${source} is larger than 1 GiB: it is not this program`);
  return Bun.file(source).stream();
};

/** Writes the source to a file of this user. @returns its SHA-256 */
const write = async (
  source: AsyncIterable<Uint8Array>,
  path: string,
  onBytes: (bytes: number) => void,
): Promise<string> => {
  const hasher = new Bun.CryptoHasher("sha256");
  await using file = await open(path, "wx", 0o700);
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    hasher.update(chunk);
    await file.writeFile(chunk);
    onBytes(bytes);
  }
  await file.sync();
  return hasher.digest("hex");
};

const SEMANTIC = /^\d+\.\d+\.\d+\S*$/;
const MAX_VERSION_MS = 30_000;

interface VersionReport {
  version: string;
  /** Its newest migration; undefined for earlier builds, which do not report it. */
  migration: string | undefined;
}

/** @throws the error of the system if it cannot be run */
const runVersion = async (program: string, ...flags: string[]): Promise<{ code: number; text: string }> => {
  const child = Bun.spawn([program, "version", ...flags], {
    env: {},
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    timeout: MAX_VERSION_MS,
  });
  const [code, text] = await Promise.all([child.exited, child.stdout.text()]);
  return { code, text: text.trim() };
};

/** Reads the output of `version --json`; undefined if it is something else. */
const readReport = (text: string): VersionReport | undefined => {
  const { version, migration } = (attempt((): unknown => JSON.parse(text)) ?? {}) as Record<string, unknown>;
  const isReport = typeof version === "string" && SEMANTIC.test(version) && typeof migration === "string";
  return isReport ? { version, migration } : undefined;
};

/** Runs a program to ask for its version and its newest migration. @throws OperatorError if it does not run here */
const askVersion = async (program: string, source: string): Promise<VersionReport> => {
  const wrong = (reason: string) =>
    new OperatorError(
      `${source} is not adoption-store for this machine (${process.platform} ${process.arch}), because ${reason}: name the executable for this machine`,
    );
  const ask = (...flags: string[]) =>
    runVersion(program, ...flags).catch((error: unknown) => {
      throw wrong(`it cannot be run (${resultCode(error) || reasonOf(error)})`);
    });
  const report = readReport((await ask("--json")).text);
  if (report) return report;
  // Earlier builds have no --json.
  const { code, text } = await ask();
  if (code !== 0) throw wrong(`it ended with exit code ${code}`);
  if (!SEMANTIC.test(text)) throw wrong("it does not report its version");
  return { version: text, migration: undefined };
};

/**
 * Copies a file or downloads a URL to `path`, and checks that it is this program for this machine.
 * @param sha256 the checksum that it must have; a URL needs one here or in the adjacent SHA256SUMS
 * @param onBytes called with the bytes so far
 * @throws OperatorError, and leaves no file
 */
export const stageCandidate = async (
  source: string,
  path: string,
  sha256: string | undefined,
  onBytes: (bytes: number) => void,
): Promise<Version & VersionReport & { isVerified: boolean }> => {
  rmSync(path, { force: true });
  try {
    const expected = await expectedSum(source, sha256);
    const actual = await write(openSource(source), path, onBytes);
    if (expected !== undefined && actual !== expected)
      throw new OperatorError(`${source} has the SHA-256 ${actual}, not ${expected}: do not use this file`);
    chmodSync(path, 0o755);
    return { ...(await askVersion(path, source)), sha256: actual, isVerified: expected !== undefined };
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
};
