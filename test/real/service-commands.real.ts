import { expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openOnce } from "../support/ends.ts";
import { readVariables } from "../../src/operate/service/environment.ts";
import { DEBIAN_PROGRAMS, prepareDebian, startDebian } from "./debian.ts";
import { EXECUTABLE, areInstalled, real } from "./support.ts";

const test = real(...DEBIAN_PROGRAMS);

prepareDebian();

const DATA = "/var/lib/adoption-store";
const FILE = "/etc/adoption-store/environment";
const DROP_INS = "/etc/systemd/system/adoption-store.service.d";

/** A bare Debian where the service runs, and a user without rights. */
const installed = openOnce(async () => {
  if (!areInstalled(DEBIAN_PROGRAMS)) return undefined;
  const machine = await startDebian();
  machine.copyIn(EXECUTABLE, "/root/adoption-store");
  await machine.must("./adoption-store service install --backup-schedule 24h");
  await machine.must("useradd --create-home bob; mkdir /root/elsewhere");
  return machine;
});

const open = () => {
  const machine = installed();
  if (!machine) throw new Error("there is no machine");
  return {
    machine,
    /** Runs a command in a directory without a store. */
    elsewhere: (command: string) => machine.run(`cd /root/elsewhere; adoption-store ${command}`),
    /** Sets a line of the environment file. @returns its number */
    set: async (line: string): Promise<string> => {
      const [name = ""] = line.split("=");
      await machine.must(`sed -i '/^${name}=/d' ${FILE}; echo '${line}' >> ${FILE}`);
      return (await machine.must(`wc --lines < ${FILE}`)).trim();
    },
    /** Adds lines to the section Service of the unit. */
    override: (...lines: string[]) => {
      const directory = join(machine.root, DROP_INS);
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, "own.conf"), ["[Service]", ...lines, ""].join("\n"));
      return machine.must("systemctl daemon-reload");
    },
    /** Creates an empty store in `data` below a directory. */
    createStore: (directory: string) =>
      machine.must(`mkdir --parents ${directory}; cd ${directory}
        adoption-store serve --port 3999 > /dev/null &
        curl --silent --fail --output /dev/null --retry 60 --retry-delay 1 --retry-all-errors http://localhost:3999/readyz
        kill $!
        wait $!`),
    /** Restarts the service with its previous settings in the end. */
    async restoring(work: () => Promise<void>): Promise<void> {
      const file = join(machine.root, FILE);
      const before = readFileSync(file);
      try {
        await work();
      } finally {
        writeFileSync(file, before);
        await machine.must(
          `rm --recursive --force ${DROP_INS}; systemctl daemon-reload
          systemctl reset-failed adoption-store; systemctl restart adoption-store`,
        );
      }
      expect((await machine.run("cd /root/elsewhere; adoption-store status")).code).toBe(0);
    },
  };
};

test("a service that was just installed needs nothing", async () => {
  const { elsewhere } = open();
  const status = await elsewhere("status");
  expect(status.code).toBe(0);
  expect(status.stdout).not.toMatch(/overdue|certificate/);
  const doctor = await elsewhere("doctor --quick");
  expect(doctor.code).toBe(0);
  expect(doctor.stdout).not.toContain("start the server");
});

test("a command in another directory works on the service's store, and creates no other", async () => {
  const { machine, elsewhere } = open();
  const created = await elsewhere("keys create --name web --scope pets:read --json");
  expect(created.code).toBe(0);
  expect(created.stderr).toMatch(
    /^adoption-store: using the store of the service adoption-store, \/var\/lib\/adoption-store \(\/etc\/adoption-store\/environment:\d+\)\n$/,
  );
  const { id, secret } = JSON.parse(created.stdout) as { id: number; secret: string };
  const used = `curl --silent --fail --header 'Authorization: Bearer ${secret}' http://localhost:3000/v1/pets`;
  expect(await machine.must(used)).not.toContain("Rex");
  await machine.must("printf 'name,category\\nRex,Dog\\n' > /root/animals.csv");
  for (const command of [
    "categories add Dog",
    "import ../animals.csv",
    "doctor --quick",
    "status",
    `backup ${DATA}/own.db`,
  ]) {
    expect([command, (await elsewhere(command)).code]).toEqual([command, 0]);
    expect([command, await machine.must(`find ${DATA} ! -user adoption-store`)]).toEqual([command, ""]);
  }
  expect(existsSync(join(machine.root, "root/elsewhere/data"))).toBe(false);
  expect(await machine.must(used)).toContain("Rex");
  await machine.must(`rm /root/animals.csv ${DATA}/own.db; adoption-store keys revoke ${id} --yes`);
});

