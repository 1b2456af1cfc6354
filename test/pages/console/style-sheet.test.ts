import { expect, test } from "bun:test";
import { ABSENT } from "../../../src/pages/console/style-sheet.ts";

const UI = `${import.meta.dir}/../../../src/pages/console/ui`;

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

test("the console uses nothing that its style sheet leaves out", async () => {
  const text = await sources();
  expect([...ABSENT].filter((name) => writtenAs(name)?.test(text))).toEqual([]);
});
