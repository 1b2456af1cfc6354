/** The small Markdown that the generated parts are written in. */

const cell = (text: string): string => text.replaceAll("|", String.raw`\|`).replaceAll("\n", " ");

/** A table. Cells are Markdown. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(cell).join(" | ")} |`).join("\n");

export const code = (text: string): string => `\`${text}\``;

/** Text that is not Markdown, such as the help of a flag: `<slug>` is not a tag in it. Variables and paths below them are code. */
export const plain = (text: string): string =>
  text
    .replaceAll(/[<*]/g, String.raw`\$&`)
    .replaceAll(/\b[A-Z][A-Z_]+_[A-Z_]+\b(?:\/[\w.-]*\w)?/g, code("$&"));

export const codes = (texts: readonly string[]): string => texts.map(code).join(", ");

/** A table of names, which are code, and their meanings. */
export const meanings = (
  head: readonly [name: string, meaning: string],
  words: Readonly<Record<string, string>>,
): string =>
  table(
    head,
    Object.entries(words).map(([name, meaning]) => [code(name), meaning]),
  );

/** Parts of a page, with an empty line between them. */
export const parts = (...texts: readonly string[]): string => texts.join("\n\n");

export const capitalised = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

const GROUPS = /\B(?=(?:\d{3})+$)/g;

/** `1,000,000` */
export const number = (value: number): string => String(value).replaceAll(GROUPS, ",");

const SIZES = [
  ["GiB", 2 ** 30],
  ["MiB", 2 ** 20],
  ["KiB", 2 ** 10],
] as const;

/** `64 KiB`, in the largest unit that leaves an integer. */
export const size = (bytes: number): string => {
  const [unit, factor] = SIZES.find(([, factor]) => bytes % factor === 0) ?? ["bytes", 1];
  return `${number(bytes / factor)} ${unit}`;
};

const SPANS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** `48 hours`, `7 days`: in the largest unit that leaves an integer. A single day is 24 hours. */
export const span = (ms: number): string => {
  const [unit, factor] = SPANS.find(
    ([unit, factor]) => ms % factor === 0 && (unit !== "day" || ms > 2 * factor),
  ) ?? ["millisecond", 1];
  const count = ms / factor;
  return `${number(count)} ${unit}${count === 1 ? "" : "s"}`;
};