test("a store in the working directory, DATA_DIR and --data-dir come before the service's", async () => {
  const { machine, elsewhere, createStore } = open();
  await createStore("/root/own");
  expect((await elsewhere("categories add Fish")).code).toBe(0);
  const list = "adoption-store categories list";
  const empty = { code: 0, stdout: expect.stringContaining("No categories"), stderr: "" };
  expect(await machine.run(`cd /root/own; ${list}`)).toEqual(empty);
  expect(await machine.run(`cd /root/elsewhere; DATA_DIR=/root/own/data ${list}`)).toEqual(empty);
  expect(await machine.run(`cd /root/elsewhere; ${list} --data-dir /root/own/data`)).toEqual(empty);
  const services = { code: 0, stdout: expect.stringContaining("Fish"), stderr: "" };
  expect(await machine.run(`cd /root/own; DATA_DIR=${DATA} ${list}`)).toEqual(services);
  expect(await machine.run(`cd /root/own; ${list} --data-dir ${DATA}`)).toEqual(services);
  const none = await machine.run(`cd /root/elsewhere; DATA_DIR=/root/none ${list}`);
  expect([none.code, none.stdout]).toEqual([1, ""]);
  expect(none.stderr).toStartWith("adoption-store: DATA_DIR /root/none: there is no database.");
  expect(existsSync(join(machine.root, "root/none"))).toBe(false);
  await machine.must("rm --recursive /root/own; adoption-store categories delete Fish --yes");
});

test("config show names the line of the service's environment file", async () => {
  const { machine, elsewhere, set, override, restoring } = open();
  await restoring(async () => {
    const line = await set("BODY_LIMIT=128KiB");
    for (const flags of ["", ` --data-dir ${DATA}`])
      expect((await elsewhere(`config show${flags}`)).stdout).toMatch(
        new RegExp(`^body_limit +128KiB +${FILE}:${line}$`, "m"),
      );
    expect(
      (await machine.must("BODY_LIMIT=1MiB adoption-store config show")).match(/^body_limit.*/m)?.[0],
    ).toMatch(/1MiB +BODY_LIMIT$/);
    await override('Environment="OIDC_LABEL=our login"');
    expect((await elsewhere("config show")).stdout).toMatch(
      /^oidc_label +our login +\/etc\/systemd\/.+service$/m,
    );
  });
});

test("doctor and status quote why the service does not start", async () => {
  const { machine, elsewhere, set, restoring } = open();
  await restoring(async () => {
    const line = await set("BODY_LIMIT=lots");
    expect((await machine.run("systemctl restart adoption-store")).code).not.toBe(0);
    const said = (
      await machine.must(
        "journalctl --unit adoption-store SYSLOG_IDENTIFIER=adoption-store --output cat --lines 1",
      )
    ).trim();
    expect(said).toContain('BODY_LIMIT: "lots" must be');
    const remedy = `Its last message: ${said}. Correct the cause, then run: sudo systemctl restart adoption-store`;
    const doctor = await elsewhere("doctor --quick");
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain(`FAILED  settings: ${FILE}:${line}: BODY_LIMIT: "lots" must be`);
    expect(doctor.stdout).toMatch(/^FAILED {2}server: The service has failed \(exit-code\)\./m);
    expect(doctor.stdout).toContain(remedy);
    const status = await elsewhere("status");
    expect(status.code).toBe(1);
    expect(status.stdout).toStartWith("server     failed\n");
    expect(status.stdout).toContain(remedy);
    expect(status.stdout).not.toContain("Start the server");
    const shown = await elsewhere("config show");
    expect(shown.code).toBe(2);
    expect(shown.stdout).toMatch(new RegExp(`^body_limit +lots +${FILE}:${line}$`, "m"));
    expect(shown.stderr).toContain(remedy);
  });
});

