import { existsSync, mkdirSync, rmSync } from "node:fs";
import { OperatorError } from "../../lib/operator-error.ts";
import { type EnvironmentSetting, environmentTemplate, readVariables, setVariables } from "./environment.ts";
import { type Owner, ROOT, copyExecutable, hashFile, ownerOf, readText, writeFileAs } from "./files.ts";
import {
  ENVIRONMENT_PATH,
  EXECUTABLE_PATH,
  SERVICE,
  STATE_DIRECTORY,
  UNIT_MARK,
  UNIT_PATH,
  USER,
  memoryMaxOf,
  systemdUnit,
} from "./unit.ts";
import { isInstalled, must, run, startService, unitState } from "./systemd.ts";

/** One change of the machine. Steps run in order; each can be repeated. */
export interface Step {
  /** Such as "create the user adoption-store". */
  what: string;
  run(): Promise<unknown> | void;
}

interface InstallOptions {
  executable: string;
  /** All settings, by the heading under which the environment file shows them. */
  groups: Readonly<Record<string, readonly EnvironmentSetting[]>>;
  /** False: the service starts at boot, but not now. */
  start: boolean;
  /** The settings to write, by variable. All others keep their value. */
  given: Readonly<Record<string, string>>;
  /** The unit's `MemoryMax`; undefined keeps its value. */
  memoryMax: string | undefined;
  /** Checks the variables of the environment file. @returns directories to write in addition to the state directory @throws */
  check: (variables: Readonly<Record<string, string>>) => readonly string[];
}

const userOwner = async (): Promise<Owner | undefined> => {
  const { code, stdout } = await run("getent", "passwd", USER);
  const [, , uid, gid] = stdout.split(":");
  return code === 0 ? { uid: Number(uid), gid: Number(gid) } : undefined;
};

/** @throws OperatorError if the user does not exist */
const owner = async (): Promise<Owner> => {
  const found = await userOwner();
  if (!found) throw new OperatorError(`the user ${USER} does not exist`);
  return found;
};

const executableStep = async (executable: string): Promise<Step[]> => {
  if (!existsSync(EXECUTABLE_PATH))
    return [
      {
        what: `copy ${executable} to ${EXECUTABLE_PATH}`,
        run: () => copyExecutable(executable, EXECUTABLE_PATH),
      },
    ];
  if ((await hashFile(executable)) === (await hashFile(EXECUTABLE_PATH))) return [];
  throw new OperatorError(
    `${EXECUTABLE_PATH} is another version: to replace it, run adoption-store upgrade ${executable}`,
  );
};

const CREATE_USER = [
  "useradd",
  "--system",
  "--user-group",
  "--no-create-home",
  `--home-dir=${STATE_DIRECTORY}`,
  "--shell=/usr/sbin/nologin",
  USER,
];

const chown = async (path: string, { uid, gid }: Owner) =>
  must("chown", "--recursive", "--no-dereference", `${uid}:${gid}`, path);

const makeDirectory = async (path: string) => {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  await chown(path, await owner());
};

/** The state directory and its content belong to the service's user. */
const stateSteps = (user: Owner | undefined): Step[] => {
  const current = ownerOf(STATE_DIRECTORY);
  if (current && current.uid === user?.uid) return [];
  const what = current ? `give ${STATE_DIRECTORY} to the user ${USER}` : `create ${STATE_DIRECTORY}`;
  return [{ what, run: () => makeDirectory(STATE_DIRECTORY) }];
};

/** Another directory is created if it is missing. One that exists may hold anything, so its owner stays. */
const directorySteps = (path: string): Step[] =>
  existsSync(path) ? [] : [{ what: `create ${path}`, run: () => makeDirectory(path) }];

const wantedEnvironment = ({ groups, given }: InstallOptions): string => {
  const { DATA_DIR = STATE_DIRECTORY } = readVariables(readText(ENVIRONMENT_PATH) ?? "");
  if (DATA_DIR !== STATE_DIRECTORY)
    throw new OperatorError(`DATA_DIR in ${ENVIRONMENT_PATH} must be ${STATE_DIRECTORY}: remove the line`);
  const text = readText(ENVIRONMENT_PATH) ?? environmentTemplate(groups);
  return setVariables(text, { DATA_DIR, ...given });
};

