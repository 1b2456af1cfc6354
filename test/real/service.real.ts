import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openOnce } from "../support/ends.ts";
import { DEBIAN_PROGRAMS, type Debian, prepareDebian, startDebian } from "./debian.ts";
import { EXECUTABLE, directory, real, run, until } from "./support.ts";
import { ENDS_AT_START, NEVER_READY, NEW_MIGRATION, buildVariant } from "./variants.ts";

const test = real(...DEBIAN_PROGRAMS);

prepareDebian();

const VERSION = existsSync(EXECUTABLE) ? (await run([EXECUTABLE, "--version"])).stdout.trim() : "";
const DATA = "/var/lib/adoption-store";

/** A bare Debian with the executable in root's home. */
const debian = async (): Promise<Debian> => {
  const machine = await startDebian();
  machine.copyIn(EXECUTABLE, "/root/adoption-store");
  return machine;
};

/** A bare Debian where the service runs. */
const installed = async (...flags: string[]): Promise<Debian> => {
  const machine = await debian();
  await machine.must(`./adoption-store service install ${flags.join(" ")}`);
  return machine;
};

const mainPid = async (machine: Debian): Promise<number> =>
  Number(await machine.must("systemctl show adoption-store --property MainPID --value"));

/** The process ids of the workers. */
const workersOf = async (machine: Debian): Promise<number[]> => {
  const status = await machine.must(`adoption-store status --json --data-dir ${DATA}`);
  return (JSON.parse(status) as { server: { workers: { pid: number }[] } }).server.workers.map(
    ({ pid }) => pid,
  );
};

const state = async (machine: Debian): Promise<string> =>
  (await machine.must("systemctl show adoption-store --property ActiveState --value")).trim();

const ready = (machine: Debian): Promise<string> =>
  machine.must("curl --silent --max-time 5 http://localhost:3000/readyz");

const addAnimal = (machine: Debian, name: string): Promise<string> =>
  machine.must(
    `curl --silent --fail --header "Authorization: Bearer $(cat ${DATA}/admin.key)" --json '{"name":"${name}","categoryId":1}' http://localhost:3000/v1/pets`,
  );

const listAnimals = (machine: Debian): Promise<string> =>
  machine.must(
    `curl --silent --fail --header "Authorization: Bearer $(cat ${DATA}/admin.key)" http://localhost:3000/v1/pets`,
  );

test("the service is installed, serves ports 80 and 443 without root, and starts again with the machine", async () => {
  const machine = await debian();
  const plan = await machine.must("./adoption-store service install --dry-run");
  expect(plan).toContain("Would create the user adoption-store\n");
  expect(existsSync(join(machine.root, "usr/local/bin/adoption-store"))).toBe(false);

  const told = await machine.must(
    "./adoption-store service install --host 0.0.0.0 --http-port 80 --https-port 443 --base-url https://adopt.example.org --workers 2",
  );
  expect(told).toContain("is running, and starts at boot.");
  expect(told).toContain(`sudo cat ${DATA}/admin.key`);
  expect(told).toContain(`sudo adoption-store people invite --first --data-dir ${DATA}`);
  expect(await state(machine)).toBe("active");
  expect(await ready(machine)).toBe('{"status":"ready"}');
  expect(await machine.must("systemctl show adoption-store --property StatusText --value")).toBe("Ready\n");

  const pid = await mainPid(machine);
  const status = await machine.must(`cat /proc/${pid}/status; id --user adoption-store`);
  const uid = status.trim().split("\n").at(-1);
  expect(status).toMatch(new RegExp(`^Uid:\\t${uid}\\t${uid}\\t${uid}\\t${uid}$`, "m"));
  // CAP_NET_BIND_SERVICE is capability 10, and all that the process has and can get.
  for (const set of ["CapPrm", "CapEff", "CapBnd", "CapAmb"])
    expect(status).toMatch(new RegExp(`^${set}:\\t0000000000000400$`, "m"));
  const listening = await machine.must("ss --listening --tcp --numeric --no-header --processes");
  for (const port of [80, 443])
    expect(listening.match(new RegExp(`0\\.0\\.0\\.0:${port} .*"adoption-store"`, "g"))).toHaveLength(2);
  expect(
    await machine.must(
      "curl --silent --output /dev/null --write-out '%{http_code}' http://localhost:80/livez",
    ),
  ).toBe("200");

  const modes =
    "stat --format '%n %a %U:%G' /var/lib/adoption-store /var/lib/adoption-store/admin.key /etc/adoption-store/environment";
  expect(await machine.must(modes)).toBe(
    [
      "/var/lib/adoption-store 700 adoption-store:adoption-store",
      "/var/lib/adoption-store/admin.key 600 adoption-store:adoption-store",
      "/etc/adoption-store/environment 640 root:adoption-store",
      "",
    ].join("\n"),
  );
  // Programs that the server starts must not speak for it.
  const [worker] = await workersOf(machine);
  for (const [process, count] of [
    [pid, 1],
    [worker, 0],
  ])
    expect(
      await machine.must(`tr '\\0' '\\n' < /proc/${process}/environ | grep --count NOTIFY_SOCKET || true`),
    ).toBe(`${count}\n`);

  await addAnimal(machine, "Bella");
  await machine.powerCycle();
  await until("the service runs again", async () => (await state(machine)) === "active", 60_000);
  expect(await listAnimals(machine)).toContain("Bella");
});

