/**
 * The tests whose stores are embedded also with STORE=cluster: those in `files`, and those that name their reason when they open
 * a store. All others run on a replica of a log in memory: `bun run test:cluster`.
 */
export const EXCEPTIONS = {
  restores: {
    files: /^test\/operate\/backups\//,
    reason:
      "It restores a file over the store's own, which a cluster refuses. test/data/cluster has the backups of replicas.",
  },
  commands: {
    files: /^test\/cli\//,
    reason:
      "A command is a separate process, which cannot reach a log in memory. test/real/cluster*.real.ts runs them.",
  },
  files: {
    files: /^test\/data\/db\//,
    reason: "It is about the file of an embedded store: its lock, its log, its loss.",
  },
  anotherProgram: {
    files: undefined,
    reason: "Another process writes to the file without the log, which it refuses to do to a replica.",
  },
  upgrade: {
    files: undefined,
    reason: "It opens the file of an earlier version, which a replica refuses.",
  },
  workers: {
    files: undefined,
    reason: "One process serves a node: with DATABASE_URL there are no workers.",
  },
  damage: {
    files: undefined,
    reason: "A node whose file is damaged makes its replica again: test/data/cluster has that.",
  },
  failingDisk: {
    files: undefined,
    reason: "It makes the store's own connection fail, and a replica has two.",
  },
} as const satisfies Record<string, { files: RegExp | undefined; reason: string }>;

export type Exception = keyof typeof EXCEPTIONS;

/** True for a file of tests whose stores are all embedded. */
export const isException = (file: string): boolean =>
  Object.values(EXCEPTIONS).some(({ files }) => files?.test(file));
