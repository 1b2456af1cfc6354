import { Command } from "commander";
import { commandNameCheck } from "../app/domains.ts";
import { systemRuntime } from "../app/runtime.ts";
import { SHARED } from "../config/shared-settings.ts";
import { dnsInspector } from "../dns-checks/inspect.ts";
import { fromNameCheck } from "../name-checks/model.ts";
import { type NameVerdict, VERDICT_TONES } from "../name-checks/name-check.ts";
import { type CommandTexts, withTexts } from "./help/texts.ts";
import { coloured, print, printJson } from "./print/output.ts";
import { availableConfig, withSettings } from "./settings.ts";
import { printFindings, printQuestions, printRecords } from "./print/domain.ts";

interface Options extends Record<string, unknown> {
  target?: string;
  trace?: boolean;
  json?: boolean;
}

const TOO_FEW_RESPONSES = 3;

const exitCodeOf = (verdict: NameVerdict): number => {
  if (verdict === "unknown") return TOO_FEW_RESPONSES;
  return VERDICT_TONES[verdict] === "good" ? 0 : 1;
};

const TEXTS: CommandTexts = {
  notes: [
    "The command asks the DNS itself: it needs no server, no project and no DATA_DIR, and it stores nothing. With --target it says whether the records are right, and without it whether other records are in the way.",
  ],
  examples: [
    { text: "See what is in the way of a name", line: "adoption-store domains check docs.example.org" },
    {
      text: "Check a name against a project's target, with every query",
      line: "adoption-store domains check example.org --target k3v.example.net --trace",
    },
  ],
  exitCodes: {
    0: "the records are right; without --target: no other record is in the way",
    1: "records must change, or need time; or the command failed",
    3: "too few name servers responded",
  },
};

type WireNameCheck = ReturnType<typeof fromNameCheck>;

const COLOURS = { good: "green", bad: "red" } as const;

const colourOf = (verdict: WireNameCheck["verdict"]) => {
  const tone = VERDICT_TONES[verdict];
  return tone ? COLOURS[tone] : "yellow";
};

/** Verdicts of names that have the record. */
const WITH_RECORD: ReadonlySet<string> = new Set(["right", "spreading", "blocked"]);

/** Prints the verdict on a name, what to do about it, and the record that it needs. */
const printNameCheck = (
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

export const checkCommand = (): Command =>
  withSettings(
    withTexts(new Command("check"), TEXTS)
      .summary("check a name's DNS before you add it to a project")
      .description("say what the DNS has for a name, and what to change, before you add it to a project")
      .argument("<hostname>", "the domain or subdomain, such as docs.example.org")
      .option("--target <name>", "the project's target, which must be the value of the record")
      .option("--trace", "print every DNS query, its response, and the dig command that repeats it")
      .option("--json", "print JSON"),
    [],
    SHARED,
  ).action(async (hostname: string, { target, trace = false, json, ...settings }: Options) => {
    const config = availableConfig(settings);
    const check = commandNameCheck(config, dnsInspector(config, systemRuntime));
    const result = fromNameCheck(await check({ hostname, target }));
    if (json) printJson(result);
    else printNameCheck(result, trace);
    process.exitCode = exitCodeOf(result.verdict);
  });
