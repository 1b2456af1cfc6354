import { expect } from "bun:test";
import { openOnce } from "../support/ends.ts";
import { DEBIAN_PROGRAMS, type Debian, prepareDebian, startDebian } from "./debian.ts";
import { EXECUTABLE, areInstalled, directory, real, until } from "./support.ts";
import { NEW_MIGRATION, buildVariant } from "./variants.ts";

const test = real(...DEBIAN_PROGRAMS);

prepareDebian();

const build = openOnce(async () => {
  if (!areInstalled(DEBIAN_PROGRAMS)) return undefined;
  return buildVariant(directory(), "9.1.0", [NEW_MIGRATION]);
});

/** The standard output and standard error of a command. */
const printed = async (machine: Debian, command: string): Promise<{ code: number; text: string }> => {
  const { code, stdout } = await machine.run(`exec 2>&1; ${command}`);
  return { code, text: stdout };
};

/** The command that a text recommends. */
const advised = (text: string, pattern: RegExp): string => {
  const [, command] = pattern.exec(text) ?? [];
  if (command === undefined) throw new Error(`there is no ${pattern} in:\n${text}`);
  return command;
};

/**
 * An operator who types only commands that the program has printed. Names of files, requests to the API and the mistakes come
 * from the test.
 */
const operator = (machine: Debian) => ({
  /** Runs a command that must succeed. */
  async follow(command: string): Promise<string> {
    const { code, text } = await printed(machine, command);
    expect([command, code, text]).toEqual([command, 0, text]);
    return text;
  },
  /** Runs a command that must fail. */
  async fail(command: string): Promise<string> {
    const { code, text } = await printed(machine, command);
    expect([command, code !== 0, text]).toEqual([command, true, text]);
    return text;
  },
});

/** The warnings of `status` or `doctor`. */
const warningsIn = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("warning"))
    .map((line) => line.replace(/^warning +/, ""));

const NO_BACKUPS =
  "backups: none are scheduled: set BACKUP_SCHEDULE=24h and the server takes them, or run adoption-store backup DIRECTORY on your own schedule";

const call = (key: string, path: string, body?: string) =>
  `curl --silent --fail --header "Authorization: Bearer ${key}" ${body === undefined ? "" : `--json '${body}'`} http://localhost:3000/v1${path}`;

