import { type Config, readConfig } from "../config/config.ts";
import { SETTING_NAMES } from "../config/settings.ts";
import { reasonOf } from "../lib/reason.ts";
import { type ClusterFacts, REPLICA_ALONE, clusterFacts, clusterText, isReplica } from "./cluster-facts.ts";
import { command } from "./command.ts";
import { type Concern, type Probe, probesOf } from "./doctor-probes.ts";
import { coloured } from "./print/output.ts";
import { reportedSources, settingWarnings } from "./settings.ts";

type Level = "ok" | "warning" | "failed";

/** The result of one check. */
interface Finding {
  check: string;
  level: Level;
  /** False for `failed` only. */
  ok: boolean;
  /** The state and, unless it is ok, the remedy. */
  detail: string;
}

const findingOf = (check: string, level: Level, detail: string): Finding => ({
  check,
  level,
  ok: level !== "failed",
  detail,
});

const attempt = async (check: string, probe: () => ReturnType<Probe>): Promise<Finding> => {
  try {
    const found = await probe();
    return typeof found === "string"
      ? findingOf(check, "ok", found)
      : findingOf(check, "warning", found.warning);
  } catch (error) {
    return findingOf(check, "failed", reasonOf(error));
  }
};

const LABELS = {
  ok: ["green", "ok"],
  warning: ["yellow", "warning"],
  failed: ["red", "FAILED"],
} as const satisfies Record<Level, unknown>;
const LABEL_WIDTH = 8;

const lineOf = ({ check, level, detail }: Finding): string => {
  const [colour, label] = LABELS[level];
  return `${coloured(colour, label)}${" ".repeat(LABEL_WIDTH - label.length)}${check}: ${detail}`;
};

/** One finding for each problem. */
export const findingsOf = (facts: ClusterFacts): Finding[] =>
  facts.problems.length === 0
    ? [findingOf("cluster", "ok", clusterText(facts))]
    : facts.problems.map(({ isFailure, text }) =>
        findingOf("cluster", isFailure ? "failed" : "warning", text),
      );

/** The findings about the cluster; none for a store without one. */
export const clusterFindings = async (config: Config): Promise<Finding[]> => {
  try {
    const facts = await clusterFacts(config, Date.now());
    if (facts) return findingsOf(facts);
    return isReplica(config.dataDir) ? [findingOf("cluster", "failed", REPLICA_ALONE)] : [];
  } catch (error) {
    return [findingOf("cluster", "failed", reasonOf(error))];
  }
};

const settingsState = ({ sources, fault }: ReturnType<typeof reportedSources>): string | Concern => {
  if (fault !== undefined) throw new Error(fault);
  const warnings = settingWarnings(sources);
  return warnings.length === 0 ? "all are valid" : { warning: warnings.join("; ") };
};

export const doctorCommand = command({
  name: "doctor",
  summary: "check everything, and say what to do",
  description:
    "check settings, disk, database, sites, backups, port, clock, the cluster, and the DNS and ports of the platform, and say what to do",
  takes: {
    "--quick": "skip the slow parts: do not compare indexes with their tables, or read the files of sites",
    "--json": "print JSON",
  },
  settings: ["port", "host", "diskReserve", "backupSchedule", "backupDir"],
  hiddenSettings: SETTING_NAMES,
  notes: [
    "Each line begins with ok, warning or FAILED. The command changes nothing. It checks all settings, so it also takes the options of adoption-store serve.",
  ],
  exitCodes: { 0: "no check has FAILED", 1: "a check has FAILED" },
  examples: {
    "Check the store in ./data, or that of the service if there is none": "adoption-store doctor",
    "Check it quickly": "adoption-store doctor --quick",
  },
  async run({ quick = false, ...flags }) {
    const reported = reportedSources(flags);
    const serverConfig = readConfig(reported.sources);
    const { backupSchedule, backupDir } = serverConfig;
    const config =
      reported.fault === undefined
        ? { ...readConfig({ ...reported.sources, saved: {} }), backupSchedule, backupDir }
        : serverConfig;
    const findings = [await attempt("settings", () => settingsState(reported))];
    for (const [check, probe] of Object.entries(probesOf(config, serverConfig)))
      findings.push(await attempt(check, () => probe(config, { quick })));
    findings.push(...(await clusterFindings(config)));
    process.exitCode = findings.every(({ ok }) => ok) ? 0 : 1;
    return { json: findings, text: findings.map(lineOf).join("\n") };
  },
});
