import {
  FIRST_STAGE,
  STAGE_EVENTS,
  STORED_STAGES,
  type StageEvent,
  type StoredStage,
  isHeld,
  isServed,
  isWaiting,
  nextStage,
  wantsCertificate,
} from "../../domains/stage.ts";
import { code, codes, table } from "./markdown.ts";

const MEANINGS: Readonly<Record<StoredStage, string>> = {
  awaiting_dns: "Its record does not exist yet, or not everywhere.",
  dns_conflict: "Another record is in its place, or another project has the domain.",
  verified: "Its records are right, or the DNS proves whose it is. It waits for its certificate.",
  issuing: "The CA is issuing its certificate.",
  issue_failed: "The last attempt at a certificate failed. The service tries again.",
  live: "Visitors get the site, or a redirect to the primary domain.",
  suspended: "The project's plan is below Pro. The domain comes back with the plan.",
};

const PROPERTIES: readonly (readonly [words: string, has: (stage: StoredStage) => boolean])[] = [
  ["waits for records", isWaiting],
  ["holds the name", isHeld],
  ["has or gets a certificate", wantsCertificate],
  ["is served", isServed],
];

/** All stages: what each means, and what is true in it. */
export const stagesTable = (): string =>
  table(
    ["stage", "meaning", ...PROPERTIES.map(([words]) => words)],
    STORED_STAGES.map((stage) => [
      code(stage),
      MEANINGS[stage],
      ...PROPERTIES.map(([, has]) => (has(stage) ? "yes" : "")),
    ]),
  );

/** What usually happens, in order. */
const USUAL: readonly StageEvent[] = ["records_right", "order_placed", "certificate_stored"];

/** The usual way of a domain, as text, top to bottom. */
export const usualWay = (): string => {
  let stage: StoredStage = FIRST_STAGE;
  const lines = USUAL.map((event) => {
    stage = nextStage(stage, event) ?? stage;
    return `  | ${event}\n${stage}`;
  });
  return ["```text", FIRST_STAGE, ...lines, "```"].join("\n");
};

/** From which stages an event leads to a stage. */
const rowsOf = (event: StageEvent): string[][] => {
  const moves = STORED_STAGES.flatMap((from) => {
    const to = nextStage(from, event);
    return to === undefined ? [] : [{ from, to }];
  });
  return [...Map.groupBy(moves, ({ to }) => to)].map(([to, group]) => [
    code(event),
    codes(group.map(({ from }) => from)),
    code(to),
  ]);
};

/** All transitions: an event in another stage leaves the stage as it is. */
export const transitionsTable = (): string =>
  table(["event", "in the stage", "leads to"], STAGE_EVENTS.flatMap(rowsOf));
