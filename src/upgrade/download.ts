import { OperatorError } from "../lib/operator-error.ts";
import { reasonOf } from "../lib/reason.ts";

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
const open = async (address: string, signal: AbortSignal): Promise<Response> => {
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
  const response = await open(address, AbortSignal.timeout(DOWNLOAD_MS));
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
