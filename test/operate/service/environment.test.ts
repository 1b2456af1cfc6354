import { expect, test } from "bun:test";
import { SETTING_GROUPS } from "../../../src/config/settings.ts";
import {
  environmentTemplate,
  readAssignments,
  readShown,
  readVariables,
  setVariables,
} from "../../../src/operate/service/environment.ts";

const groups = Object.fromEntries(
  Object.entries(SETTING_GROUPS).map(([heading, settings]) => [heading, Object.values(settings)]),
);

test("a new environment file names every setting, and sets none", () => {
  const text = environmentTemplate(groups);
  expect(readVariables(text)).toEqual({});
  for (const { env } of Object.values(groups).flat()) expect(text).toContain(`\n#${env}=`);
});

test("a setting replaces its comment, and every other line stays", () => {
  const text = "# host to listen on\n#HOST=127.0.0.1\n\n# port\n#PORT=3000\n";
  expect(setVariables(text, { PORT: "80" })).toBe(
    "# host to listen on\n#HOST=127.0.0.1\n\n# port\nPORT=80\n",
  );
});

test("a setting replaces its last value, and a new one goes to the end", () => {
  expect(setVariables("PORT=1\nPORT=2\nMINE=x\n", { PORT: "3", BASE_URL: "http://a.example" })).toBe(
    "PORT=1\nPORT=3\nMINE=x\nBASE_URL=http://a.example\n",
  );
});

test.each(["plain", "", "two words", 'a "quoted" \\ $word `x`', "*.example.org,#1", "  spaces  "])(
  "the value %j is read as it was written",
  (value) => {
    expect(readVariables(setVariables("", { NAME: value }))).toEqual({ NAME: value });
  },
);

test("a value with a line break is refused, because the second line could set anything", () => {
  expect(() => setVariables("", { NAME: "a\nHOST=0.0.0.0" })).toThrow("a setting has one line");
});

test("values in single quotes and with backslashes are read as systemd reads them", () => {
  expect(readVariables("A='a b'\nB=a\\ b  \n; C=1\n#D=1\n")).toEqual({ A: "a b", B: "a b" });
});

/** `test/real/service-commands.real.ts` compares such a file with the environment that systemd passes to a process. */
test.each([
  ["A=1\r\nB=2\r\n", { A: "1", B: "2" }],
  ["A='it''s' \"two \"words  ", { A: "itstwo words" }],
  ['A="a \\"b\\" \\$c \\n"', { A: 'a "b" $c \\n' }],
  ["A=one\\\ntwo", { A: "onetwo" }],
  ['A="one\ntwo"\nB=3', { A: "one\ntwo", B: "3" }],
  ["  A = 1 # 2", { A: "1 # 2" }],
  ["A=x'y'", { A: "x'y'" }],
  ["A=\\ b\\ ", { A: " b " }],
  ["no assignment\nA=\n#B=1\n  ; C=1", { A: "" }],
  ["A=1\\", { A: "1" }],
  ["A=1  \\", { A: "1  " }],
  ["A=\\", { A: "" }],
  ["A='x' \\", { A: "x" }],
  ["A='one\nB=2\n", { A: "one\nB=2\n" }],
  ['A="one\nB=2\n', { A: "one\nB=2\n" }],
  ['A="one\\', { A: "one" }],
  ['A="one\\"', { A: 'one"' }],
  [`A='x' "y`, { A: "xy" }],
  ["A='", { A: "" }],
  ["A=1\\\r\nB=2\r\n", { A: "1", B: "2" }],
  ["A='x\r\ny'\r\nB=2", { A: "x\r\ny", B: "2" }],
  ["# x\u2028A=1\nB=2\u00a0\n", { B: "2\u00a0" }],
])("the file %j is read as systemd reads it", (text, expected) => {
  expect(readVariables(text)).toEqual(expected);
});

test("an assignment has the number of its line, also after a value of two lines", () => {
  const text = '# a comment\nPORT="1\n2"\n\nBODY_LIMIT=lots\n';
  expect(readAssignments(text)).toEqual([
    { name: "PORT", value: "1\n2", line: 2 },
    { name: "BODY_LIMIT", value: "lots", line: 5 },
  ]);
});

test("a comment that ends in a backslash is refused with its line, because not every systemd ends it there", () => {
  expect(() => readAssignments('A="1\n2"\n  # a note \\\nPORT=80\n', "/etc/store.env")).toThrow(
    "/etc/store.env:3: a comment must not end in a backslash: some versions of systemd continue it on the next line",
  );
  expect(() => readVariables("A=1\n;\\")).toThrow("/etc/adoption-store/environment:2: a comment");
  expect(readVariables("# a \\ note\n#\nA=#\\\nB\n")).toEqual({ A: "#B" });
});

test("the time to read a file grows with the number of its lines, and not with the square", () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `NAME_${index}=${"x".repeat(50)}`);
  const start = performance.now();
  expect(readAssignments(lines.join("\n")).at(-1)).toMatchObject({ name: "NAME_19999", line: 20_000 });
  // An idle machine takes 0.2 seconds, and 28 if each line counts all lines before it.
  expect(performance.now() - start).toBeLessThan(10_000);
});

test("the environment that systemctl shows is read with its quotes", () => {
  expect(readShown('A=1 "B=two \\"words\\"" C=\n')).toEqual({ A: "1", B: 'two "words"', C: "" });
});
