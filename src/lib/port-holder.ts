import { readFileSync, readdirSync, readlinkSync } from "node:fs";

/** The state of a listening socket in /proc/net/tcp. */
const LISTEN = "0A";

/** `undefined` if the file or directory cannot be read: others' processes are closed to this user. */
const tryRead = <Value>(read: () => Value): Value | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

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

/** The process that listens on a port, as `nginx (process 812)`; undefined if the system does not reveal it to this user. */
export const portHolder = (port: number): string | undefined => {
  const inodes = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((path) =>
    listeningInodes(tryRead(() => readFileSync(path, "utf8")) ?? "", port),
  );
  if (inodes.length === 0) return undefined;
  const sockets = new Set(inodes.map((inode) => `socket:[${inode}]`));
  const namesIn = (path: string) => tryRead(() => readdirSync(path)) ?? [];
  const isSocket = (link: string) => sockets.has(tryRead(() => readlinkSync(link)) ?? "");
  const pid = namesIn("/proc").find(
    (one) => /^\d+$/.test(one) && namesIn(`/proc/${one}/fd`).some((fd) => isSocket(`/proc/${one}/fd/${fd}`)),
  );
  const name = pid && tryRead(() => readFileSync(`/proc/${pid}/comm`, "utf8").trim());
  return name ? `${name} (process ${pid})` : undefined;
};
