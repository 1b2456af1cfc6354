import { readdirSync, readlinkSync } from "node:fs";
import { attempt } from "./attempt.ts";
import { readText } from "./files.ts";

/** The state of a listening socket in /proc/net/tcp. */
const LISTEN = "0A";

/** The inodes of the sockets that listen on a port. @param table the text of /proc/net/tcp or /proc/net/tcp6 */
export const listeningInodes = (table: string, port: number): string[] => {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  return table
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = "", , state]) => state === LISTEN && local.endsWith(`:${wanted}`))
    .flatMap(([, , , , , , , , , inode]) => (inode === undefined ? [] : [inode]));
};

/** Empty for a directory of another user's process, which is closed to this user. */
const namesIn = (path: string): string[] => attempt(() => readdirSync(path)) ?? [];

/** The process that listens on a port, as `nginx (process 812)`; undefined if the system does not reveal it to this user. */
export const portHolder = (port: number): string | undefined => {
  const inodes = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((path) =>
    listeningInodes(readText(path) ?? "", port),
  );
  if (inodes.length === 0) return undefined;
  const sockets = new Set(inodes.map((inode) => `socket:[${inode}]`));
  const isSocket = (link: string) => sockets.has(attempt(() => readlinkSync(link)) ?? "");
  const pid = namesIn("/proc").find(
    (one) => /^\d+$/.test(one) && namesIn(`/proc/${one}/fd`).some((fd) => isSocket(`/proc/${one}/fd/${fd}`)),
  );
  const name = pid && readText(`/proc/${pid}/comm`)?.trim();
  return name ? `${name} (process ${pid})` : undefined;
};
