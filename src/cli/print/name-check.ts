import type { fromNameCheck } from "../../name-checks/model.ts";
import { VERDICT_TONES } from "../../name-checks/verdict.ts";
import { coloured } from "./colour.ts";
import { printFindings, printQuestions, printRecords } from "./domain.ts";
import { print } from "./output.ts";

type WireNameCheck = ReturnType<typeof fromNameCheck>;

const COLOURS = { good: "green", bad: "red" } as const;

const colourOf = (verdict: WireNameCheck["verdict"]) => {
  const tone = VERDICT_TONES[verdict];
  return tone ? COLOURS[tone] : "yellow";
};

/** Verdicts of names that have the record. */
const WITH_RECORD: ReadonlySet<string> = new Set(["right", "spreading", "blocked"]);

/** Prints the verdict on a name, what to do about it, and the record that it needs. */
export const printNameCheck = (
  { unicode, hostname, verdict, message, findings, record, guide, trace }: WireNameCheck,
  withTrace: boolean,
): void => {
  const shown = unicode === hostname ? hostname : `${unicode} (${hostname})`;
  print(`${shown}: ${coloured(colourOf(verdict), verdict)}\n  ${message}`);
  if (findings.length > 0) print("");
  printFindings({ findings });
  if (record && !WITH_RECORD.has(verdict)) {
    print("");
    printRecords([{ record, ...(guide && { guide }) }]);
  }
  if (!withTrace) return;
  const { zone = "an unknown zone", nameServers } = trace;
  print(`\nEvery query, in the zone ${zone} (name servers: ${nameServers.join(", ") || "none"}):\n`);
  printQuestions(trace);
};
