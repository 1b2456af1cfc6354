import { readFileSync } from "node:fs";
import { once } from "../lib/lazy.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { type Assignment, readAssignments, readShown } from "./environment.ts";
import { ENVIRONMENT_PATH, SERVICE, UNIT_PATH, USER } from "./paths.ts";
import { hasSystemd } from "./systemd.ts";

/** The variables that systemd passes to the service. */
export interface UnitEnvironment {
  variables: Readonly<Record<string, string>>;
  /** The file and the line that set each variable; for one in the unit, the unit. */
  places: Readonly<Record<string, string>>;
}

/** True in a process of the service: it has the unit's environment already. */
export const isInUnit = (): boolean => {
  try {
    return readFileSync("/proc/self/cgroup", "utf8").includes(`/${SERVICE}.service`);
  } catch {
    return false;
  }
};

/** This user may not read the settings of the service. */
export class UnreadableSettings extends OperatorError {
  override name = "UnreadableSettings";
}

/** The text of an environment file; undefined if it is missing. @throws UnreadableSettings */
const readFile = (path: string, sudo: string): string | undefined => {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code !== "EACCES") throw error;
    throw new UnreadableSettings(
      `Only root and the user ${USER} can read ${path}, the settings of the service. Run: ${sudo}`,
      { cause: error },
    );
  }
};

/** The environment and its files, as the unit and its drop-ins declare them. */
const declaredEnvironment = once((): { variables: Record<string, string>; files: string[] } => {
  const defaults = { variables: {}, files: [ENVIRONMENT_PATH] };
  if (!hasSystemd()) return defaults;
  const names = "Environment,EnvironmentFiles";
  const { success, stdout } = Bun.spawnSync(["systemctl", "show", SERVICE, `--property=${names}`]);
  if (!success) return defaults;
  const lines = stdout.toString().split("\n");
  const valuesOf = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
  return {
    variables: readShown(valuesOf("Environment").join(" ")),
    files: valuesOf("EnvironmentFiles").map((line) => line.replace(/ \(ignore_errors=\w+\)$/, "")),
  };
});

/** A variable of an environment file, with the place that sets it. */
export type Placed = Pick<Assignment, "name" | "value"> & { place: string };

const assignmentsOf = (path: string, sudo: string): Placed[] =>
  readAssignments(readFile(path, sudo) ?? "", path).map(({ name, value, line }) => ({
    name,
    value,
    place: `${path}:${line}`,
  }));

/**
 * Reads the environment of the unit: its files override its `Environment=` (systemd.exec(5)).
 * @param sudo the command to suggest to a user who may not read the files
 * @param check called with the variables of the files @throws UnreadableSettings, ConfigError, and what `check` throws
 */
export const readUnitEnvironment = (
  sudo: string,
  check: (assignments: Placed[]) => void,
): UnitEnvironment => {
  const { variables, files } = declaredEnvironment();
  const assignments = files.flatMap((path) => assignmentsOf(path, sudo));
  check(assignments);
  return {
    variables: { ...variables, ...Object.fromEntries(assignments.map(({ name, value }) => [name, value])) },
    places: Object.fromEntries([
      ...Object.keys(variables).map((name) => [name, UNIT_PATH]),
      ...assignments.map(({ name, place }) => [name, place]),
    ]),
  };
};