test("the name server of the service listens on port 53 without root", async () => {
  const machine = await installed(
    "--platform-domain sites.example.org --nameserver ns1.example.org --public-addresses 203.0.113.10 --dns-listen-host 127.0.0.1",
  );
  const sockets = await machine.must(
    "ss --listening --tcp --udp --numeric --no-header --processes 'sport = :53'",
  );
  expect(sockets.match(/^(tcp|udp) .* 127\.0\.0\.1:53 .*"adoption-store"/gm)).toHaveLength(2);
});

/** Restrictions that `systemd-analyze security` recommends, but the server cannot use. The manual gives the reasons. */
const EXPOSURES = [
  "AmbientCapabilities=",
  "CapabilityBoundingSet=~CAP_NET_(BIND_SERVICE|BROADCAST|RAW)",
  "DeviceAllow=",
  "IPAddressDeny=",
  "MemoryDenyWriteExecute=",
  "PrivateNetwork=",
  "PrivateUsers=",
  "ProcSubset=",
  "RestrictAddressFamilies=~AF_(INET|INET6)",
  "RestrictAddressFamilies=~AF_NETLINK",
  "RestrictAddressFamilies=~AF_UNIX",
  "RootDirectory=/RootImage=",
];

test("the unit is valid and well confined", async () => {
  const machine = await installed();
  const verified = await machine.run("systemd-analyze verify /etc/systemd/system/adoption-store.service");
  expect(verified).toEqual({ code: 0, stdout: "", stderr: "" });
  const security = await machine.must("systemd-analyze security --no-pager adoption-store");
  const [, exposure] = /Overall exposure level for adoption-store\.service: ([\d.]+)/.exec(security) ?? [];
  console.log(`    exposure ${exposure}`);
  expect(Number(exposure)).toBeLessThan(2);
  expect([...security.matchAll(/^✗ (\S+)/gm)].map(([, name]) => name).toSorted()).toEqual(EXPOSURES);
});

/** The memory limit of the service in bytes, as systemd and, where it controls the memory, the kernel have it. */
const memoryLimits = async (machine: Debian): Promise<number[]> => {
  const limits = await machine.must(
    "systemctl show adoption-store --property MemoryMax --value; cat /sys/fs/cgroup/system.slice/adoption-store.service/memory.max 2>/dev/null || true",
  );
  return limits.trim().split("\n").map(Number);
};

