import { Database as Client } from "bun:sqlite";
import { asDiskError } from "../db/failures.ts";
import { PRAGMAS } from "../db/pragmas.ts";
import { type ReplicaMark, replicaMark } from "../db/replica-mark.ts";
import { openRecorder } from "./recorder.ts";

/** The log in the engine is durable: records that the file loses in a power failure are applied again. */
const WRITER_PRAGMAS = [
  ...PRAGMAS.filter((pragma) => !pragma.startsWith("PRAGMA synchronous")),
  "PRAGMA synchronous=NORMAL",
  "PRAGMA busy_timeout=0",
  "PRAGMA temp_store=MEMORY",
];

const READER_PRAGMAS = [...WRITER_PRAGMAS, "PRAGMA query_only=ON"];

const openWith = (path: string, pragmas: readonly string[]): Client => {
  const client = new Client(path, { readwrite: true, create: false, strict: true });
  try {
    for (const pragma of pragmas) client.run(pragma);
    return client;
  } catch (error) {
    const failure = asDiskError(client, error);
    client.close();
    throw failure;
  }
};

/** This file is not a replica, or not one of a cluster. */
export class NotAReplica extends Error {
  override name = "NotAReplica";
}

/** Opens the file of a replica on two connections. @throws NotAReplica */
export const openReplicaFile = (path: string) => {
  const writer = openWith(path, WRITER_PRAGMAS);
  const mark = replicaMark(writer);
  if (!mark) {
    writer.close(true);
    throw new NotAReplica("the database is not a replica: run adoption-store cluster join");
  }
  const reader = openWith(path, READER_PRAGMAS);
  const markStatement = writer.prepare<ReplicaMark, []>("SELECT log, position, id, checksum FROM replica");
  const advanceStatement = writer.prepare<never, [number, string, string]>(
    "UPDATE replica SET position = ?, id = ?, checksum = ?",
  );
  return {
    writer,
    reader,
    ...openRecorder(writer, reader),
    /** The file's applied position, as of now or of the open transaction. */
    mark: (): ReplicaMark => markStatement.get() ?? mark,
    /** Writes the mark in the open transaction. */
    advance: ({ position, id, checksum }: ReplicaMark): void =>
      void advanceStatement.run(position, id, checksum),
    close(): void {
      reader.close(true);
      writer.close(true);
    },
  };
};

export type ReplicaFile = ReturnType<typeof openReplicaFile>;
