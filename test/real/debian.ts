import { beforeAll } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Finished, areInstalled, atEnd, run, until } from "./support.ts";

/** What a test with a bare Debian needs on this machine. */
export const DEBIAN_PROGRAMS = ["root", "debootstrap", "systemd-nspawn", "nsenter"];

const SUITE = "bookworm";
/** What a Debian image of a hoster has beyond the minimum. No Node, no compiler. */
const PACKAGES = ["ca-certificates", "curl", "dbus", "iproute2", "systemd", "systemd-sysv"];
const MIRROR = "http://deb.debian.org/debian";
/** The installed system, which every machine starts from. It stays between runs: to make it takes a minute. */
const BASE = resolve(import.meta.dir, ".debian", SUITE);
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const ENVIRONMENT = ["HOME=/root", "LC_ALL=C.UTF-8"];
const NSENTER = ["nsenter", "--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wdns=/root"];

/** Runs a program of this machine. @throws with what it printed if it fails */
export const must = async (argv: string[]): Promise<Finished> => {
  const result = await run(argv);
  if (result.code !== 0) throw new Error(`${argv.join(" ")}: ${result.stdout}${result.stderr}`);
  return result;
};

/** Makes the base system, unless an earlier run has. */
const makeBase = async (): Promise<void> => {
  if (existsSync(BASE)) return;
  const unfinished = `${BASE}.${process.pid}`;
  mkdirSync(dirname(BASE), { recursive: true });
  try {
    await must([
      "debootstrap",
      "--variant=minbase",
      `--include=${PACKAGES.join(",")}`,
      SUITE,
      unfinished,
      MIRROR,
    ]);
    rmSync(join(unfinished, "var/cache/apt/archives"), { recursive: true });
    // Another process may have been faster.
    if (!existsSync(BASE)) renameSync(unfinished, BASE);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
};

/**
 * For the top of a file whose tests start a bare Debian: the base system is made before the first of them, whose time is its
 * own. A slow machine or mirror takes minutes.
 */
export const prepareDebian = (): void =>
  beforeAll(async () => {
    if (areInstalled(DEBIAN_PROGRAMS)) await makeBase();
  }, 15 * 60_000);

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);

/** The control groups of this process whose paths systemd names after its units: two systems in one would share them. */
const unitGroups = (): string[] =>
  readFileSync("/proc/self/cgroup", "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, controllers, path = ""] = /^[0-9]+:([^:]*):(.*)$/.exec(line) ?? [];
      if (controllers === "name=systemd") return [join("/sys/fs/cgroup/systemd", path)];
      if (controllers !== "") return [];
      return [join("/sys/fs/cgroup/unified", path), join("/sys/fs/cgroup", path)];
    })
    .filter((path) => existsSync(join(path, "cgroup.procs")));

