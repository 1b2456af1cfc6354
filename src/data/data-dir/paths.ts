import { join } from "node:path";

export const databasePath = (dataDir: string): string => join(dataDir, "adoption-store.db");

/** The files of a database in use: itself, its log and the log's index. */
export const databaseFiles = (path: string): string[] => ["", "-wal", "-shm"].map((end) => path + end);

/** The damaged database during a repair: it has this name until the repaired one is in its place. */
export const repairingPath = (dataDir: string): string => `${databasePath(dataDir)}.repairing`;

/** An empty file in the new directory of a recovery, until its store is complete. */
export const recoveringPath = (dataDir: string): string => `${databasePath(dataDir)}.recovering`;

/** The file that a restore writes, until it replaces the database. */
export const restoringPath = (dataDir: string): string => `${databasePath(dataDir)}.restoring`;

/** A copy of a database during the write: itself, its journal, and a first copy, with data that the second one omits. */
export const copyFiles = (path: string): string[] =>
  ["", "-journal", ".raw", ".raw-journal"].map((end) => path + end);

/** The server of DATA_DIR, or a restore to it, holds the lock of this file. */
export const lockPath = (dataDir: string): string => join(dataDir, "server.lock");

/** The socket on which the server takes the requests that its workers forward. */
export const workersSocketPath = (dataDir: string): string => join(dataDir, "workers.sock");

/** The socket on which the server takes the TLS-ALPN-01 challenges that reach its workers. */
export const challengesSocketPath = (dataDir: string): string => join(dataDir, "challenges.sock");

export const adminKeyPath = (dataDir: string): string => join(dataDir, "admin.key");

/** The private key that signs requests to DNS providers. */
export const domainConnectKeyPath = (dataDir: string): string => join(dataDir, "domain-connect.key");

/** The id of this node in a cluster. */
export const nodeIdPath = (dataDir: string): string => join(dataDir, "node.id");
