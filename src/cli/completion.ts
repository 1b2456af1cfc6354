import { type Argument, type Command, Option } from "commander";
import { settingText } from "../config/sources.ts";
import { databasePath } from "../data/data-dir/paths.ts";
import { openForReading } from "../data/db/readonly.ts";
import { oneLine } from "../lib/text.ts";
import bash from "./completion/bash.sh" with { type: "text" };
import fish from "./completion/fish.sh" with { type: "text" };
import zsh from "./completion/zsh.sh" with { type: "text" };
import { command, fullName, suggestionsFor } from "./command.ts";
import { HELP } from "./help.ts";
import { selectedSources } from "./settings.ts";

interface Candidate {
  value: string;
  /** A description; "" for none. */
  text: string;
}

/** The objects of a store that a command can name. `$project` limits domains to a project; null does not. */
const QUERIES = {
  key: "SELECT id AS value, name AS text FROM keys WHERE revoked_at IS NULL",
  person: "SELECT id AS value, name AS text FROM people WHERE removed_at IS NULL",
  // Ids only once the user types one: names are easier to choose from.
  category: `SELECT name AS value, 'id ' || id AS text FROM categories
    UNION ALL SELECT id, name FROM categories WHERE $prefix <> ''`,
  project: "SELECT slug AS value, name AS text FROM projects",
  deploy: `SELECT deploys.id AS value, slug || ', ' || status AS text
    FROM deploys JOIN projects ON projects.id = project_id ORDER BY deploys.id DESC LIMIT 1000`,
  domain: `SELECT hostname AS value, stage AS text FROM domains JOIN projects ON projects.id = project_id
    WHERE $project IS NULL OR slug = $project`,
  certificate: "SELECT hostname AS value, '' AS text FROM certificates",
  order: "SELECT id AS value, status AS text FROM orders ORDER BY id DESC LIMIT 1000",
} as const;

type ObjectKind = keyof typeof QUERIES;

const isObjectKind = (text: string): text is ObjectKind => Object.hasOwn(QUERIES, text);

/** Finds the objects of a kind whose id or name begins with `prefix`. */
type FindObjects = (
  kind: ObjectKind,
  prefix: string,
  place: { dataDir: string | undefined; project: string | undefined },
) => Candidate[];

const MAX_OBJECTS = 200;
/** A user waits for the list. A checkpoint of the server may take longer. */
const BUSY_MS = 100;

/** Finds objects in the store of the command, without changing a file; empty without a store or permission. */
export const findObjects: FindObjects = (kind, prefix, { dataDir, project }) => {
  try {
    const { text: directory } = settingText(
      "dataDir",
      selectedSources({ dataDir }, () => {}),
    );
    using client = openForReading(databasePath(directory));
    client.run(`PRAGMA busy_timeout=${BUSY_MS}`);
    return client
      .query<{ value: string | number; text: string }, Record<string, string | number | null>>(
        `SELECT * FROM (${QUERIES[kind]}) WHERE substr(value, 1, length($prefix)) = $prefix ORDER BY value LIMIT $limit`,
      )
      .all({ $prefix: prefix, $project: project ?? null, $limit: MAX_OBJECTS })
      .map(({ value, text }) => ({ value: String(value), text }));
  } catch {
    // The command itself reports the fault.
    return [];
  }
};

/** A shell's suggestion for a word. */
interface Completion {
  /** Whether the shell suggests `candidates`, or paths. */
  kind: "words" | "files" | "directories";
  candidates: readonly Candidate[];
}

const PATHS: Readonly<Record<string, Completion["kind"]>> = {
  file: "files",
  backup: "files",
  source: "files",
  directory: "directories",
};

const words = (candidates: readonly Candidate[]): Completion => ({ kind: "words", candidates });

/** The commands and placeholders that name objects: `adoption-store keys revoke <id>`. */
const NAMED: readonly (readonly [RegExp, ObjectKind])[] = [
  [/ keys \w+ id$/, "key"],
  [/ people \w+ id$/, "person"],
  [/ categories \w+ category$/, "category"],
  [/ domains (?!add )\w+ hostname$/, "domain"],
  [/ certificates import hostname$/, "domain"],
  [/ certificates \w+ hostname$/, "certificate"],
  [/ slug$/, "project"],
];

/** The objects whose kind and id one word names: `--actor key:3`, `--resource order:12`. */
const KIND_AND_ID = /(?:--actor|--resource) ([a-z]+):(.*)$/;

type Objects = (kind: ObjectKind, prefix: string) => Candidate[];

/** Objects in the form `key:3`. */
const objectsWithKind = (item: Option | Argument, current: string, objects: Objects): Candidate[] => {
  const word = item instanceof Option ? `${item.long} ${current}` : "";
  const [, kind = "", prefix = ""] = KIND_AND_ID.exec(word) ?? [];
  if (!isObjectKind(kind)) return [];
  return objects(kind, prefix).map(({ value, text }) => ({ value: `${kind}:${value}`, text }));
};

