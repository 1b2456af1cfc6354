/** The fenced blocks of a page, and the steps of its reader. Pure: `test/real/manual` runs the steps. */

/** A fenced block. */
export interface Block {
  /** Of its opening fence, from 1. */
  line: number;
  language: string;
  /** `server`, `file=walk.mjs`, `skip="why"`; a word alone has the value "". */
  attributes: Readonly<Record<string, string>>;
  /** Its lines, without the indentation of its fence. */
  lines: readonly string[];
}

const OPENING = /^( *)(`{3,}|~{3,})([^`]*)$/;
const ATTRIBUTE = /([\w-]+)(?:=(?:"([^"]*)"|(\S+)))?/g;

const attributesOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(ATTRIBUTE)].map(([, name, quoted, bare]) => [name, quoted ?? bare ?? ""]),
  );

const blockAt = (lines: readonly string[], at: number): Block | undefined => {
  const [, indent = "", fence = "", info = ""] = OPENING.exec(lines[at] ?? "") ?? [];
  if (fence === "") return undefined;
  const [language = "", ...rest] = info.trim().split(/\s+/);
  const length = lines.slice(at + 1).findIndex((line) => line.trim().startsWith(fence));
  const body = length === -1 ? lines.slice(at + 1) : lines.slice(at + 1, at + 1 + length);
  const outdented = body.map((line) =>
    line.startsWith(indent) ? line.slice(indent.length) : line.trimStart(),
  );
  return { line: at + 1, language, attributes: attributesOf(rest.join(" ")), lines: outdented };
};

/** All fenced blocks of a Markdown text (CommonMark section 4.5), in order. */
export const blocksOf = (markdown: string): Block[] => {
  const lines = markdown.split("\n");
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const block = blockAt(lines, at);
    if (!block) continue;
    blocks.push(block);
    at += block.lines.length + 1;
  }
  return blocks;
};

/** What is expected of a command's output: all that it prints, or its standard output as JSON or as an HTTP response. */
export interface Expected {
  kind: "text" | "json" | "http";
  text: string;
}

/** What a reader does next. `line` is a line of the page. */
export type Step =
  | { kind: "write"; line: number; path: string; text: string }
  | { kind: "serve"; line: number; command: string; restart: boolean }
  | { kind: "run"; line: number; command: string; exitCode: number; expected: Expected | undefined };

type RunStep = Extract<Step, { kind: "run" }>;

const SHELLS = new Set(["sh", "console"]);
const OUTPUTS = new Set(["text", "json", "http"]);
/** What the runner understands. */
const ATTRIBUTES = new Set(["server", "restart", "file", "in", "skip", "exit"]);

/** True for what the commands of the block before it print. */
export const isOutput = ({ language, attributes }: Block): boolean =>
  OUTPUTS.has(language) && attributes["file"] === undefined;

/** Why a block can't be run; undefined if it can. @param previous the block before it on its page */
export const problemOf = (block: Block, previous: Block | undefined): string | undefined => {
  const { language, attributes } = block;
  const unknown = Object.keys(attributes).filter((name) => !ATTRIBUTES.has(name));
  if (unknown.length > 0) return `unknown attribute ${unknown.join(", ")}`;
  if (attributes["skip"] === "") return "skip needs a reason";
  if (attributes["skip"] !== undefined || attributes["file"] !== undefined || SHELLS.has(language))
    return undefined;
  if (!OUTPUTS.has(language))
    return `the language "${language}" is not known: name a file that it is written to (file=...)`;
  const hasCommands =
    previous && SHELLS.has(previous.language) && previous.attributes["server"] === undefined;
  return hasCommands ? undefined : "output without a command block directly before it";
};

/** True if a shell would wait for more. `isWhole` judges a text by the shell's grammar. */
export type IsWhole = (command: string) => boolean;

interface Command {
  line: number;
  command: string;
}

/** The commands of a script, one by one, so that each has its line and its output. */
export const commandsOf = (lines: readonly string[], firstLine: number, isWhole: IsWhole): Command[] => {
  const commands: Command[] = [];
  let open: Command | undefined;
  for (const [at, text] of lines.entries()) {
    if (open) open.command += `\n${text}`;
    else if (text.trim() === "" || text.trim().startsWith("#")) continue;
    else open = { line: firstLine + at, command: text };
    if (open.command.endsWith("\\") || !isWhole(open.command)) continue;
    commands.push(open);
    open = undefined;
  }
  return open ? [...commands, open] : commands;
};

const runSteps = ({ line, lines, attributes }: Block, isWhole: IsWhole): RunStep[] => {
  const commands = commandsOf(lines, line + 1, isWhole);
  return commands.map((command, at) => ({
    kind: "run",
    ...command,
    exitCode: at === commands.length - 1 ? Number(attributes["exit"] ?? 0) : 0,
    expected: undefined,
  }));
};

const PROMPT = /^[$#] /;

/** The lines of a terminal: commands after a prompt, and the output of each until the next. */
const consoleSteps = ({ line, lines, attributes }: Block, isWhole: IsWhole): RunStep[] => {
  const steps: RunStep[] = [];
  let whole = true;
  for (const [at, text] of lines.entries()) {
    const last = steps.at(-1);
    if (whole && PROMPT.test(text))
      steps.push({
        kind: "run",
        line: line + 1 + at,
        command: text.slice(2),
        exitCode: 0,
        expected: { kind: "text", text: "" },
      });
    else if (!whole && last) last.command += `\n${text.replace(/^> /, "")}`;
    else if (last?.expected) last.expected.text += `${text}\n`;
    const { command = "" } = steps.at(-1) ?? {};
    whole = !command.endsWith("\\") && isWhole(command);
  }
  const last = steps.at(-1);
  if (last) last.exitCode = Number(attributes["exit"] ?? 0);
  return steps;
};

const addOutput = (steps: readonly Step[], { language, lines }: Block): void => {
  const last = steps.at(-1);
  if (last?.kind === "run") last.expected = { kind: language as Expected["kind"], text: lines.join("\n") };
};

const addSteps = (steps: Step[], block: Block, isWhole: IsWhole): void => {
  const { line, language, attributes, lines } = block;
  const { file, server, restart } = attributes;
  if (file !== undefined) steps.push({ kind: "write", line, path: file, text: `${lines.join("\n")}\n` });
  else if (server !== undefined)
    steps.push({ kind: "serve", line: line + 1, command: lines.join("\n"), restart: restart !== undefined });
  else if (isOutput(block)) addOutput(steps, block);
  else steps.push(...(language === "console" ? consoleSteps : runSteps)(block, isWhole));
};

/** True if the block runs on this machine: not skipped, and not in a separate Debian. */
export const runsHere = ({ attributes }: Block): boolean =>
  attributes["skip"] === undefined && attributes["in"] === undefined;

/** What a reader of the page does, in order. @param blocks those of a page without problems */
export const stepsOf = (blocks: readonly Block[], isWhole: IsWhole): Step[] => {
  const steps: Step[] = [];
  for (const block of blocks) addSteps(steps, block, isWhole);
  return steps;
};
