import { totalmem } from "node:os";
import { isAbsolute, relative } from "node:path";
import { VERSION } from "../lib/version.ts";
import { type Config, ConfigError, readConfig, type Sources } from "../config/config.ts";
import { readDefaultConfigFile } from "../config/file.ts";
import { bytes } from "../config/parse.ts";
import { SETTING_GROUPS, SETTING_NAMES, SETTINGS } from "../config/settings.ts";
import { assertKnownVariables } from "../config/typos.ts";
import { adminKeyPath } from "../data/data-dir/paths.ts";
import { sudoCommand } from "../data/data-dir/shell.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { composeFile, containerfile, type Site, caddyfile, nginxSite } from "../operate/service/container.ts";
import { planInstall, planUninstall, type Step } from "../operate/service/install.ts";
import {
  ENVIRONMENT_PATH,
  EXECUTABLE_PATH,
  STATE_DIRECTORY,
  USER,
  systemdUnit,
} from "../operate/service/unit.ts";
import { assertCanManage, hasSystemd, unitState } from "../operate/service/systemd.ts";
import { readUnitEnvironment, type UnitEnvironment } from "../operate/service/environment.ts";
import { command, group } from "./command.ts";
import { assertConfirmed, UsageError } from "./input.ts";
import { note, print } from "./print/output.ts";
import { describeUnstarted, availableConfig } from "./settings.ts";

/** The settings of the service, regardless of this process's environment. @throws ConfigError */
export const serviceConfig = (
  { variables, places }: UnitEnvironment = readUnitEnvironment(
    sudoCommand(USER, undefined),
    assertKnownVariables,
  ),
): Config =>
  readConfig({
    flags: {},
    env: { ...variables, DATA_DIR: STATE_DIRECTORY },
    places,
    file: readDefaultConfigFile(STATE_DIRECTORY),
    isTerminal: false,
  });

/** The settings that these variables of the environment file would give the service. @throws ConfigError */
const plannedConfig = (variables: Readonly<Record<string, string>>): Config => {
  const places = Object.fromEntries(Object.keys(variables).map((name) => [name, ENVIRONMENT_PATH]));
  assertKnownVariables(Object.entries(places).map(([name, place]) => ({ name, place })));
  return serviceConfig({ variables, places });
};

/** The server and its workers need this much memory under load. */
const MIN_MEMORY = 256 * 2 ** 20;
const MAX_MEMORY = 1024 * 2 ** 30;

/** @param total the machine's memory, in bytes */
const memoryLimitOf = (text: string, total: number): string | undefined => {
  const [, percent] = /^([1-9]\d?|100)%$/.exec(text) ?? [];
  if (percent === undefined) return bytes(MIN_MEMORY, MAX_MEMORY)(text)?.toString();
  return (total * Number(percent)) / 100 >= MIN_MEMORY ? text : undefined;
};

/** The value of `--memory-max` as systemd.resource-control(5) reads it. @throws UsageError */
export const parseMemoryMax = (text: string, total = totalmem()): string => {
  const limit = memoryLimitOf(text, total);
  if (limit !== undefined) return limit;
  throw new UsageError(
    `--memory-max: ${JSON.stringify(text)} must be a share of the machine's memory such as 75%, or a size such as 2GiB, of at least 256MiB`,
  );
};

const FILES = {
  systemd: () => systemdUnit(),
  container: containerfile,
  compose: composeFile,
  caddy: caddyfile,
  nginx: nginxSite,
} as const satisfies Record<string, (site: Site) => string>;
const FILE_NAMES = Object.keys(FILES) as (keyof typeof FILES)[];

const EXAMPLE_URL = SETTINGS.baseUrl.form.replace(/^.* such as /, "");

const printFile = command({
  name: "print",
  description: "print a working file for a service manager, a container or a reverse proxy",
  takes: { "<file>": { text: "which file", choices: FILE_NAMES } },
  settings: ["baseUrl", "port", "deployLimit"],
  examples: {
    "Put Caddy in front of the server": "caddy --base-url https://adopt.example.org",
    "Write the file of a container image": "container > Containerfile",
  },
  run({ file, ...flags }) {
    const { baseUrl = EXAMPLE_URL, port, deployLimit } = availableConfig(flags);
    const site: Site = { baseUrl, port, maxUploadBytes: deployLimit };
    process.stdout.write(FILES[file](site));
  },
});

/** All settings but DATA_DIR, which a service has at a fixed place. */
const NAMES = SETTING_NAMES.filter((name) => name !== "dataDir");

const givenSettings = (flags: Sources["flags"]): Record<string, string> =>
  Object.fromEntries(
    NAMES.filter((name) => flags[name] !== undefined).map((name) => [
      SETTINGS[name].env,
      String(flags[name]),
    ]),
  );

/** ProtectHome hides these from the service. */
const HIDDEN = /^\/(home|root|run\/user)(\/|$)/;

