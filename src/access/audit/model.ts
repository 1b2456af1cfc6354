import { type Static, t } from "elysia";
import { Cursor, Id, Limit, OneOf, Time, TimeInQuery, checked, parsed } from "../../http/schemas.ts";
import { ACTIONS, ACTION_NAMES, RESOURCE_KINDS, type ResourceKind } from "../../data/db/actions.ts";
import { formatTime } from "../../lib/time.ts";
import type { Entry, EntryFilters } from "./entry.ts";

export const ACTOR_KINDS = ["key", "person", "operator", "service"] as const;

const AuditActor = t.Object(
  {
    kind: OneOf("AuditActorKind", ACTOR_KINDS, {
      description:
        "`key`: an API key. `person`: a person at the console. `operator`: the command line, or a user of its sign-in link. `service`: the service itself.",
      examples: ["key"],
    }),
    id: t.Optional(
      Id("Id of the API key or person. In histories, only for callers with the scope `audit:read`.", 3),
    ),
    name: t.Optional(
      t.String({
        description:
          "Name of the API key or person at that time. In histories, only for callers with the scope `audit:read`.",
        examples: ["front desk"],
      }),
    ),
  },
  { $id: "AuditActor", description: "Who did it." },
);

const Kind = OneOf("AuditResourceKind", RESOURCE_KINDS, {
  description: "What kind of thing it is.",
  examples: ["pet"],
});

const resourceId = t.String({
  description: "As in the path of the resource: an id, a slug or a host name.",
  examples: ["7"],
});

const AuditResource = t.Object(
  {
    kind: Kind,
    id: resourceId,
    name: t.Optional(
      t.String({
        description: "Its name at that time; for an order, the name of its animal.",
        examples: ["Bella"],
      }),
    ),
    parent: t.Optional(
      t.Object(
        { kind: Kind, id: resourceId },
        {
          $id: "AuditParent",
          description: "What it belongs to: the animal of an order, or the project of a deploy or domain.",
        },
      ),
    ),
  },
  { $id: "AuditResource", description: "What it was done to." },
);

const changeValue = (description: string, example: string) =>
  t.Optional(t.String({ description, examples: [example] }));

const AuditChange = t.Object(
  {
    field: t.String({ description: "The field.", examples: ["status"] }),
    from: changeValue("Its value before, as text. Absent if it had none.", "available"),
    to: changeValue("Its value after, as text. Absent if it has none.", "sold"),
  },
  { $id: "AuditChange", description: "A changed field." },
);

const AuditAction = OneOf("AuditAction", ACTION_NAMES, {
  description: `What was done. ${ACTION_NAMES.map((name) => `\`${name}\`: ${ACTIONS[name]}`).join(" ")}`,
  examples: ["pet.changed"],
});

const AuditEntry = t.Object(
  {
    id: Id("Unique identifier. Newer entries have higher ids.", 42),
    at: Time("When it happened.", "2026-11-20T09:30:00.000Z"),
    actor: AuditActor,
    action: AuditAction,
    resource: AuditResource,
    changes: t.Array(AuditChange, { description: "The changed fields; for most actions none." }),
  },
  { $id: "AuditEntry", description: "Who did what, and when." },
);

export const AuditEntries = t.Array(AuditEntry, {
  $id: "AuditEntries",
  maxItems: 100,
  description: "Entries of the audit log, newest first.",
});

/** Splits `pet:7` into `pet` and `7`. */
const splitFilter = (text: string): readonly [kind: string, id: string | undefined] => {
  const colon = text.indexOf(":");
  return colon === -1 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
};

const isOneOf = <Word extends string>(words: readonly Word[], text: string): text is Word =>
  (words as readonly string[]).includes(text);

/** Reads `person:3`, `person` or `operator`; undefined for anything else. */
export const parseActor = (text: string): EntryFilters["actor"] => {
  const [kind, id] = splitFilter(text);
  if (!isOneOf(ACTOR_KINDS, kind)) return undefined;
  if (id === undefined) return { kind };
  return /^[1-9]\d{0,14}$/.test(id) && (kind === "key" || kind === "person")
    ? { kind, id: Number(id) }
    : undefined;
};

/** Reads `pet:7`, `domain:docs.example.org` or `pet`; undefined for anything else. */
export const parseResource = (text: string): EntryFilters["resource"] => {
  const [kind, id] = splitFilter(text);
  if (!isOneOf(RESOURCE_KINDS, kind)) return undefined;
  if (id === undefined) return { kind };
  return id.length >= 1 && id.length <= 255 ? { kind, id } : undefined;
};

const ActorFilter = parsed(
  checked(
    "AuditActorFilter",
    {
      type: "string",
      minLength: 1,
      maxLength: 30,
      description: "Filter by actor: `key:3`, `person:2`, `key`, `person`, `operator` or `service`.",
      examples: ["person:2"],
    },
    "must be key, person, operator, service, key:ID or person:ID",
    (value) => typeof value === "string" && parseActor(value) !== undefined,
  ),
  parseActor,
);

const ResourceFilter = parsed(
  checked(
    "AuditResourceFilter",
    {
      type: "string",
      minLength: 1,
      maxLength: 270,
      description: `Filter by resource: a kind, or a kind and an id, such as \`pet:7\`. The kinds: ${RESOURCE_KINDS.map((kind) => `\`${kind}\``).join(", ")}.`,
      examples: ["pet:7"],
    },
    `must be ${RESOURCE_KINDS.join(", ")}, or one of these with an id, such as pet:7`,
    (value) => typeof value === "string" && parseResource(value) !== undefined,
  ),
  parseResource,
);

export const AuditQuery = t.Object(
  {
    actor: t.Optional(ActorFilter),
    action: t.Optional({ ...AuditAction, description: "Filter by action." }),
    resource: t.Optional(ResourceFilter),
    since: t.Optional(TimeInQuery("Only entries from this time on.", "2026-11-20T00:00:00Z")),
    until: t.Optional(TimeInQuery("Only entries from before this time.", "2026-11-21T00:00:00Z")),
    limit: Limit,
    cursor: t.Optional(Cursor),
  },
  { additionalProperties: false },
);

const fromParent = (parent: { kind: ResourceKind; id: string } | undefined) => parent && { parent };

/** An entry as the API returns it. @param isNamed false omits the id and name of the actor */
export const fromEntry = (
  { id, at, actor, action, resource: { kind, id: ofResource, name, parent }, changes }: Entry,
  { isNamed }: { isNamed: boolean },
): Static<typeof AuditEntry> => ({
  id,
  at: formatTime(at),
  actor: isNamed ? { ...actor } : { kind: actor.kind },
  action,
  resource: { kind, id: ofResource, ...(name !== null && { name }), ...fromParent(parent) },
  changes: changes.map(({ field, from, to }) => ({
    field,
    ...(from !== null && { from }),
    ...(to !== null && { to }),
  })),
});