test("the processes of the service dump no core, and use at most the configured share of the memory", async () => {
  const machine = await installed("--workers", "2");
  for (const pid of [await mainPid(machine), ...(await workersOf(machine))])
    expect(await machine.must(`cat /proc/${pid}/limits`)).toMatch(/^Max core file size +0 +0 /m);
  const total =
    Number((await machine.must("sed -n 's/^MemTotal: *\\([0-9]*\\) kB$/\\1/p' /proc/meminfo")).trim()) * 1024;
  for (const limit of await memoryLimits(machine)) expect(limit / total).toBeCloseTo(0.75, 3);

  const refused = await machine.run("adoption-store service install --memory-max lots");
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('--memory-max: "lots" must be a share of the machine\'s memory such as 75%'),
  ]);
  await machine.must("adoption-store service install --memory-max 1GiB");
  for (const limit of await memoryLimits(machine)) expect(limit).toBe(2 ** 30);
  expect(await ready(machine)).toBe('{"status":"ready"}');

  // A repeated installation keeps it.
  await machine.must("adoption-store service install --trust-proxy 1");
  for (const limit of await memoryLimits(machine)) expect(limit).toBe(2 ** 30);
  expect(await machine.must("adoption-store service install --dry-run")).toBe("Nothing would change.\n");
});

test("with --no-start, a backup is restored before the first start", async () => {
  const machine = await installed();
  await addAnimal(machine, "Bella");
  await machine.must("adoption-store backup /root/move.db");
  await machine.must("adoption-store service uninstall --yes && rm --recursive /var/lib/adoption-store");

  const told = await machine.must("./adoption-store service install --no-start");
  expect(told).toContain("sudo systemctl start adoption-store");
  expect(await state(machine)).toBe("inactive");
  expect(await machine.must("systemctl is-enabled adoption-store")).toBe("enabled\n");
  const creation = "service creates it when it first starts. Run: sudo systemctl start adoption-store\n";
  const keys = await machine.run("cd /; adoption-store keys list");
  expect([keys.code, keys.stderr]).toEqual([
    1,
    expect.stringContaining(`DATA_DIR ${DATA} has no database yet. The ${creation}`),
  ]);
  const doctor = await machine.run("cd /; adoption-store doctor --quick");
  expect(doctor.stdout).toContain(`database: it does not exist yet: the ${creation}`);
  for (const { stdout, stderr } of [keys, doctor, await machine.run("cd /; adoption-store status")])
    expect(stdout + stderr).not.toContain("adoption-store serve");
  await machine.must(`adoption-store restore /root/move.db --data-dir ${DATA} --yes`);
  await machine.must("systemctl start adoption-store");
  const key = await machine.must(
    `adoption-store keys create --name test --scope pets:read --data-dir ${DATA} --json`,
  );
  const { secret } = JSON.parse(key) as { secret: string };
  expect(
    await machine.must(
      `curl --silent --header "Authorization: Bearer ${secret}" http://localhost:3000/v1/pets`,
    ),
  ).toContain("Bella");
  expect(await machine.must("adoption-store service install --no-start --body-limit 128KiB")).toContain(
    "runs with its previous settings. To restart it now:\n  sudo systemctl restart adoption-store",
  );
});

test("a repeated installation keeps the settings file, and changes only the given settings", async () => {
  const machine = await installed("--base-url", "https://adopt.example.org");
  const file = "/etc/adoption-store/environment";
  await machine.must(`sed -i 's/^#LOG_LEVEL=.*/LOG_LEVEL=warn/' ${file}; echo '# a remark' >> ${file}`);
  const before = await machine.must(`cat ${file}`);
  const pid = await mainPid(machine);

  expect(await machine.must("adoption-store service install --dry-run")).toBe("Nothing would change.\n");
  await machine.must("adoption-store service install");
  expect(await machine.must(`cat ${file}`)).toBe(before);
  expect(await mainPid(machine)).toBe(pid);

  await machine.must("adoption-store service install --trust-proxy 1");
  expect(await machine.must(`grep --invert-match '^#' ${file} | sort | grep .`)).toBe(
    "BASE_URL=https://adopt.example.org\nDATA_DIR=/var/lib/adoption-store\nLOG_LEVEL=warn\nTRUST_PROXY=1\n",
  );
  expect(await mainPid(machine)).not.toBe(pid);
  expect(await state(machine)).toBe("active");

  const wrong = await machine.run(`echo PORT=many >> ${file}; adoption-store service install`);
  expect(wrong).toMatchObject({ code: 2, stdout: "" });
  expect(wrong.stderr).toContain('PORT: "many" must be a port');
});

