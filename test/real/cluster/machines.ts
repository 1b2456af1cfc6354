import { mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEBIAN_PROGRAMS, type Debian, must, startMachine } from "../debian.ts";
import { EXECUTABLE, atEnd, until } from "../support.ts";

/** What machines with the programs of this one need. */
export const MACHINE_PROGRAMS = [
  ...DEBIAN_PROGRAMS,
  "network namespaces",
  "ip",
  "sshd",
  "ssh-keygen",
  "setpriv",
];

/** A network namespace that ends with the test. @returns its file */
const startNetwork = async (): Promise<string> => {
  const holder = Bun.spawn(["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "sleep", "infinity"], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  atEnd(async () => {
    holder.kill("SIGKILL");
    await holder.exited;
  });
  const [file, own] = [`/proc/${holder.pid}/ns/net`, readlinkSync("/proc/self/ns/net")];
  await until("the network is separate", () => readlinkSync(file) !== own);
  return file;
};

const ip = (network: string, ...argv: string[]) => must(["nsenter", `--net=${network}`, "ip", ...argv]);

/** A network with a bridge, which no other network reaches. */
const startSwitch = async (): Promise<string> => {
  const network = await startNetwork();
  await ip(network, "link", "add", "bridge", "type", "bridge");
  await ip(network, "link", "set", "bridge", "up");
  return network;
};

/** A network with one address and a cable to the switch. */
const plugIn = async (bridge: string, name: string, address: string): Promise<string> => {
  const network = await startNetwork();
  await ip(
    bridge,
    "link",
    "add",
    name,
    "type",
    "veth",
    "peer",
    "name",
    "host0",
    "netns",
    network.split("/")[2] ?? "",
  );
  await ip(bridge, "link", "set", name, "master", "bridge", "up");
  await ip(network, "link", "set", "lo", "up");
  await ip(network, "address", "add", `${address}/24`, "dev", "host0");
  await ip(network, "link", "set", "host0", "up");
  return network;
};

/** Debian as its installer leaves it: no service runs but SSH, which knows the key of root. */
const prepare = (root: string, name: string, keys: string): void => {
  const system = join(root, "etc/systemd/system");
  rmSync(system, { recursive: true, force: true });
  mkdirSync(system, { recursive: true });
  for (const [link, unit] of [
    ["default.target", "multi-user.target"],
    ["multi-user.target.wants/ssh.service", "ssh.service"],
  ] as const) {
    mkdirSync(join(system, "multi-user.target.wants"), { recursive: true });
    symlinkSync(`/lib/systemd/system/${unit}`, join(system, link));
  }
  const ssh = join(root, "root/.ssh");
  rmSync(ssh, { recursive: true, force: true });
  mkdirSync(ssh, { mode: 0o700 });
  const publicKey = readFileSync(join(keys, "root.pub"), "utf8");
  writeFileSync(join(ssh, "authorized_keys"), publicKey, { mode: 0o600 });
  writeFileSync(join(ssh, "id_ed25519"), readFileSync(join(keys, "root")), { mode: 0o600 });
  writeFileSync(join(ssh, "known_hosts"), `* ${readFileSync(join(keys, "host.pub"), "utf8")}`);
  for (const file of ["host", "host.pub"])
    writeFileSync(
      join(root, "etc/ssh", file.replace("host", "ssh_host_ed25519_key")),
      readFileSync(join(keys, file)),
      { mode: 0o600 },
    );
  for (const [path, text] of [
    ["etc/hostname", `${name}\n`],
    ["etc/hosts", "127.0.0.1 localhost\n"],
    ["etc/resolv.conf", "nameserver 127.0.0.1\n"],
    ["etc/machine-id", `${crypto.randomUUID().replaceAll("-", "")}\n`],
    ["root/.curlrc", "no-progress-meter\n"],
    // Without a session of logind, whose time is not the reader's.
    ["etc/ssh/sshd_config.d/test.conf", "UsePAM no\nUseDNS no\n"],
  ] as const) {
    rmSync(join(root, path), { force: true });
    writeFileSync(join(root, path), text);
  }
  rmSync(join(root, "root/adoption-store-linux-x64"), { force: true });
  symlinkSync(EXECUTABLE, join(root, "root/adoption-store-linux-x64"));
};

/**
 * Machines in one network of their own, by name, with these addresses. Each has systemd, separate files, and the programs that
 * are installed on this machine.
 */
export const startMachines = async <Name extends string>(addresses: Readonly<Record<Name, string>>) => {
  const keys = (await must(["mktemp", "--directory"])).stdout.trim();
  atEnd(() => rmSync(keys, { recursive: true }));
  for (const key of ["root", "host"])
    await must(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", key, "-f", join(keys, key)]);
  const bridge = await startSwitch();
  const started = Object.entries<string>(addresses).map(async ([name, address]) => {
    const network = await plugIn(bridge, name, address);
    const machine = await startMachine("/", { network, prepare: (root) => prepare(root, name, keys) });
    return [
      name,
      {
        ...machine,
        /** Without a last packet: the others learn nothing of it. */
        async powerOff(): Promise<void> {
          await ip(network, "link", "set", "host0", "down");
          await machine.powerOff();
        },
        async powerOn(): Promise<void> {
          await ip(network, "link", "set", "host0", "up");
          await machine.powerOn();
        },
      },
    ];
  });
  return Object.fromEntries(await Promise.all(started)) as Record<Name, Debian>;
};