test("a fresh machine goes through installation, a wrong setting, its repair, backup, restore, upgrade and rollback by the program's own advice", async () => {
  const machine = await startDebian();
  machine.copyIn(EXECUTABLE, "/root/adoption-store");
  machine.copyIn(build() ?? "", "/root/newer");
  // The image has no sudo, and these commands run as root anyway. Like sudo, it drops the environment.
  await machine.must(
    'printf \'#!/bin/sh\\nexec env -i PATH="$PATH" "$@"\\n\' > /usr/local/bin/sudo; chmod +x /usr/local/bin/sudo',
  );
  const { follow, fail } = operator(machine);

  // Install.
  const start = await follow("./adoption-store");
  const help = await follow(`./${advised(start, /All commands: (adoption-store help)/)}`);
  /** A command as `help`, or the help of a group, lists it. */
  const listed = (name: string, text = help): string => advised(text, new RegExp(`^ +(${name}) `, "m"));
  const installed = await follow(`./${advised(start, /^ *(adoption-store service install) /m)}`);
  const key = (await follow(advised(installed, /(sudo cat \S+)/))).trim();
  const addAnimal = (name: string) => follow(call(key, "/pets", `{"name":"${name}","categoryId":1}`));
  await addAnimal("Bella");
  const status = advised(start, /^ *(adoption-store status) /m);
  expect(warningsIn(await follow(status))).toEqual([]);
  const doctor = `adoption-store ${listed("doctor")}`;
  expect(warningsIn(await follow(doctor))).toEqual([NO_BACKUPS]);

  // A misspelt setting.
  const [, settings = ""] = /Settings: +(\S+)/.exec(installed) ?? [];
  const restart = advised(installed, /\(then: (systemctl restart adoption-store)\)/);
  await machine.must(`echo BODY_LIMTI=lots >> ${settings}`);
  await fail(restart);
  const misspelt = await fail(status);
  const [, file = "", line = "", wrong = "", right = ""] =
    /invalid: (\S+):(\d+): there is no setting (\w+)\. Did you mean (\w+)\?/.exec(misspelt) ?? [];
  expect(file).toBe(settings);
  await machine.must(`sed -i '${line}s/${wrong}/${right}/' ${file}`);

  // A wrong value, and the missing schedule of backups.
  await fail(advised(misspelt, /then run: (sudo systemctl restart adoption-store)/));
  const invalid = await fail(doctor);
  const [, place = "", form = ""] =
    /FAILED {2}settings: \S+:(\d+): BODY_LIMIT: "lots" must be (.*)/.exec(invalid) ?? [];
  const value = advised(form, /such as (\d+[KM]iB)/);
  await machine.must(`sed -i '${place}s/lots/${value}/' ${file}`);
  await machine.must(`echo ${advised(invalid, /set (BACKUP_SCHEDULE=\w+) /)} >> ${settings}`);
  await follow(advised(invalid, /then run: (sudo systemctl restart adoption-store)/));
  expect(warningsIn(await follow(status))).toEqual([]);
  expect(warningsIn(await follow(doctor))).toEqual([]);
  const groups = await follow(`adoption-store ${listed("config")} --help`);
  expect(await follow(`adoption-store config ${listed("show", groups)}`)).toMatch(
    new RegExp(`^body_limit +${value} +${settings}:${place}$`, "m"),
  );

  // Backup: by the schedule, and by hand.
  const animals = async () =>
    (JSON.parse(await follow(call(key, "/pets"))) as { name: string }[]).map(({ name }) => name);
  const isScheduledOneTaken = async () => /^backups .* ago, in \/\S+$/m.test(await follow(status));
  await until("the schedule has taken a backup", isScheduledOneTaken);
  await addAnimal("Rex");
  const backup = `adoption-store ${listed("backup")}`;
  await follow(`${backup} before.db`);
  await addAnimal("Milo");
  const backupHelp = await follow(`${backup} --help`);
  const check = advised(backupHelp, /^ *(adoption-store backup --check) /m);
  expect(await follow(`${check} before.db`)).toContain("can be restored");

  // Restore, first that by hand.
  const restore = advised(backupHelp, /(adoption-store restore) /);
  const refused = await fail(`${restore} before.db`);
  const stop = advised(refused, /stop that server with (sudo systemctl stop adoption-store)/);
  await follow(stop);
  const stopped = await fail(status);
  expect(warningsIn(stopped)).toEqual([
    "The service is stopped. Start it: sudo systemctl start adoption-store",
  ]);
  const asked = await fail(`${restore} before.db`);
  const restored = await follow(`${restore} before.db ${advised(asked, /(--yes)/)}`);
  const startAgain = advised(restored, /To start the server: (.+)/);
  await follow(startAgain);
  expect(await animals()).toEqual(["Bella", "Rex"]);
  const restoreLatest = advised(await follow(`${restore} --help`), /^ *(adoption-store restore latest)$/m);
  await follow(stop);
  expect(await follow(`${restoreLatest} --yes`)).toMatch(
    /Using the newest valid backup: \/var\/lib\/\S+\.db\n/,
  );
  await follow(startAgain);
  expect(await animals()).toEqual(["Bella"]);

  // Upgrade, and an earlier version that cannot open the database any more.
  const version = `adoption-store ${listed("version")}`;
  const upgrade = `adoption-store ${listed("upgrade")}`;
  await follow(`${upgrade} ./newer`);
  expect(await follow(version)).toContain("9.1.0");
  expect(await animals()).toEqual(["Bella"]);
  await addAnimal("Luna");
  const tooOld = await fail(`${upgrade} ./adoption-store`);
  expect(tooOld).toMatch(
    /\.\/adoption-store cannot open the database: its newest migration is \d{4}_\w+, and the database has 9999_next\./,
  );
  expect(await follow(version)).toContain("9.1.0");
  expect(await animals()).toEqual(["Bella", "Luna"]);

  // Rollback, which the program announces to lose the animal.
  const back = advised(tooOld, /To go back to the previous version, run (.+)\./);
  const unanswered = await fail(back);
  expect(unanswered).toMatch(/The database goes back to \S+Z, too: later writes are lost\./);
  await follow(`${back} ${advised(unanswered, /(--yes)/)}`);
  expect(await follow(version)).not.toContain("9.1.0");
  expect(await animals()).toEqual(["Bella"]);

  expect(await machine.must("find /var/lib/adoption-store ! -user adoption-store")).toBe("");
  expect(warningsIn(await follow(status))).toEqual([]);
  expect(warningsIn(await follow(doctor))).toEqual([]);
});