test("a backup directory outside DATA_DIR is created, and the service may write it", async () => {
  const machine = await installed("--backup-dir", "/srv/backups", "--backup-schedule", "1m");
  await until(
    "a backup is there",
    async () => (await machine.must("ls /srv/backups")).includes("adoption-store-"),
    60_000,
  );
  const hidden = await machine.run("adoption-store service install --backup-dir /root/backups");
  expect(hidden.code).toBe(2);
  expect(hidden.stderr).toContain("a service sees no home directories");
});

test("the watchdog restarts a server whose event loop hangs, with its workers", async () => {
  const machine = await installed("--workers", "2");
  const drop = "/etc/systemd/system/adoption-store.service.d/test.conf";
  await machine.must(
    `mkdir --parents $(dirname ${drop}); printf '[Service]\\nWatchdogSec=2\\nTimeoutAbortSec=1\\n' > ${drop}; systemctl daemon-reload; systemctl restart adoption-store`,
  );
  const pid = await mainPid(machine);
  // It answers the watchdog while it works.
  await Bun.sleep(5000);
  expect(await mainPid(machine)).toBe(pid);
  const [worker] = await workersOf(machine);
  await machine.must(`kill -STOP ${pid}`);
  await until(
    "another process serves",
    async () => ![0, pid].includes(await mainPid(machine)) && (await state(machine)) === "active",
    60_000,
  );
  expect(await ready(machine)).toBe('{"status":"ready"}');
  expect(await workersOf(machine)).not.toContain(worker);
  expect(await machine.must("journalctl --unit adoption-store --output cat")).toContain("Watchdog timeout");
});

test("an installation that cannot work reports the reason", async () => {
  const machine = await debian();
  const refused = async (command: string, code: number, reason: string) => {
    const result = await machine.run(command);
    expect([command, result.code, result.stderr]).toEqual([command, code, expect.stringContaining(reason)]);
  };
  await refused(
    "chmod a+rx /root; cp adoption-store /tmp/; su nobody -s /bin/sh -c '/tmp/adoption-store service install'",
    1,
    "only root can do this: sudo adoption-store service install",
  );
  await refused("./adoption-store service install --data-dir /srv", 2, "the service keeps its data in");
  await refused("./adoption-store service install --port many", 2, '--port: "many" must be');
  await machine.must("echo '[Unit]' > /etc/systemd/system/adoption-store.service");
  await refused("./adoption-store service install", 1, "was not written by adoption-store: move it away");
  await machine.must("rm /etc/systemd/system/adoption-store.service");
  await machine.must(
    "systemd-run --quiet --unit=squatter ./adoption-store serve --port 3000 --data-dir /root/other",
  );
  await until(
    "the port is taken",
    async () => (await machine.run("curl --silent http://localhost:3000/livez")).code === 0,
    60_000,
  );
  await refused("./adoption-store service install", 1, "the service does not start: ");
  await refused("./adoption-store service install", 1, "3000");
  await machine.must("systemctl stop squatter");
  await machine.must("./adoption-store service install");
  await refused(
    "echo >> adoption-store; ./adoption-store service install",
    1,
    "to replace it, run adoption-store upgrade",
  );
});