test("status quotes the service's last message even if the journal no longer knows its process", async () => {
  const { machine, elsewhere, override, restoring } = open();
  await restoring(async () => {
    // The line comes from another process than that of the unit's executable.
    await machine.must(`mkdir --parents /opt/other
        printf '#!/bin/sh\\nexec sh -c "echo the last line; exit 2"\\n' > /opt/other/adoption-store
        chmod +x /opt/other/adoption-store`);
    await override("ExecStart=", "ExecStart=/opt/other/adoption-store serve");
    expect((await machine.run("systemctl restart adoption-store")).code).not.toBe(0);
    expect((await elsewhere("status")).stdout).toContain("Its last message: the last line. Correct");
  });
  await machine.must("rm --recursive /opt/other");
});

test("doctor and status quote a service whose DATA_DIR it cannot create", async () => {
  const { machine, elsewhere, set, restoring } = open();
  await restoring(async () => {
    await set("DATA_DIR=/var/lib/other");
    expect((await machine.run("systemctl restart adoption-store")).code).not.toBe(0);
    for (const command of ["doctor --quick", "status"])
      expect((await elsewhere(command)).stdout).toMatch(
        /The service has failed .* Its last message: .*\/var\/lib\/other: cannot be created/,
      );
  });
});

test("an unknown name in the environment file stops the service and commands, with its line", async () => {
  const { machine, elsewhere, set, restoring } = open();
  await restoring(async () => {
    const line = await set("BODY_LIMTI=1MiB");
    const fault = `${FILE}:${line}: there is no setting BODY_LIMTI. Did you mean BODY_LIMIT?`;
    expect(await elsewhere("keys list")).toEqual({
      code: 2,
      stdout: "",
      stderr: `adoption-store: ${fault}\n`,
    });
    expect((await machine.run("systemctl restart adoption-store")).code).not.toBe(0);
    expect((await elsewhere("doctor --quick")).stdout).toContain(fault);
  });
});

test("another user gets the advice to use sudo, and never to change the owner", async () => {
  const { machine } = open();
  const asBob = (command: string) => machine.run(`su bob -c "cd; adoption-store ${command}"`);
  for (const command of ["keys list", `keys list --data-dir ${DATA}`, "status", "doctor", "backup b.db"]) {
    const { code, stdout, stderr } = await asBob(command);
    expect([command, code, stdout]).toEqual([command, 1, ""]);
    expect(stderr).toBe(
      `adoption-store: Only root and the user adoption-store can read ${FILE}, the settings of the service. Run: sudo adoption-store ${command}\n`,
    );
  }
  // These need no store.
  for (const command of ["openapi", "service print caddy", "check-domain --help"])
    expect([command, (await asBob(command)).code]).toEqual([command, 0]);
  const deploys = await asBob("deploys list --project docs");
  expect(deploys.stderr).toContain("no API key");
  const own = await machine.run("su adoption-store -s /bin/sh -c 'cd /; adoption-store keys list'");
  expect([own.code, own.stdout]).toEqual([0, expect.stringContaining("admin")]);
});

/** The variables A to J that systemd passes to a process with this environment file. */
const passedBySystemd = async (text: string): Promise<Record<string, string>> => {
  const { machine } = open();
  writeFileSync(join(machine.root, "root/variables"), text);
  const passed = await machine.must(
    "systemd-run --quiet --wait --pipe --property=EnvironmentFile=/root/variables env --null",
  );
  return Object.fromEntries(
    passed
      .split("\0")
      .filter((one) => /^[A-J]=/.test(one))
      .map((one) => [one[0], one.slice(2)]),
  );
};

test("an environment file is read as systemd reads it", async () => {
  const text = [
    "A=1\r",
    "B='it''s' \"two \"words  ",
    'C="a \\"b\\" \\$c \\n"',
    "D=one\\",
    "two",
    'E="one',
    'two"',
    "  F = 1 # 2",
    "G=x'y'",
    "H=\\ b\\ ",
    "no assignment",
    "I=",
    "#J=1",
    "A=3",
    "",
  ].join("\n");
  const variables = await passedBySystemd(text);
  expect(Object.keys(variables)).toHaveLength(9);
  expect(readVariables(text)).toEqual(variables);
});

test("the end of an environment file is read as systemd reads it", async () => {
  for (const end of [
    "A=1\\",
    "A=1  \\",
    "A='one\nB=2\n",
    'A="one\nB=2',
    'A="one\\',
    'A="one\\"',
    `A='x' "y`,
  ]) {
    const variables = await passedBySystemd(`C=3\n${end}`);
    expect([end, Object.keys(variables).toSorted()]).toEqual([end, ["A", "C"]]);
    expect([end, readVariables(`C=3\n${end}`)]).toEqual([end, variables]);
  }
});
