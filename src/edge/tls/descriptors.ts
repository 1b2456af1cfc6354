/** A client's socket, and both ends of the one that joins it to the application. */
const PER_CONNECTION = 3;
/** For the database, the listeners, sites' files and visitors over HTTP. */
const RESERVED = 256;

/**
 * How many files this process may open: the soft limit, which is told as Linux writes it in /proc/self/limits.
 * @returns Infinity if there is no limit, or none is told
 */
export const openFiles = (limits: string): number => {
  const [, soft = ""] = /^Max open files +(\d+) /m.exec(limits) ?? [];
  return soft === "" ? Number.POSITIVE_INFINITY : Number(soft);
};

/** As many connections as are wanted, or as there are files for; if these are fewer, what to do about it. */
export const connectionsFor = (wanted: number, files: number): { connections: number; advice?: string } => {
  const needed = wanted * PER_CONNECTION + RESERVED;
  if (files >= needed) return { connections: wanted };
  const left = files - Math.min(RESERVED, files / 2);
  const connections = Math.max(1, Math.floor(left / PER_CONNECTION));
  return {
    connections,
    advice: `at most ${connections} HTTPS connections instead of ${wanted}: this process may open ${files} files; LimitNOFILE=${needed} in the unit, or ulimit -n ${needed}, allows them all`,
  };
};