test("an uninstallation keeps the data, and a new installation serves it", async () => {
  const machine = await installed();
  await addAnimal(machine, "Bella");
  const unanswered = await machine.run("adoption-store service uninstall");
  expect(unanswered.code).toBe(2);
  expect(unanswered.stderr).toContain("Pass --yes");
  const told = await machine.must("adoption-store service uninstall --yes");
  expect(told).toContain(DATA);
  expect((await machine.run("systemctl status adoption-store")).code).toBe(4);
  expect((await machine.run("id adoption-store")).code).toBe(1);
  expect(await machine.must(`stat --format '%u' ${DATA} ${DATA}/adoption-store.db`)).toBe("0\n0\n");
  expect(await machine.must("adoption-store service uninstall --yes")).toBe(
    "The service is not installed.\n",
  );
  await machine.must("adoption-store service install");
  expect(await listAnimals(machine)).toContain("Bella");
});

const builds = openOnce(async () => {
  const place = directory();
  return {
    newer: await buildVariant(place, "9.1.0", [NEW_MIGRATION]),
    broken: await buildVariant(place, "9.2.0", [ENDS_AT_START]),
    silent: await buildVariant(place, "9.3.0", [NEW_MIGRATION, NEVER_READY]),
  };
});

/** A bare Debian where the service runs with one animal, and these builds are in root's home. */
const withBuilds = async (
  names: readonly ("newer" | "broken" | "silent")[],
  ...flags: string[]
): Promise<Debian> => {
  const machine = await installed(...flags);
  for (const name of names) machine.copyIn(builds()[name], `/root/${name}`);
  await addAnimal(machine, "Bella");
  return machine;
};

const versionOf = async (machine: Debian): Promise<string> =>
  (await machine.must("adoption-store --version")).trim();

/** What serves: the hash of its executable. */
const servingHash = (machine: Debian): Promise<string> =>
  machine.must("sha256sum < /proc/$(systemctl show adoption-store --property MainPID --value)/exe");

test("an upgrade is checked, migrates the database, and can be undone by hand", async () => {
  const machine = await withBuilds(["newer"], "--workers", "2");
  const start = performance.now();
  const { code, stdout, stderr } = await machine.run(
    "adoption-store upgrade ./newer --sha256 $(sha256sum ./newer | cut -d ' ' -f 1)",
  );
  console.log(`    upgraded in ${Math.round(performance.now() - start)} ms`);
  expect([code, stderr, stdout]).toEqual([
    0,
    expect.stringContaining("with the right checksum"),
    expect.stringContaining(`Upgraded from ${VERSION} to 9.1.0.`),
  ]);
  expect(await versionOf(machine)).toBe("9.1.0");
  expect(await servingHash(machine)).toBe(await machine.must("sha256sum < newer"));
  const [worker] = await workersOf(machine);
  expect(await machine.must(`sha256sum < /proc/${worker}/exe`)).toBe(await servingHash(machine));
  expect(await listAnimals(machine)).toContain("Bella");
  expect(await machine.must("adoption-store upgrade ./newer")).toBe(
    "9.1.0 is installed already: nothing to do.\n",
  );
  expect(await machine.must(`stat --format '%a %U' ${DATA}/before-upgrade-*.db`)).toBe(
    "600 adoption-store\n",
  );

  const asked = await machine.run("adoption-store upgrade --rollback");
  expect(asked.code).toBe(2);
  expect(asked.stderr).toContain("later writes are lost");
  await machine.must("adoption-store upgrade --rollback --yes");
  expect(await versionOf(machine)).toBe(VERSION);
  expect(await ready(machine)).toBe('{"status":"ready"}');
  expect(await listAnimals(machine)).toContain("Bella");
});