const environmentStep = (wanted: string, given: Readonly<Record<string, string>>): Step[] => {
  const current = readText(ENVIRONMENT_PATH);
  if (current === wanted) return [];
  const names = Object.keys(given).join(", ");
  return [
    {
      what: `${current === undefined ? "create" : "change"} ${ENVIRONMENT_PATH}${names && `, with ${names}`}`,
      run: async () => writeFileAs(ENVIRONMENT_PATH, wanted, 0o640, { uid: 0, gid: (await owner()).gid }),
    },
  ];
};

const unitSteps = (writable: readonly string[], given: string | undefined): Step[] => {
  const current = readText(UNIT_PATH);
  const wanted = systemdUnit({ writable, memoryMax: given ?? memoryMaxOf(current ?? "") });
  if (current === wanted) return [];
  if (current !== undefined && !current.startsWith(UNIT_MARK))
    throw new OperatorError(`${UNIT_PATH} was not written by adoption-store: move it away`);
  return [
    {
      what: `${current === undefined ? "create" : "change"} ${UNIT_PATH}`,
      run: async () => {
        await writeFileAs(UNIT_PATH, wanted, 0o644);
        await must("systemctl", "daemon-reload");
      },
    },
  ];
};

const START_MS = 90_000;

/** @throws OperatorError with the reason if it does not serve */
const start = async (verb: "start" | "restart") => {
  const reason = await startService(verb, START_MS);
  if (reason !== undefined)
    throw new OperatorError(
      `the service does not start: ${reason} (journalctl --unit adoption-store shows its log)`,
    );
};

const startSteps = async (isChanged: boolean, mustStart: boolean): Promise<Step[]> => {
  const { active, isEnabled } = await unitState();
  const enable = {
    what: "start the service at boot",
    run: () => must("systemctl", "enable", SERVICE),
  };
  const verb = active === "active" ? "restart" : "start";
  return [
    ...(isEnabled ? [] : [enable]),
    ...(!mustStart || (active === "active" && !isChanged)
      ? []
      : [{ what: `${verb} the service, and wait until it serves`, run: () => start(verb) }]),
  ];
};

/** The remaining steps until the service runs as it should; nothing if it does. @throws OperatorError */
export const planInstall = async (options: InstallOptions): Promise<Step[]> => {
  const environment = wantedEnvironment(options);
  const writable = options.check(readVariables(environment));
  const user = await userOwner();
  const steps = [
    ...(await executableStep(options.executable)),
    ...(user ? [] : [{ what: `create the user ${USER}`, run: () => must(...CREATE_USER) }]),
    ...stateSteps(user),
    ...writable.flatMap(directorySteps),
    ...environmentStep(environment, options.given),
    ...unitSteps(writable, options.memoryMax),
  ];
  return [...steps, ...(await startSteps(steps.length > 0, options.start))];
};

/** The remaining steps until the service is gone. Settings, executable and data stay. */
export const planUninstall = async (): Promise<Step[]> => {
  const user = await userOwner();
  const unit: Step[] = isInstalled()
    ? [
        { what: "stop the service", run: () => must("systemctl", "disable", "--now", SERVICE) },
        {
          what: `remove ${UNIT_PATH}`,
          run: async () => {
            rmSync(UNIT_PATH);
            await must("systemctl", "daemon-reload");
          },
        },
      ]
    : [];
  if (!user) return unit;
  // Another user could get the number of the removed one, and with it the data.
  const keep = { what: `give ${STATE_DIRECTORY} to root`, run: () => chown(STATE_DIRECTORY, ROOT) };
  return [
    ...unit,
    ...(existsSync(STATE_DIRECTORY) ? [keep] : []),
    { what: `remove the user ${USER}`, run: () => must("userdel", USER) },
  ];
};
