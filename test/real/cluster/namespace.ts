import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { atEnd, kept, run, until } from "../support.ts";
import { relay } from "./relay.ts";

const NETWORK = "/proc/self/ns/net";
export const NEEDED = ["root", "network namespaces", "ip", "nsenter", "setpriv"];

const ip = async (...argv: string[]): Promise<void> => {
  const { code, stderr } = await run(["ip", ...argv]);
  if (code !== 0) throw new Error(`ip ${argv.join(" ")}: ${stderr}`);
};

/** A cable between this network and that of a process, whose ends are the addresses 1 and 2 of a network. */
const cable = async (pid: number, name: string, network: string) => {
  const inside = ["nsenter", "--target", String(pid), "--net", "ip"];
  await ip("link", "add", name, "type", "veth", "peer", "name", `${name}i`, "netns", String(pid));
  await ip("address", "add", `${network}.1/30`, "dev", name);
  await ip("link", "set", name, "up");
  for (const argv of [
    ["link", "set", "lo", "up"],
    ["address", "add", `${network}.2/30`, "dev", `${name}i`],
    ["link", "set", `${name}i`, "up"],
  ]) {
    const { code, stderr } = await run([...inside, ...argv]);
    if (code !== 0) throw new Error(`ip ${argv.join(" ")}: ${stderr}`);
  }
  return { name, here: `${network}.1`, there: `${network}.2` };
};

/**
 * A network namespace with two cables: one for clients, and one for the engine, which can be cut. What runs in it finds the
 * engine at the same ports of 127.0.0.1 as what runs outside. Everything is removed with the process that holds it.
 */
export const namespace = async (ports: readonly number[]) => {
  const holder = Bun.spawn(["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "sleep", "infinity"], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  atEnd(async () => {
    holder.kill("SIGKILL");
    await holder.exited;
  });
  const own = readlinkSync(NETWORK);
  await until("the namespace is made", () => readlinkSync(`/proc/${holder.pid}/ns/net`) !== own);
  const [id, subnet] = [holder.pid % 100_000, 1 + (holder.pid % 250)];
  const clients = await cable(holder.pid, `asc${id}`, `10.213.${subnet}`);
  const engine = await cable(holder.pid, `ase${id}`, `10.214.${subnet}`);
  for (const port of ports)
    kept(await relay({ host: engine.here, port }, () => ({ host: "127.0.0.1", port })));
  const inside = ["nsenter", "--target", String(holder.pid), "--net"];
  const argv = [process.execPath, join(import.meta.dir, "relay.ts"), engine.here, ...ports.map(String)];
  const relays = Bun.spawn([...inside, "setpriv", "--pdeathsig", "KILL", ...argv], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  atEnd(async () => {
    relays.kill("SIGKILL");
    await relays.exited;
  });
  for await (const text of relays.stdout.pipeThrough(new TextDecoderStream()))
    if (text.includes("ready")) break;
  return {
    /** What a command line begins with that runs in it. */
    inside,
    /** Where clients find what listens in it on all addresses. */
    address: clients.there,
    /** Packets to the engine are dropped silently. */
    cut: () => ip("link", "set", engine.name, "down"),
    heal: () => ip("link", "set", engine.name, "up"),
    /** From now on, this share of the packets to and from the engine is dropped at random. Needs `nft`. */
    async lose(share: number): Promise<void> {
      const drop = `numgen random mod 1000 < ${Math.round(share * 1000)} counter drop`;
      const chain = (hook: string, direction: string) =>
        `chain ${hook} { type filter hook ${hook} priority 0; ${direction} ${engine.name}i ${drop}; }`;
      const rules = `table inet loss { ${chain("input", "iifname")}; ${chain("output", "oifname")}; }`;
      const { code, stderr } = await run([...inside, "nft", rules]);
      if (code !== 0) throw new Error(`nft: ${stderr}`);
    },
    /** How many packets were dropped since then. */
    async lost(): Promise<number> {
      const { stdout } = await run([...inside, "nft", "list", "table", "inet", "loss"]);
      return [...stdout.matchAll(/counter packets (\d+)/g)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      );
    },
  };
};
