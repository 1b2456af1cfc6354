import { readFileSync, statfsSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";

/** `f_type` of statfs(2). */
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  0xef53: "ext4",
  0x58465342: "xfs",
  0x9123683e: "btrfs",
  0x2fc12fc1: "zfs",
  0x794c7630: "overlay",
  0x01021994: "tmpfs, in memory: fsync costs nothing there, so the rates of durable writes say little",
};

const fileSystem = (directory: string): string => {
  const { type } = statfsSync(directory);
  return FILE_SYSTEMS[type] ?? `type 0x${type.toString(16)}`;
};

const load = (): string => readFileSync("/proc/loadavg", "utf8").split(" ").slice(0, 3).join(" ");

/** Such as 21 November 2026. */
export const today = (): string => new Date().toLocaleDateString("en-GB", { dateStyle: "long" });

/** Where the figures come from, as a section. */
export const machine = (directory: string): string => `## Machine

- ${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores; ${(totalmem() / 2 ** 30).toFixed(0)} GiB of memory
- Linux ${release()}, Bun ${Bun.version}; databases on ${fileSystem(directory)}
- Load averages before the first measurement: ${load()}
- ${today()}, \`bun run bench\`
`;