/** Checks the settings of the service. @returns the directories outside DATA_DIR that it writes @throws ConfigError */
const writableDirectories = (variables: Readonly<Record<string, string>>): string[] => {
  const { backupDir } = plannedConfig(variables);
  if (!isAbsolute(backupDir))
    throw new ConfigError(`BACKUP_DIR: a service needs an absolute path, not ${backupDir}`);
  if (HIDDEN.test(backupDir))
    throw new ConfigError(
      `BACKUP_DIR: a service sees no home directories: choose another place than ${backupDir}`,
    );
  return relative(STATE_DIRECTORY, backupDir).startsWith("..") ? [backupDir] : [];
};

const runSteps = async (steps: readonly Step[], isDryRun: boolean): Promise<void> => {
  for (const { what, run } of steps) {
    if (isDryRun) {
      print(`Would ${what}`);
      continue;
    }
    note(what);
    await run();
  }
};

const printInstalled = (): void => {
  const { baseUrl, host, port } = serviceConfig();
  const address = baseUrl ?? `http://${host === "0.0.0.0" || host === "::" ? "localhost" : host}:${port}`;
  print(`The service adoption-store ${VERSION} is running, and starts at boot.`);
  print(`  Address:   ${address}`);
  print(`  Data:      ${STATE_DIRECTORY}`);
  print(`  Settings:  ${ENVIRONMENT_PATH} (then: systemctl restart adoption-store)`);
  print(`  Log:       journalctl --unit adoption-store`);
  print(`  Admin key: sudo cat ${adminKeyPath(STATE_DIRECTORY)} (all scopes, for programs)`);
  print("Next: sign in to the console with a link that works once:");
  print(`  sudo adoption-store people invite --first --data-dir ${STATE_DIRECTORY}`);
};

const install = command({
  name: "install",
  description: "install and start the service: user, directories, settings and a systemd unit",
  takes: {
    "--no-start": "do not start the service now, for example to restore a backup first",
    "--memory-max <limit>": "maximum memory of the service: a share such as 75%, or a size such as 2GiB",
    "--dry-run": "show what would be done, and change nothing",
  },
  settings: NAMES,
  isIndependent: true,
  examples: {
    "Install it with its public address": "--base-url https://adopt.example.org",
    "Put it behind a reverse proxy later": "--trust-proxy 1",
    "Serve HTTP and HTTPS on all addresses": "--host 0.0.0.0 --http-port 80 --https-port 443",
  },
  notes: [
    `Flags are written to ${ENVIRONMENT_PATH}. Other settings keep their value there, so the command can be repeated.`,
    "The unit stores --memory-max. Later installations keep it. The default is 75% of the machine's memory.",
    `The data is in ${STATE_DIRECTORY}, and the executable is ${EXECUTABLE_PATH}.`,
  ],
  async run({ start, memoryMax, dryRun = false, ...settings }) {
    const flags: Sources["flags"] = settings;
    if (flags["dataDir"] !== undefined)
      throw new UsageError(
        `--data-dir: the service keeps its data in ${STATE_DIRECTORY}: leave the flag out`,
      );
    // A wrong flag is named as a flag, not as the variable that it would become.
    readConfig({ flags: flags, env: {}, isTerminal: false });
    const limit = memoryMax === undefined ? undefined : parseMemoryMax(memoryMax);
    if (!dryRun || !hasSystemd()) assertCanManage("adoption-store service install");
    if (!Bun.isStandaloneExecutable)
      throw new OperatorError("only the executable can install itself: build it with bun run build");
    const steps = await planInstall({
      executable: process.execPath,
      groups: Object.fromEntries(
        Object.entries(SETTING_GROUPS).map(([heading, settings]) => [heading, Object.values(settings)]),
      ),
      given: givenSettings(flags),
      check: writableDirectories,
      start,
      memoryMax: limit,
    });
    if (dryRun && steps.length === 0) print("Nothing would change.");
    await runSteps(steps, dryRun);
    if (dryRun) return;
    if (start) return printInstalled();
    const isRunning = (await unitState()).active === "active";
    print(describeUnstarted({ isRunning, isChanged: steps.length > 0 }));
  },
});

const uninstall = command({
  name: "uninstall",
  description: "stop and remove the service and its user; data, settings and executable stay",
  takes: { "--yes": "do not ask", "--dry-run": "show what would be done, and change nothing" },
  isIndependent: true,
  examples: { "See what would be removed": "--dry-run" },
  async run({ yes, dryRun = false }) {
    assertCanManage("adoption-store service uninstall");
    const steps = await planUninstall();
    if (steps.length === 0) return print("The service is not installed.");
    const question = `Remove the service and the user adoption-store? The data in ${STATE_DIRECTORY} stays.`;
    await assertConfirmed(dryRun || yes, question, "Nothing was removed.");
    await runSteps(steps, dryRun);
    if (dryRun) return;
    print("The service is removed. Remove these yourself when you no longer need them:");
    for (const path of [STATE_DIRECTORY, ENVIRONMENT_PATH, EXECUTABLE_PATH]) print(`  ${path}`);
  },
});

export const serviceCommand = group({
  name: "service",
  description: "run the server as a service that starts at boot",
  commands: [install, uninstall, printFile],
});