/** Boots the system in this directory in separate namespaces. @param network an option of systemd-nspawn */
const boot = async (root: string, network: string) => {
  const groups = unitGroups().map((path) => join(path, `adoption-store-${crypto.randomUUID()}`));
  for (const path of groups) mkdirSync(path);
  const nspawn = Bun.spawn(
    [
      "bash",
      "-e",
      "-c",
      'until [ "$1" = -- ]; do echo $$ >"$1/cgroup.procs"; shift; done; shift; exec "$@"',
      "bash",
      ...groups,
      "--",
      "systemd-nspawn",
      "--quiet",
      "--boot",
      "--register=no",
      "--keep-unit",
      network,
      "--console=pipe",
      "--machine=bare",
      `--directory=${root}`,
    ],
    { env: { PATH, SYSTEMD_LOG_LEVEL: "warning" }, stdin: "ignore", stdout: "ignore", stderr: "ignore" },
  );
  let leader = 0;
  const kill = async () => {
    // nspawn ends with the machine's first process, and its cgroup is then empty.
    if (leader > 0 && nspawn.exitCode === null) process.kill(leader, "SIGKILL");
    else nspawn.kill("SIGKILL");
    await nspawn.exited;
    // Its processes leave their groups a moment later.
    for (const path of groups)
      await until("the control group is empty", async () => {
        await run(["find", path, "-depth", "-type", "d", "-exec", "rmdir", "{}", "+"]);
        return !existsSync(path);
      });
  };
  const enter = (command: string) =>
    run([
      ...NSENTER,
      `--target=${leader}`,
      "env",
      "-i",
      `PATH=${PATH}`,
      ...ENVIRONMENT,
      "bash",
      "-e",
      "-c",
      command,
    ]);
  const isUp = async () => {
    if (nspawn.exitCode !== null) throw new Error(`systemd-nspawn ended with exit code ${nspawn.exitCode}`);
    leader = childrenOf(nspawn.pid)[0] ?? 0;
    // "degraded": a unit that no test needs has failed, such as one that mounts a file system of the kernel.
    return leader > 0 && /^(running|degraded)/.test((await enter("systemctl is-system-running")).stdout);
  };
  try {
    await until("the bare Debian has started", isUp, 90_000);
  } catch (error) {
    await kill();
    throw error;
  }
  return { enter, kill, leader };
};

/** A writable directory with the files of `base`, which stays as it is, until the test ends. */
const layerOver = async (base: string): Promise<string> => {
  const place = mkdtempSync(join(tmpdir(), "adoption-store-debian-"));
  const [upper, work, root] = ["upper", "work", "root"].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [upper, work, root]) mkdirSync(path);
  const layers = `lowerdir=${base},upperdir=${upper},workdir=${work}`;
  await must(["mount", "-t", "overlay", "overlay", "-o", layers, root]);
  atEnd(async () => {
    await must(["umount", root]);
    rmSync(place, { recursive: true, force: true });
  });
  return root;
};

/** What a machine starts with. */
interface MachineOptions {
  /** The network namespace that it is in; without it, a separate one that has a loopback interface only. */
  network?: string;
  /** Changes its files before it starts. */
  prepare?: (root: string) => void;
}

/** A machine with the files of a directory, which stays as it is. It is removed when the test ends. */
export const startMachine = async (base: string, { network, prepare }: MachineOptions = {}) => {
  const root = await layerOver(base);
  prepare?.(root);
  const start = () =>
    boot(root, network === undefined ? "--private-network" : `--network-namespace-path=${network}`);
  let machine = await start();
  atEnd(() => machine.kill());
  return {
    /** Its file system, as this machine sees it. */
    root,
    /** Its first process, as this machine sees it. */
    leader: (): number => machine.leader,
    /** Runs a bash command in it as root, to its end. */
    run: (command: string): Promise<Finished> => machine.enter(command),
    /** As `run`. @returns standard output @throws with all output if the command fails */
    async must(command: string): Promise<string> {
      const { code, stdout, stderr } = await machine.enter(command);
      if (code !== 0) throw new Error(`${command}: exit code ${code}: ${stdout}${stderr}`);
      return stdout;
    },
    /** Copies a file of this machine into it, executable if it was. */
    copyIn(file: string, path: string): void {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      copyFileSync(file, join(root, path));
    },
    /** Loses power. */
    powerOff: (): Promise<void> => machine.kill(),
    /** Starts again, after `powerOff`. */
    async powerOn(): Promise<void> {
      machine = await start();
    },
    /** Loses power, and starts again. */
    async powerCycle(): Promise<void> {
      await machine.kill();
      machine = await start();
    },
  };
};

export type Debian = Awaited<ReturnType<typeof startMachine>>;

/**
 * A bare Debian whose first process is systemd, as after the installation of a virtual machine: no Node, no Bun. It is removed
 * when the test ends. The file of the test calls {@link prepareDebian}.
 */
export const startDebian = () => startMachine(BASE);
