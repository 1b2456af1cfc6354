import { expect, test } from "bun:test";
import { ABSENT, styleSheet } from "../../../src/pages/console/style-sheet.ts";
import { bundle } from "../../../src/lib/bundle.ts";
import { pack, packedBytes } from "../../../src/lib/packed.ts";

const LIMIT = 90_000;
const UI = `${import.meta.dir}/../../../src/pages/console/ui`;

/** As the server sends it to browsers that accept Brotli. */
const sizeOf = (text: string): number => packedBytes(pack(text)).byteLength;

const sources = async (): Promise<string> => {
  const paths = [...new Bun.Glob("**/*.tsx").scanSync(UI)];
  return (await Promise.all(paths.map((path) => Bun.file(`${UI}/${path}`).text()))).join("\n");
};

/** How the sources would write a name of the list, in JSX or as a property. */
const writtenAs = (name: string): RegExp | undefined => {
  const [, attribute, value] = /^\[([\w-]+)(?:=(.+))?\]$/.exec(name) ?? [];
  if (attribute !== undefined && value === undefined) return RegExp(`\\s${attribute}[=:]`, "i");
  if (attribute !== undefined) return RegExp(`\\b${attribute}"?(=|: )\\{?"${value}"`, "i");
  if (name.startsWith(".")) return RegExp(`class=[^>]*["\`\\s]${name.slice(1)}["\`\\s]`);
  return name.startsWith(":") ? undefined : RegExp(`<${name}[\\s>/]`);
};

test("the console's script and style sheet are at most 90 KB compressed", () => {
  expect(sizeOf(bundle("pages/console/ui/main.tsx")) + sizeOf(styleSheet())).toBeLessThanOrEqual(LIMIT);
});

test("the console uses nothing that its style sheet leaves out", async () => {
  const text = await sources();
  expect([...ABSENT].filter((name) => writtenAs(name)?.test(text))).toEqual([]);
});
