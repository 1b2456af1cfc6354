import { expect, test } from "bun:test";
import { blocksOf, commandsOf, problemOf, runsHere, stepsOf } from "./blocks.ts";

/** Judges heredocs and quotes only; the runner uses bash. */
const isWhole = (command: string): boolean => {
  const [, end] = /<<'?(\w+)'?/.exec(command) ?? [];
  return end === undefined ? (command.match(/'/g) ?? []).length % 2 === 0 : command.endsWith(`\n${end}`);
};

const page = (...lines: string[]): string => lines.join("\n");
const stepsIn = (...lines: string[]) => stepsOf(blocksOf(page(...lines)), isWhole);
const problemsIn = (...lines: string[]) => {
  const blocks = blocksOf(page(...lines));
  return blocks.map((block, at) => problemOf(block, blocks[at - 1]));
};

test("the blocks of a page have a line, a language, attributes and the lines between their fences", () => {
  expect(
    blocksOf(page("# Page", "", '```js file=walk.mjs skip="not now"', "a();", "", "b();", "```", "text")),
  ).toEqual([
    {
      line: 3,
      language: "js",
      attributes: { file: "walk.mjs", skip: "not now" },
      lines: ["a();", "", "b();"],
    },
  ]);
});

test("the blocks of a page lose the indentation of their list", () => {
  expect(
    blocksOf(page("1. Do:", "   ```sh", "   if true; then", "     ls", "   fi", "   ```"))[0]?.lines,
  ).toEqual(["if true; then", "  ls", "fi"]);
});

test("a block of a page may hold a shorter fence", () => {
  expect(blocksOf(page("````md", "```sh", "ls", "```", "````"))).toEqual([
    { line: 1, language: "md", attributes: {}, lines: ["```sh", "ls", "```"] },
  ]);
});

test("the commands of a script are separate, each with the line of the page that it begins on", () => {
  const script = ["# first", "a=1", "", "echo $a \\", "  more", "cat <<END", "x", "END", "ls"];
  expect(commandsOf(script, 11, isWhole)).toEqual([
    { line: 12, command: "a=1" },
    { line: 14, command: "echo $a \\\n  more" },
    { line: 16, command: "cat <<END\nx\nEND" },
    { line: 19, command: "ls" },
  ]);
});

test("the commands of a script that never end are one command, for the shell to refuse", () => {
  expect(commandsOf(["echo 'a", "b"], 1, isWhole)).toEqual([{ line: 1, command: "echo 'a\nb" }]);
});

test("the steps of a reader run each command of sh", () => {
  expect(stepsIn("```sh", "ls", "pwd", "```")).toEqual([
    { kind: "run", line: 2, command: "ls", exitCode: 0, expected: undefined },
    { kind: "run", line: 3, command: "pwd", exitCode: 0, expected: undefined },
  ]);
});

test("the steps of a reader run the commands of console, and expect the output below each", () => {
  expect(stepsIn("```console exit=2", "$ ls", "a", "b", "# cat <<END", "> x", "> END", "x", "```")).toEqual([
    { kind: "run", line: 2, command: "ls", exitCode: 0, expected: { kind: "text", text: "a\nb\n" } },
    {
      kind: "run",
      line: 5,
      command: "cat <<END\nx\nEND",
      exitCode: 2,
      expected: { kind: "text", text: "x\n" },
    },
  ]);
});

test("the steps of a reader expect a block of output from the last command before it", () => {
  expect(stepsIn("```sh", "ls", "curl x", "```", "It prints:", "```json", '{"a": 1}', "```")).toMatchObject([
    { command: "ls", expected: undefined },
    { command: "curl x", expected: { kind: "json", text: '{"a": 1}' } },
  ]);
});

test("the steps of a reader start servers and write files", () => {
  expect(
    stepsIn("```sh server restart", "serve \\", "  --x", "```", "```toml file=a/b.toml", "x = 1", "```"),
  ).toEqual([
    { kind: "serve", line: 2, command: "serve \\\n  --x", restart: true },
    { kind: "write", line: 5, path: "a/b.toml", text: "x = 1\n" },
  ]);
});

test("a block of a language that cannot be run is a problem, unless it is a file or skipped", () => {
  expect(
    problemsIn(
      "```rust",
      "```",
      "```rust file=a.rs",
      "```",
      '```rust skip="an excerpt"',
      "```",
      "```",
      "```",
    ),
  ).toEqual([
    'the language "rust" is not known: name a file that it is written to (file=...)',
    undefined,
    undefined,
    'the language "" is not known: name a file that it is written to (file=...)',
  ]);
});

test("a block of output is a problem where no command was run", () => {
  const problem = "output without a command block directly before it";
  expect(problemsIn("```json", "```", "```sh", "```", "```json", "```", "```json", "```")).toEqual([
    problem,
    undefined,
    undefined,
    problem,
  ]);
  expect(problemsIn("```sh server", "```", "```text", "```")).toEqual([undefined, problem]);
});

test("a block with an attribute that means nothing, or a skip without a reason, is a problem", () => {
  expect(problemsIn("```sh sever", "```", "```sh skip", "```")).toEqual([
    "unknown attribute sever",
    "skip needs a reason",
  ]);
});

test("a block runs here unless it is skipped or needs a Debian", () => {
  expect(
    blocksOf(page("```sh", "```", "```sh in=debian", "```", "```sh skip=why", "```")).map(runsHere),
  ).toEqual([true, false, false]);
});
