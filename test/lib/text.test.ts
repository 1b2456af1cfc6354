import { expect, test } from "bun:test";
import {
  foldName,
  isLine,
  lineRule,
  oneLine,
  printable,
  quoted,
  sentence,
  shellWord,
} from "../../src/lib/text.ts";

test.each([
  ["It is late", "It is late."],
  ["It is late.", "It is late."],
  ["Is it late?", "Is it late?"],
  ["Late!", "Late!"],
  ["a.b", "a.b."],
  ["", "."],
])("the text %j becomes the sentence %j", (text, expected) => {
  expect(sentence(text)).toBe(expected);
});

test("an untrusted text is unchanged if it is printable", () => {
  expect(printable('Döcs 😀 "x"')).toBe('Döcs 😀 "x"');
});

test.each([
  ["\u001b[2J", String.raw`\u001b[2J`],
  ["a\nb\0", String.raw`a\u000ab\u0000`],
  ["\u202Eabc", String.raw`\u202eabc`],
  ["\u2028\u2029", String.raw`\u2028\u2029`],
  ["\uD800", String.raw`\ud800`],
  ["\u{E0001}", String.raw`\udb40\udc01`],
])("an untrusted text is escaped: %j", (text, expected) => {
  expect(printable(text)).toBe(expected);
});

test("an untrusted text is truncated to maxLength, 300 by default, and then ends in dots", () => {
  expect(printable("x".repeat(300))).toBe("x".repeat(300));
  expect(printable("x".repeat(301))).toBe(`${"x".repeat(297)}...`);
  expect(printable("x".repeat(10), 10)).toBe("x".repeat(10));
  expect(printable("x".repeat(11), 10)).toBe("xxxxxxx...");
});

test("an untrusted text is truncated after escaping too", () => {
  expect(printable("\n".repeat(100))).toBe(`${String.raw`\u000a`.repeat(50).slice(0, 297)}...`);
});

test("a client's text is quoted, escaped, and truncated to 64 characters", () => {
  expect(quoted('a"b\n')).toBe(String.raw`"a\"b\n"`);
  expect(quoted("a\u202Eb")).toBe(String.raw`"a\u202eb"`);
  expect(quoted("👩\u200D🌾")).toBe('"👩\u200D🌾"');
  expect(quoted("x".repeat(64))).toBe(`"${"x".repeat(64)}"`);
  expect(quoted("x".repeat(65))).toBe(`"${"x".repeat(64)}..."`);
});

test.each(["Bella", "a b", "é", "😀".repeat(5), " x "])("%p is a line of at most 5 characters", (text) => {
  expect(isLine(text, 5)).toBe(true);
});

const NO_LINES = ["", "     ", "123456", "😀".repeat(6), "a\nb", "\0", "a\tb", "\uD800", "\uFEFFx"];

test("the rule of a line has its maximum", () => {
  expect(lineRule(5)).toStartWith("must be a string of 1 to 5 characters, not only white space");
});

test.each([...NO_LINES, 5, null, undefined])("%p is not a line of at most 5 characters", (value) => {
  expect(isLine(value, 5)).toBe(false);
});

test.each([
  "On hold",
  "",
  "$(touch pwned)",
  "`touch pwned`",
  'x" --rejected /etc/passwd "y',
  "it's $HOME",
  "a\\b!c",
  "'\u001b[31m\n\\$(touch pwned)",
])("a shell reads %j back unchanged", (text) => {
  const word = shellWord(text);
  expect(word).not.toContain("\u001b");
  expect(word.startsWith('"')).toBe(text === "On hold" || text === "");
  const { stdout } = Bun.spawnSync(["bash", "-c", `printf %s ${word}`], { env: { LC_ALL: "C.UTF-8" } });
  expect(stdout.toString()).toBe(text);
});

test("a name for a terminal moves no cursor and keeps joined characters", () => {
  expect(oneLine("a\n\u202eb 👩\u200D🌾")).toBe("a\\u000a\\u202eb 👩\u200D🌾");
});

test("names are compared without case, form and outer white space", () => {
  expect(foldName(" Small  ﬁsh\t")).toBe("small fish");
});