const valuesOf = (
  item: Option | Argument,
  command: Command,
  current: string,
  objects: Objects,
): Completion => {
  const name = item instanceof Option ? (/[<[]([\w-]+)/.exec(item.flags)?.[1] ?? "") : item.name();
  const [, kind] = NAMED.find(([pattern]) => pattern.test(`${fullName(command)} ${name}`)) ?? [];
  return {
    kind: PATHS[name] ?? "words",
    candidates: [
      ...suggestionsFor(item).map((value) => ({ value, text: "" })),
      ...(kind === undefined ? [] : objects(kind, current)),
      ...objectsWithKind(item, current, objects),
    ],
  };
};

const optionsOf = (command: Command): Option[] => HELP.visibleOptions?.(command) ?? [];

const findOption = (command: Command, word: string): Option | undefined =>
  optionsOf(command).find(({ long, short }) => word === long || word === short);

/** The position of the word to complete, after parsing the words before it. */
interface Place {
  command: Command;
  /** The number of arguments so far. */
  given: number;
  /** The option whose value comes next. */
  pending: Option | undefined;
}

const step = ({ command, given, pending }: Place, word: string): Place => {
  const isFlag = word.startsWith("-");
  if (pending && !(pending.variadic && isFlag))
    return { command, given, pending: pending.variadic ? pending : undefined };
  const option = isFlag ? findOption(command, word) : undefined;
  if (isFlag) return { command, given, pending: option?.required ? option : undefined };
  const child = command.commands.find((one) => one.name() === word);
  return { command: child ?? command, given: child ? 0 : given + 1, pending: undefined };
};

/** Bash separates `--flag=value` and `pets:read` into three words each. */
const joined = (typed: readonly string[]): string[] => {
  const all: string[] = [];
  for (const [at, word] of typed.entries()) {
    const isAfterColon = typed[at - 1] === ":" && at > 1;
    if (word === "=") all.push(...(at === typed.length - 1 ? [""] : []));
    else if ((word === ":" && at > 0) || isAfterColon) all.push(`${all.pop() ?? ""}${word}`);
    else all.push(word);
  }
  return all;
};

const suggest = ({ command, given, pending }: Place, current: string, objects: Objects): Completion => {
  const isFlag = current.startsWith("-");
  if (pending && !(pending.variadic && isFlag)) return valuesOf(pending, command, current, objects);
  const [flag = "", text] = current.split(/=(.*)/s);
  if (flag.startsWith("--") && text !== undefined) {
    const option = findOption(command, flag);
    const { kind, candidates } = option ? valuesOf(option, command, text, objects) : words([]);
    return { kind, candidates: candidates.map(({ value }) => ({ value: `${flag}=${value}`, text: "" })) };
  }
  if (isFlag)
    return words(
      optionsOf(command).map(({ long, description }) => ({ value: long ?? "", text: description })),
    );
  if (command.commands.length > 0)
    return words(
      command.commands.map((child) => ({
        value: child.name(),
        text: child.summary() || child.description(),
      })),
    );
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[given] ?? (last?.variadic ? last : undefined);
  return argument ? valuesOf(argument, command, current, objects) : words([]);
};

/** The value of an option among words: `--project docs` or `--project=docs`. */
const valueOf = (flag: string, all: readonly string[]): string | undefined =>
  all.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1) ??
  (all.includes(flag) ? all[all.indexOf(flag) + 1] : undefined);

/**
 * Completes a command line.
 * @param typed the words after the program's name; the last one is being typed, and may be empty
 */
export const complete = (root: Command, typed: readonly string[], find: FindObjects): Completion => {
  const all = joined(typed);
  const current = all.at(-1) ?? "";
  const before = all.slice(0, -1);
  // `help` is followed by the path of a command.
  const path = before.filter((word, at) => !(at === 0 && word === "help"));
  const place = { dataDir: valueOf("--data-dir", before), project: valueOf("--project", before) };
  const start: Place = { command: root, given: 0, pending: undefined };
  const { kind, candidates } = suggest(path.reduce(step, start), current, (objectKind, prefix) =>
    find(objectKind, prefix, place),
  );
  return { kind, candidates: candidates.filter(({ value }) => value.startsWith(current)) };
};

/** The lines that the scripts of `adoption-store completion` read: the kind, and then a candidate a line. */
export const completionLines = ({ kind, candidates }: Completion): string =>
  [kind, ...candidates.map(({ value, text }) => (text === "" ? value : `${value}\t${oneLine(text)}`))].join(
    "\n",
  );

const SCRIPTS = { bash, zsh, fish } as const;
const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];

export const completionCommand = command({
  name: "completion",
  summary: "print a script that completes commands in a shell",
  description:
    "print a script with which the Tab key completes commands, options, values, files, and the ids and names of the store",
  takes: { "<shell>": { text: "the shell", choices: SHELLS } },
  isIndependent: true,
  notes: [
    "Ids and names of keys, people, categories, projects, domains and orders come from the store that the command selects, if the user may read it. Completion changes no files.",
    "Nothing is installed by itself: save the script where your shell looks for it, and open a new terminal.",
  ],
  examples: {
    "bash, for yourself; for all users /etc/bash_completion.d/adoption-store":
      "bash \\\n  > ~/.local/share/bash-completion/completions/adoption-store",
    "zsh, in a directory of $fpath": "zsh > ~/.zfunc/_adoption-store",
    fish: "fish \\\n  > ~/.config/fish/completions/adoption-store.fish",
  },
  run: ({ shell }) => void process.stdout.write(SCRIPTS[shell]),
});
