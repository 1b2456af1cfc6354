import { totalmem } from "node:os";
import { isAbsolute, relative } from "node:path";
import { Argument, Command } from "commander";
import { VERSION } from "../app/version.ts";
import { type Config, ConfigError, readConfig, type Sources } from "../config/config.ts";
import { readDefaultConfigFile } from "../config/file.ts";
import { bytes } from "../config/parse.ts";
import { SETTING_GROUPS, type SettingName, SETTINGS } from "../config/settings.ts";
import { assertKnownVariables } from "../config/typos.ts";
import { adminKeyPath } from "../data-dir/paths.ts";
import { sudoCommand } from "../data-dir/shell.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { composeFile, containerfile, type Site, caddyfile, nginxSite } from "../service/container.ts";
import { planInstall, planUninstall, type Step } from "../service/install.ts";
import { ENVIRONMENT_PATH, EXECUTABLE_PATH, STATE_DIRECTORY, USER, systemdUnit } from "../service/unit.ts";
import { assertCanManage, hasSystemd, unitState } from "../service/systemd.ts";
import { readUnitEnvironment, type UnitEnvironment } from "../service/environment.ts";
import { confirm } from "./confirm.ts";
import { withoutSettings } from "./help/options.ts";
import { withExamples, withTexts } from "./help/texts.ts";
import { note, print } from "./print/output.ts";
import { describeUnstarted } from "./service-state.ts";
import { availableConfig, withSettings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

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

/** The files that `service print` can print. */
const FILES: Readonly<Record<string, (site: Site) => string>> = {
  systemd: () => systemdUnit(),
  container: containerfile,
  compose: composeFile,
  caddy: caddyfile,
  nginx: nginxSite,
};

const EXAMPLE_URL = SETTINGS.baseUrl.form.replace(/^.* such as /, "");

const printFileCommand = (): Command =>
  withExamples(
    withSettings(
      new Command("print")
        .description("print a working file for a service manager, a container or a reverse proxy")
        .addArgument(new Argument("<file>", "which file").choices(Object.keys(FILES))),
      ["baseUrl", "port", "deployLimit"],
    ),
    [
      "Put Caddy in front of the server",
      "adoption-store service print caddy --base-url https://adopt.example.org",
    ],
    ["Write the file of a container image", "adoption-store service print container > Containerfile"],
  ).action((file: string, options: Record<string, unknown>) => {
    const { baseUrl = EXAMPLE_URL, port, deployLimit } = availableConfig(options);
    process.stdout.write(FILES[file]?.({ baseUrl, port, maxUploadBytes: deployLimit }) ?? "");
  });

interface Options extends Record<string, unknown> {
  dryRun?: boolean;
  start: boolean;
  memoryMax?: string;
  yes?: boolean;
  dataDir?: string;
}

/** All settings but DATA_DIR, which a service has at a fixed place. */
const NAMES = (Object.keys(SETTINGS) as SettingName[]).filter((name) => name !== "dataDir");

/** The settings among the flags of a command, by variable. */
const givenSettings = (options: Options): Record<string, string> =>
  Object.fromEntries(
    NAMES.filter((name) => options[name] !== undefined).map((name) => [
      SETTINGS[name].env,
      String(options[name]),
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

const installCommand = (): Command =>
  withTexts(
    withExamples(
      withoutSettings(
        withSettings(
          new Command("install")
            .description("install and start the service: user, directories, settings and a systemd unit")
            .option("--no-start", "do not start the service now, for example to restore a backup first")
            .option(
              "--memory-max <limit>",
              "maximum memory of the service: a share such as 75%, or a size such as 2GiB",
            )
            .option("--dry-run", "show what would be done, and change nothing"),
          NAMES,
        ),
      ),
      [
        "Install it with its public address",
        "adoption-store service install --base-url https://adopt.example.org",
      ],
      ["Put it behind a reverse proxy later", "adoption-store service install --trust-proxy 1"],
      [
        "Serve HTTP and HTTPS on all addresses",
        "adoption-store service install --host 0.0.0.0 --http-port 80 --https-port 443",
      ],
    ),
    {
      notes: [
        `Flags are written to ${ENVIRONMENT_PATH}. Settings that are not given keep the value they have there, so the command can be repeated.`,
        "The unit stores --memory-max. Later installations keep it. The default is 75% of the machine's memory.",
        `The data is in ${STATE_DIRECTORY}, and the executable is ${EXECUTABLE_PATH}.`,
      ],
    },
  ).action(async (options: Options) => {
    if (options.dataDir !== undefined)
      throw new UsageError(
        `--data-dir: the service keeps its data in ${STATE_DIRECTORY}: leave the flag out`,
      );
    // A wrong flag is named as a flag, not as the variable that it would become.
    readConfig({ flags: options as Sources["flags"], env: {}, isTerminal: false });
    const memoryMax = options.memoryMax === undefined ? undefined : parseMemoryMax(options.memoryMax);
    const isDryRun = options.dryRun === true;
    if (!isDryRun || !hasSystemd()) assertCanManage("adoption-store service install");
    if (!Bun.isStandaloneExecutable)
      throw new OperatorError("only the executable can install itself: build it with bun run build");
    const steps = await planInstall({
      executable: process.execPath,
      groups: Object.fromEntries(
        Object.entries(SETTING_GROUPS).map(([heading, settings]) => [heading, Object.values(settings)]),
      ),
      given: givenSettings(options),
      check: writableDirectories,
      start: options.start,
      memoryMax,
    });
    if (isDryRun && steps.length === 0) print("Nothing would change.");
    await runSteps(steps, isDryRun);
    if (isDryRun) return;
    if (options.start) return printInstalled();
    const isRunning = (await unitState()).active === "active";
    print(describeUnstarted({ isRunning, isChanged: steps.length > 0 }));
  });

const uninstallCommand = (): Command =>
  withExamples(
    withoutSettings(
      new Command("uninstall")
        .description("stop and remove the service and its user; data, settings and executable stay")
        .option("--yes", "do not ask")
        .option("--dry-run", "show what would be done, and change nothing"),
    ),
    ["See what would be removed", "adoption-store service uninstall --dry-run"],
  ).action(async (options: Options) => {
    assertCanManage("adoption-store service uninstall");
    const steps = await planUninstall();
    if (steps.length === 0) return print("The service is not installed.");
    const question = `Remove the service and the user adoption-store? The data in ${STATE_DIRECTORY} stays.`;
    if (!options.dryRun && !options.yes && !(await confirm(question))) return print("Nothing was removed.");
    await runSteps(steps, options.dryRun === true);
    if (options.dryRun) return;
    print("The service is removed. Remove these yourself when you no longer need them:");
    for (const path of [STATE_DIRECTORY, ENVIRONMENT_PATH, EXECUTABLE_PATH]) print(`  ${path}`);
  });

export const serviceCommand = (): Command =>
  new Command("service")
    .description("run the server as a service that starts at boot")
    .addCommand(installCommand())
    .addCommand(uninstallCommand())
    .addCommand(printFileCommand());
