import { join } from "node:path";
import type { FoundFault } from "./advice.ts";
import { FAULT_GROUPS, zoneOf } from "./zone-faults.ts";

/** The result for a fault. */
export interface Outcome {
  id: string;
  /** The project's target. */
  target: string;
  /** The findings of the first check. */
  findings: FoundFault[];
  /** Why the domain is not live. */
  problem?: string;
  /** From the last change until the domain was served over HTTPS. */
  ms?: number;
}

/** The data for the manual's page. */
const FILE = join(import.meta.dir, "../../src/pages/manual/generated/domain-faults.json");

/** Names and addresses in the test, except the project's target, and their replacements in the manual. */
const EXAMPLES: readonly (readonly [pattern: RegExp, example: string])[] = [
  [/\b[a-z0-9]{20}\.pages\.test/g, "w5tz8d2n.cname.sites.example.org"],
  [/\b[a-z0-9]{20}\._acme-challenge\.sites\.test/g, "k3vqx2m7._acme-challenge.sites.example.org"],
  [/https:\/\/localhost:\d+\/[\w/-]+/g, "https://ca.example/account/7"],
  [/\b127\.0\.\d+\.\d+:\d+/g, "192.0.2.53"],
  [/\b127\.0\.0\.1\b/g, "203.0.113.10"],
  [/\b\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, "2026-11-20 09:30 UTC"],
];

const TARGET = "k3vqx2m7.cname.sites.example.org";

const asExample = (message: string, zone: string, target: string): string =>
  EXAMPLES.reduce(
    (text, [pattern, example]) => text.replaceAll(pattern, example),
    message.replaceAll(target, TARGET),
  )
    .replaceAll(zone, "example.net")
    .replaceAll(/\b([a-z]+)\.test\b/g, "$1.example");

/** Writes the faults with their findings and times for the manual. */
export const writeReport = async (outcomes: readonly Outcome[]): Promise<void> => {
  const byId = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
  const groups = FAULT_GROUPS.map(({ title, faults }) => ({
    title,
    faults: faults.map((fault) => {
      const { findings = [], ms = 0, target = "" } = byId.get(fault.id) ?? {};
      return {
        fault: fault.fault,
        reported: fault.reported ?? [],
        findings: [...new Set(findings.map(({ kind }) => kind))],
        responsible: findings[0]?.responsible ?? "nobody",
        advice: findings.map(({ message }) => asExample(message, zoneOf(fault), target)),
        seconds: Math.round(ms / 1000),
      };
    }),
  }));
  await Bun.write(FILE, `${JSON.stringify(groups, undefined, 2)}\n`);
};
