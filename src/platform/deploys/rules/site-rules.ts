import { InvalidArchive } from "../archive-rules.ts";
import type { Manifest, SiteFile } from "../manifest.ts";
import { HEADER_LIMITS, type HeaderRule, parseHeaders } from "./headers.ts";
import { REDIRECT_LIMITS, type RedirectRule, parseRedirects } from "./redirects.ts";
import type { RuleFault } from "./rule-lines.ts";
import { attempt } from "../../../lib/attempt.ts";

export const REDIRECTS_FILE = "_redirects";
export const HEADERS_FILE = "_headers";

/** The parsed rule files. They lie at the root of a deploy, and are not served. */
export interface SiteRules {
  redirects: readonly RedirectRule[];
  headers: readonly HeaderRule[];
}

/** Reads a file of the deploy. */
type ReadFile = (file: SiteFile) => Promise<Uint8Array>;

const MAX_NAMED_FAULTS = 10;

const decode = (bytes: Uint8Array): string | undefined =>
  attempt(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes));

const wholeFile = (problem: string) => ({ rules: [], faults: [{ line: 0, problem }] });

const parseFile = async <Rule>(
  file: string,
  { bytes: limit }: { bytes: number },
  parse: (text: string) => { rules: Rule[]; faults: RuleFault[] },
  { manifest, read }: { manifest: Manifest; read: ReadFile },
): Promise<{ rules: Rule[]; faults: RuleFault[] }> => {
  const stored = manifest.get(file);
  if (!stored) return { rules: [], faults: [] };
  if (stored.size > limit) return wholeFile(`is larger than ${limit} bytes`);
  const text = decode(await read(stored));
  return text === undefined ? wholeFile("is not text in UTF-8") : parse(text);
};

const parseRules = async (manifest: Manifest, read: ReadFile) => ({
  redirects: await parseFile(REDIRECTS_FILE, REDIRECT_LIMITS, parseRedirects, { manifest, read }),
  headers: await parseFile(HEADERS_FILE, HEADER_LIMITS, parseHeaders, { manifest, read }),
});

const describeFaults = (file: string, faults: readonly RuleFault[]): string[] =>
  faults.map(({ line, problem }) => `${file}${line === 0 ? "" : ` line ${line}:`} ${problem}`);

/** Refuses a deploy with rules that the server does not understand. @throws InvalidArchive that names the lines */
export const assertRules = async (manifest: Manifest, read: ReadFile): Promise<void> => {
  const { redirects, headers } = await parseRules(manifest, read);
  const faults = [
    ...describeFaults(REDIRECTS_FILE, redirects.faults),
    ...describeFaults(HEADERS_FILE, headers.faults),
  ];
  if (faults.length === 0) return;
  const more = faults.length - MAX_NAMED_FAULTS;
  const named = faults.slice(0, MAX_NAMED_FAULTS).join("; ");
  throw new InvalidArchive(`${named}${more > 0 ? `; and ${more} more` : ""}.`);
};

/** The rules of a stored deploy. Earlier versions did not check them, so a file with a fault counts as absent. */
export const readRules = async (manifest: Manifest, read: ReadFile): Promise<SiteRules | undefined> => {
  const { redirects, headers } = await parseRules(manifest, read);
  const rules = {
    redirects: redirects.faults.length > 0 ? [] : redirects.rules,
    headers: headers.faults.length > 0 ? [] : headers.rules,
  };
  return rules.redirects.length + rules.headers.length > 0 ? rules : undefined;
};
