import { existsSync } from "node:fs";
import { OperatorError } from "../../lib/operator-error.ts";
import { SERVICE, UNIT_PATH } from "./unit.ts";
import { attempt } from "../../lib/attempt.ts";

/** Runs a program of the system to its end. */
export const run = async (...argv: string[]) => {
  const child = Bun.spawn(argv, { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  return { code, stdout, stderr };
};

/** Runs a program of the system. @returns its output @throws OperatorError if it fails */
export const must = async (...argv: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(...argv);
  if (code === 0) return stdout;
  throw new OperatorError(
    `${argv.join(" ")} ended with exit code ${code}: ${(stderr || stdout).trim().replaceAll("\n", "; ")}`,
  );
};

/** True if systemd manages this machine: sd_booted(3). */
export const hasSystemd = (): boolean => existsSync("/run/systemd/system") && Bun.which("systemctl") !== null;

export const isInstalled = (): boolean => hasSystemd() && existsSync(UNIT_PATH);

/** @throws OperatorError unless this is root on a Linux machine with systemd */
export const assertCanManage = (command: string): void => {
  if (process.platform !== "linux")
    throw new OperatorError(
      `a service needs Linux with systemd, and this is ${process.platform}: run adoption-store serve`,
    );
  if (!hasSystemd())
    throw new OperatorError(
      "systemd does not manage this machine: run adoption-store serve, or see adoption-store service print --help",
    );
  if (process.geteuid?.() !== 0) throw new OperatorError(`only root can do this: sudo ${command}`);
};

export const unitState = async () => {
  const names = "ActiveState,SubState,MainPID,Result,UnitFileState";
  const text = await must("systemctl", "show", SERVICE, `--property=${names}`);
  const values = Object.fromEntries(
    text
      .trim()
      .split("\n")
      .map((line) => line.split("=", 2)),
  ) as Record<string, string>;
  return {
    /** `active`, `activating`, `failed`, `inactive` and others: systemctl(1). */
    active: values["ActiveState"] ?? "",
    /** Such as `running`, `auto-restart`. */
    sub: values["SubState"] ?? "",
    /** 0 if no process runs. */
    pid: Number(values["MainPID"]),
    /** How the last process ended: `success`, `exit-code`, `watchdog` and others. */
    result: values["Result"] ?? "",
    isEnabled: values["UnitFileState"] === "enabled",
  };
};

/** The message of the last error in a log line; the line itself if it is not JSON. */
const messageOf = (line: string): string => {
  const { message, reason } = (attempt((): unknown => JSON.parse(line)) ?? {}) as Record<string, unknown>;
  const words = [message, reason].filter((part) => typeof part === "string").join(": ");
  return words || line.replace(/^adoption-store: /, "");
};

const MAX_LINE = 2000;

/** The last line that the service itself printed, verbatim; undefined without one, or if this user may not read the journal. */
const lastLine = async (): Promise<string | undefined> => {
  const { stdout } = await run(
    "journalctl",
    `--unit=${SERVICE}`,
    "--lines=20",
    "--output=cat",
    "--quiet",
    // A filter by process name would miss lines: the journal cannot read the name of a process that has ended.
    `SYSLOG_IDENTIFIER=${SERVICE}`,
  );
  return stdout.trim().split("\n").at(-1)?.slice(0, MAX_LINE) || undefined;
};

/** The message of the last line that the service itself printed. */
const lastWords = async (): Promise<string | undefined> => {
  const line = await lastLine();
  return line && messageOf(line);
};

export interface StoppedService {
  /** How it failed, such as `exit-code` or `watchdog`; undefined if it was stopped. */
  result?: string;
  /** The last line that it printed before it failed, verbatim. */
  line?: string | undefined;
}

/** The service, if it has failed or is stopped; undefined if it is not installed, runs or starts. */
export const stoppedService = async (): Promise<StoppedService | undefined> => {
  if (!isInstalled()) return undefined;
  const { active, sub, result } = await unitState();
  if (active === "failed" || sub === "auto-restart") return { result, line: await lastLine() };
  return active === "inactive" ? {} : undefined;
};

const POLL_MS = 100;

/**
 * Starts or restarts the service, and waits until it reports that it serves. systemd would wait forever for a service that
 * it starts again and again, so the first end of the new process counts.
 * @returns why it does not serve; undefined if it does
 */
export const startService = async (
  verb: "start" | "restart",
  timeoutMs: number,
): Promise<string | undefined> => {
  const { sub: phase, pid: before } = await unitState();
  // The remains of an earlier start would count as the end of this one.
  if (phase === "auto-restart") await must("systemctl", "stop", SERVICE);
  // Units of earlier versions limit the number of starts within 10 seconds.
  await run("systemctl", "reset-failed", SERVICE);
  await must("systemctl", verb, "--no-block", SERVICE);
  for (const end = performance.now() + timeoutMs; performance.now() < end;) {
    await Bun.sleep(POLL_MS);
    const { active, sub, pid } = await unitState();
    if (active === "active" && pid !== before) return undefined;
    if (active === "failed" || sub === "auto-restart") return (await lastWords()) ?? "it ended";
  }
  return `it does not serve within ${timeoutMs / 1000} s`;
};
