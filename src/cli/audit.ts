import { ACTOR_KINDS, fromEntry, parseActor, parseResource } from "../access/audit/model.ts";
import type { Entry } from "../access/audit/entry.ts";
import { ACTION_NAMES, RESOURCE_KINDS, resourceOf as resourceKindOf } from "../data/db/actions.ts";
import { petStatusName } from "../store/pets/pet.ts";
import { parseTime } from "../lib/time.ts";
import { allPages, glossary, relativeTime } from "./print/output.ts";
import { list, storeCommand } from "./resource.ts";
import { readNumber, readSpan, valueOf } from "./input.ts";

const DEFAULT_LIMIT = 20;

const actorOf = valueOf("--actor", parseActor, "key, person, operator, service, key:ID or person:ID");

const actionOf = valueOf(
  "--action",
  (text) => ACTION_NAMES.find((action) => action === text),
  `an action: use ${ACTION_NAMES.join(", ")}`,
);

const resourceOf = valueOf(
  "--resource",
  parseResource,
  `${RESOURCE_KINDS.join(", ")}, or one of these with an id, such as pet:7`,
);

/** Reads a time, or how long ago it was. */
const readTime = (text: string): number | undefined => {
  const span = readSpan(text);
  return span === undefined ? parseTime(text) : Date.now() - span * 1000;
};

const timeOf = (flag: string) =>
  valueOf(flag, readTime, "a time such as 2030-12-05T00:00:00Z, or a span such as 7d");

const limitOf = valueOf("--limit", readNumber(6), "a number from 1 to 999999");
const [sinceOf, untilOf] = [timeOf("--since"), timeOf("--until")];

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

const verbsOf = (kind: string): string =>
  ACTION_NAMES.filter((name) => resourceKindOf(name) === kind)
    .map((name) => name.slice(kind.length + 1))
    .join(", ");

const listEntries = list({
  name: "audit",
  description: "show who did what, and when, newest first",
  takes: {
    "--actor <actor>": {
      text: "only actions of this kind of actor (key, person, operator or service), or of one actor, such as key:3",
      parse: actorOf,
      suggestions: ACTOR_KINDS,
    },
    "--action <action>": {
      text: "only this action, such as pet.changed; the list is below",
      parse: actionOf,
      suggestions: ACTION_NAMES,
    },
    "--resource <resource>": {
      text: "only actions on this kind of resource, such as pet, or on one resource, such as pet:7",
      parse: resourceOf,
      suggestions: RESOURCE_KINDS,
    },
    "--since <when>": {
      text: "only from this time on: 2030-12-05T00:00:00Z, or 7d for the last 7 days",
      parse: sinceOf,
    },
    "--until <when>": { text: "only before this time, in the same form", parse: untilOf },
    "--limit <number>": {
      text: `how many entries to show (default: ${DEFAULT_LIMIT})`,
      parse: limitOf,
      fallback: DEFAULT_LIMIT,
    },
  },
  notes: [
    "Entries are kept for AUDIT_DAYS (365 days by default). They never contain an adopter's data. Automatic changes of a domain are in the domain's history.",
    glossary(
      "The resources and their actions, which are written like pet.added:",
      RESOURCE_KINDS.map((kind) => [kind, verbsOf(kind)]),
    ),
  ],
  examples: {
    "Show the latest entries": "",
    "Show the actions of key 3 in the last week": "--actor key:3 --since 7d",
    "Show the history of animal 7": "--resource pet:7",
    "Show who created, rotated and revoked keys, as JSON": "--resource key --limit 1000 --json",
  },
  rows({ limit, actor, action, resource, since, until }, { audit }) {
    const filters = { actor, action, resource, since, until };
    return allPages((page) => audit.list({ ...filters, ...page }), limit);
  },
  columns: {
    WHEN: ({ at }, now) => relativeTime(at, now),
    WHO: actorWords,
    ACTION: ({ action }) => action,
    WHAT: resourceWords,
    CHANGES: changeWords,
  },
  toJson: (entry) => fromEntry(entry, { isNamed: true }),
  empty: "Nothing was recorded.",
});

export const auditCommand = storeCommand(listEntries);
