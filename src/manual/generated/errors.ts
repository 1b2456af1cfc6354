import { STATUS_CODES } from "node:http";
import { FAULTS, type FaultCode, statusOf } from "../../lib/errors.ts";
import { FAULT_NOTES } from "./fault-notes.ts";
import { parts } from "./markdown.ts";

const section = (code: FaultCode): string => {
  const { when, remedy } = FAULT_NOTES[code];
  return parts(`### \`${code}\``, `${when} ${remedy}`, `> ${FAULTS[code][1]}`);
};

/** All error codes by their status, each with an anchor of its own. */
export const errorSections = (): string => {
  const byStatus = Map.groupBy(Object.keys(FAULTS) as FaultCode[], statusOf);
  return parts(
    ...[...byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, codes]) => parts(`## ${status} ${STATUS_CODES[status]}`, ...codes.map(section))),
  );
};
