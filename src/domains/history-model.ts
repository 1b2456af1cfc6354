import { type Static, t } from "elysia";
import { DomainFinding, fromFindings } from "../dns-checks/model.ts";
import { Id, OneOf, OptionalText, Time } from "../http/schemas.ts";
import { formatTime } from "../lib/time.ts";
import { EVENTS, type DomainEvent as StoredEvent } from "./domain.ts";
import { STAGES } from "./stage.ts";

export const DomainEvent = t.Object(
  {
    at: Time("When the event happened.", "2026-11-20T09:32:00.000Z"),
    actor: OneOf("DomainActor", ["key", "person", "operator", "service"], {
      description:
        "Who caused the event. `key`: an API key. `person`: a person at the console. `operator`: the command line, or a user of its sign-in link. `service`: the service itself.",
      examples: ["key"],
    }),
    key: t.Optional(Id("Id of the API key. Only for callers with the scope `audit:read`.", 1)),
    person: t.Optional(Id("Id of the person. Only for callers with the scope `audit:read`.", 1)),
    name: OptionalText(
      "Name of the key or person at that time. Only for callers with the scope `audit:read`.",
      "website",
    ),
    event: OneOf("DomainEventName", EVENTS, {
      description: "What happened. A check with the same result as the previous one has no event.",
      examples: ["records_right"],
    }),
    stage: OneOf("DomainEventStage", STAGES, {
      description: "The stage of the domain after the event.",
      examples: ["live"],
    }),
    findings: t.Array(DomainFinding, { description: "The findings of a check." }),
  },
  { $id: "DomainEvent", description: "An event in the history of a domain." },
);

export const DomainHistory = t.Array(DomainEvent, {
  $id: "DomainHistory",
  maxItems: 100,
  description: "The events of a domain, newest first.",
});

/** The wire form of a row of the history. @param isNamed false returns only the actor's kind */
export const fromEvent = (
  { at, actor, event, stage, findings }: StoredEvent,
  { isNamed }: { isNamed: boolean },
): Static<typeof DomainEvent> => ({
  at: formatTime(at),
  actor: actor.kind,
  ...(isNamed && actor.kind === "key" && { key: actor.id }),
  ...(isNamed && actor.kind === "person" && { person: actor.id }),
  ...(isNamed && "name" in actor && actor.name !== null && { name: actor.name }),
  event,
  stage,
  findings: fromFindings(findings),
});
