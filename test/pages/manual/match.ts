import type { Expected } from "./blocks.ts";

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** `...` is anything within a line; a separate line is any lines, or none. */
const linePattern = (line: string): string =>
  line.trim() === "..." ? String.raw`(?:[^\n]*\n)*?` : `${line.split("...").map(escape).join("[^\\n]*")}\\n`;

const trimmed = (text: string): string =>
  `${text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trim()}\n`;

export const matchesText = (expected: string, found: string): boolean => {
  const pattern = trimmed(expected).split("\n").slice(0, -1).map(linePattern).join("");
  return new RegExp(`^${pattern}$`).test(trimmed(found));
};

/** Numbers keep all their digits. */
const parseExactly = (text: string): unknown =>
  JSON.parse(text, (_key: string, value: unknown, { source }: { source?: string }) =>
    typeof value === "number" && source !== undefined && String(value) !== source
      ? `number ${source}`
      : value,
  );

const ANY = "...";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `"..."` is any value, as an array's last element any further ones, and as a key any further fields. */
const matchesValue = (expected: unknown, found: unknown): boolean => {
  if (expected === ANY) return true;
  if (Array.isArray(expected)) {
    if (!Array.isArray(found)) return false;
    const open = expected.at(-1) === ANY;
    const listed = open ? expected.slice(0, -1) : expected;
    const lengthFits = open ? found.length >= listed.length : found.length === listed.length;
    return lengthFits && listed.every((value, at) => matchesValue(value, found[at]));
  }
  if (!isObject(expected) || !isObject(found)) return expected === found;
  const names = Object.keys(expected).filter((name) => name !== ANY);
  const namesFit = ANY in expected || Object.keys(found).every((name) => names.includes(name));
  return namesFit && names.every((name) => name in found && matchesValue(expected[name], found[name]));
};

const parsed = (text: string): { value: unknown } | undefined => {
  try {
    return { value: parseExactly(text) };
  } catch {
    return undefined;
  }
};

export const matchesJson = (expected: string, found: string): boolean => {
  const [wanted, got] = [parsed(expected), parsed(found)];
  return wanted !== undefined && got !== undefined && matchesValue(wanted.value, got.value);
};

const messageOf = (text: string) => {
  const [head = "", ...body] = text.replaceAll("\r", "").trim().split("\n\n");
  const [start = "", ...headers] = head.split("\n");
  return { start, headers, body: body.join("\n\n") };
};

/** An HTTP message: its first line, the headers that are shown among all, and its body if one is shown. */
const matchesHttp = (expected: string, found: string): boolean => {
  const [wanted, got] = [messageOf(expected), messageOf(found)];
  const hasHeader = (header: string): boolean =>
    header.trim() === ANY ||
    got.headers.some((one) =>
      matchesText(
        header.replace(/^[^:]+/, (name) => name.toLowerCase()),
        one.replace(/^[^:]+/, (name) => name.toLowerCase()),
      ),
    );
  if (!matchesText(wanted.start, got.start) || !wanted.headers.every(hasHeader)) return false;
  return wanted.body === "" || matchesJson(wanted.body, got.body) || matchesText(wanted.body, got.body);
};

const MATCHERS = { text: matchesText, json: matchesJson, http: matchesHttp } as const;

/** True if a command printed the output on its page. */
export const matches = ({ kind, text }: Expected, found: string): boolean => MATCHERS[kind](text, found);
