import { Command, Option } from "commander";
import { commandServices } from "../app/command-services.ts";
import type { Entry, EntryFilters } from "../audit/entry.ts";
import { ACTOR_KINDS, fromEntry, parseActor, parseResource } from "../audit/model.ts";
import { ACTION_NAMES, type Action, RESOURCE_KINDS, resourceOf as resourceKindOf } from "../lib/actions.ts";
import { petStatusName } from "../pets/pet.ts";
import { parseTime } from "../lib/time.ts";
import { withDatabase } from "./database.ts";
import { withSuggestions } from "./help/options.ts";
import { type CommandTexts, withTexts } from "./help/texts.ts";
import { readSpan as parseSpan } from "./values.ts";
import { type Columns, printList, relativeTime } from "./print/output.ts";
import { configOf, withSettings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

const PAGE_SIZE = 100;
const DEFAULT_LIMIT = 20;

interface Options extends Record<string, unknown> {
  json?: boolean;
  actor?: EntryFilters["actor"];
  action?: Action;
  resource?: EntryFilters["resource"];
  since?: number;
  until?: number;
  limit: number;
}

/** @throws UsageError */
const readFlag = <Value>(flag: string, text: string, value: Value | undefined, form: string): Value => {
  if (value === undefined) throw new UsageError(`${flag}: ${JSON.stringify(text)} is not ${form}`);
  return value;
};

const actorOf = (text: string) =>
  readFlag("--actor", text, parseActor(text), "key, person, operator, service, key:ID or person:ID");

const actionOf = (text: string): Action =>
  readFlag(
    "--action",
    text,
    ACTION_NAMES.find((action) => action === text),
    `an action: use ${ACTION_NAMES.join(", ")}`,
  );

const resourceOf = (text: string) =>
  readFlag(
    "--resource",
    text,
    parseResource(text),
    `${RESOURCE_KINDS.join(", ")}, or one of these with an id, such as pet:7`,
  );

/** A time, or how long ago it was. */
const timeOf = (flag: string) => (text: string) => {
  const span = parseSpan(text);
  const time = span === undefined ? parseTime(text) : Date.now() - span * 1000;
  return readFlag(flag, text, time, "a time such as 2030-12-05T00:00:00Z, or a span such as 7d");
};

const limitOf = (text: string): number =>
  readFlag(
    "--limit",
    text,
    /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined,
    "a number from 1 to 999999",
  );

const actorWords = ({ actor }: Entry): string =>
  "id" in actor ? `${actor.kind} ${actor.id} ${actor.name}` : actor.kind;

const resourceWords = ({ resource: { kind, id, name, parent } }: Entry): string =>
  [kind, id, name ?? "", parent ? `(${parent.kind} ${parent.id})` : ""]
    .filter((part) => part !== "")
    .join(" ");

const valueWords = (field: string, value: string | null): string =>
  field === "status" && value === "sold" ? petStatusName(value) : (value ?? "none");

const changeWords = ({ changes }: Entry): string =>
  changes
    .map(({ field, from, to }) => {
      const before = from === null ? "" : `${valueWords(field, from)} -> `;
      return `${field}: ${before}${valueWords(field, to)}`;
    })
    .join(", ") || "-";

const columnsAt = (now: number): Columns<Entry> => ({
  WHEN: ({ at }) => relativeTime(at, now),
  WHO: actorWords,
  ACTION: ({ action }) => action,
  WHAT: resourceWords,
  CHANGES: changeWords,
});

/** The newest entries that match, from as many pages as they need. */
const readEntries = ({ limit, actor, action, resource, since, until, ...options }: Options) =>
  withDatabase(configOf(options), async (database) => {
    const { audit } = commandServices(configOf(options), database);
    const filters = { actor, action, resource, since, until };
    const found: Entry[] = [];
    for (let cursor: string | undefined; found.length < limit;) {
      const { items, next } = await audit.list({ ...filters, limit: PAGE_SIZE, cursor });
      found.push(...items);
      if (next === undefined) break;
      cursor = next;
    }
    return found.slice(0, limit);
  });

const KIND_WIDTH = Math.max(...RESOURCE_KINDS.map((kind) => kind.length)) + 2;
const ACTION_LIST = [
  "The resources and their actions, which are written like pet.added:",
  ...RESOURCE_KINDS.map((kind) => {
    const verbs = ACTION_NAMES.filter((name) => resourceKindOf(name) === kind).map((name) =>
      name.slice(kind.length + 1),
    );
    return `  ${kind.padEnd(KIND_WIDTH)}${verbs.join(", ")}`;
  }),
].join("\n");

const TEXTS: CommandTexts = {
  notes: [
    "Entries are kept for AUDIT_DAYS (365 days by default). They never contain an adopter's data. What the service does to a domain by itself is in the domain's history.",
    ACTION_LIST,
  ],
  examples: [
    { text: "Show what happened last", line: "adoption-store audit" },
    { text: "Show what key 3 did in the last week", line: "adoption-store audit --actor key:3 --since 7d" },
    { text: "Show what happened to animal 7", line: "adoption-store audit --resource pet:7" },
    {
      text: "Show who created, rotated and revoked keys, as JSON",
      line: "adoption-store audit --resource key --limit 1000 --json",
    },
  ],
};

export const auditCommand = (): Command =>
  withSettings(
    withTexts(new Command("audit"), TEXTS)
      .description("show who did what, and when, newest first")
      .addOption(
        withSuggestions(
          new Option(
            "--actor <actor>",
            "only actions of this kind of actor (key, person, operator or service), or of one actor, such as key:3",
          ).argParser(actorOf),
          ACTOR_KINDS,
        ),
      )
      .addOption(
        withSuggestions(
          new Option(
            "--action <action>",
            "only this action, such as pet.changed; the list is below",
          ).argParser(actionOf),
          ACTION_NAMES,
        ),
      )
      .addOption(
        withSuggestions(
          new Option(
            "--resource <resource>",
            "only actions on this kind of resource, such as pet, or on one resource, such as pet:7",
          ).argParser(resourceOf),
          RESOURCE_KINDS,
        ),
      )
      .option(
        "--since <when>",
        "only from this time on: 2030-12-05T00:00:00Z, or 7d for the last 7 days",
        timeOf("--since"),
      )
      .option("--until <when>", "only before this time, in the same form", timeOf("--until"))
      .option(
        "--limit <number>",
        `how many entries to show (default: ${DEFAULT_LIMIT})`,
        limitOf,
        DEFAULT_LIMIT,
      )
      .option("--json", "print JSON")
      .action(async (options: Options) => {
        const entries = await readEntries(options);
        if (options.json)
          return printList(
            entries.map((entry) => fromEntry(entry, { isNamed: true })),
            {},
            { json: true, empty: "" },
          );
        printList(entries, columnsAt(Date.now()), { json: false, empty: "Nothing was recorded." });
      }),
    [],
  );
