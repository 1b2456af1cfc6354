import type { Config } from "../config/config.ts";
import { reasonOf } from "../lib/reason.ts";
import { coloured } from "./print/output.ts";

type Level = "ok" | "warning" | "failed";

/** What one check of `doctor` found. */
export interface Finding {
  check: string;
  level: Level;
  /** False for `failed` only. */
  ok: boolean;
  /** What was found and, unless it is ok, what to do. */
  detail: string;
}

/** A problem that does not stop the service, but needs a person's attention. */
export interface Concern {
  warning: string;
}

interface ProbeOptions {
  /** Skips the slow parts. */
  quick: boolean;
}

/** @returns a description of what is fine, or a concern @throws an error that says what is wrong, and what to do */
export type Probe = (config: Config, options: ProbeOptions) => string | Concern | Promise<string | Concern>;

export const attempt = async (
  check: string,
  probe: Probe,
  config: Config,
  options: ProbeOptions,
): Promise<Finding> => {
  try {
    const found = await probe(config, options);
    return typeof found === "string"
      ? { check, level: "ok", ok: true, detail: found }
      : { check, level: "warning", ok: true, detail: found.warning };
  } catch (error) {
    return { check, level: "failed", ok: false, detail: reasonOf(error) };
  }
};

const LABELS = {
  ok: ["green", "ok"],
  warning: ["yellow", "warning"],
  failed: ["red", "FAILED"],
} as const satisfies Record<Level, unknown>;
const LABEL_WIDTH = 8;

export const lineOf = ({ check, level, detail }: Finding): string => {
  const [colour, label] = LABELS[level];
  return `${coloured(colour, label)}${" ".repeat(LABEL_WIDTH - label.length)}${check}: ${detail}`;
};