test("an upgrade to a build that ends, or never serves after a migration, is undone", async () => {
  const machine = await withBuilds(["broken", "silent"]);
  const hash = await servingHash(machine);
  const broken = await machine.run("adoption-store upgrade ./broken");
  expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining("this build is broken")]);
  expect(broken.stderr).toContain("the database was not migrated: it stays");
  expect(await servingHash(machine)).toBe(hash);

  await addAnimal(machine, "Carl");
  const silent = await machine.run("adoption-store upgrade ./silent --timeout 8s");
  expect([silent.code, silent.stderr]).toEqual([1, expect.stringContaining("it does not serve within 8 s")]);
  expect(silent.stderr).toContain("9.3.0 has migrated it");
  expect(await versionOf(machine)).toBe(VERSION);
  expect(await servingHash(machine)).toBe(hash);
  expect(await ready(machine)).toBe('{"status":"ready"}');
  // Nothing is lost: the server has copied the database before the migration.
  expect(await listAnimals(machine)).toMatch(/Bella.*Carl/);
  expect(await machine.must("ls /usr/local/bin")).toBe("adoption-store\n");
});

test("an upgrade that is killed at any step leaves a service that works, and can be repeated", async () => {
  const machine = await withBuilds(["newer"]);
  const kills: string[] = [];
  for (let step = 1; ; step++) {
    // The process is killed when it has told so many steps.
    const { stdout } = await machine.run(
      `(adoption-store upgrade ./newer 2>&1 & echo $! >&3; wait $! || true) 3>pid | { head --lines=${step}; kill -KILL $(cat pid) || true; cat > /dev/null; }`,
    );
    if (stdout.includes("Upgraded")) break;
    kills.push(stdout.trim().split("\n").at(-1) ?? "");
    await until(
      "the service serves",
      async () => (await machine.run("curl --silent --fail http://localhost:3000/readyz")).code === 0,
      60_000,
    );
    // From the beginning again, so that each round is killed one step later.
    if ((await versionOf(machine)) !== VERSION) await machine.must("adoption-store upgrade --rollback --yes");
    expect(await versionOf(machine)).toBe(VERSION);
    expect(await listAnimals(machine)).toContain("Bella");
    if (step > 12) throw new Error(`it does not end: ${kills.join("\n")}`);
  }
  console.log(`    killed after: ${kills.length} steps`);
  expect(kills.length).toBeGreaterThan(3);
  expect(await versionOf(machine)).toBe("9.1.0");
  expect(await listAnimals(machine)).toContain("Bella");
});

/** The words after each instruction of a Containerfile. */
const instructionsOf = (text: string): Map<string, string> =>
  new Map(
    text
      .replaceAll("\\\n", "")
      .split("\n")
      .flatMap((line) => {
        const [, name, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
        return name === undefined || rest === undefined ? [] : [[name, rest] as const];
      }),
  );

test("the steps of the printed Containerfile make a healthy server, without a container engine", async () => {
  const machine = await debian();
  const file = instructionsOf(await machine.must("./adoption-store service print container"));
  expect(file.get("FROM")).toStartWith("debian:");
  await machine.must(`${file.get("RUN")}; install --mode 0755 adoption-store /usr/local/bin/adoption-store`);
  const environment = (file.get("ENV") ?? "")
    .split(" ")
    .map((word) => `--setenv=${word}`)
    .join(" ");
  const health = (
    JSON.parse(/CMD (\[.*\])/.exec(file.get("HEALTHCHECK") ?? "")?.[1] ?? "[]") as string[]
  ).join(" ");
  const asUser = `systemd-run --quiet --pipe --wait --uid=${file.get("USER")} ${environment}`;
  expect((await machine.run(`${asUser} ${health}`)).code).toBe(1);
  // The file system is read-only as in the compose file, but for the volume.
  await machine.must(
    `systemd-run --quiet --unit=container --uid=${file.get("USER")} ${environment} --property=ProtectSystem=strict --property=ReadWritePaths=${file.get("VOLUME")} --property=CapabilityBoundingSet= --property=WorkingDirectory=${file.get("WORKDIR")} adoption-store serve`,
  );
  await until("it is healthy", async () => (await machine.run(`${asUser} ${health}`)).code === 0, 60_000);
  expect(await machine.must("curl --silent http://localhost:3000/readyz")).toBe('{"status":"ready"}');
  await machine.must("systemctl stop container");
  expect((await machine.run(`${asUser} ${health}`)).code).toBe(1);
});
