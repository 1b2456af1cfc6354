/** A prepared query of Drizzle: what it returns for the values of its placeholders. */
interface PreparedQuery<Rows> {
  all(values?: Record<string, unknown>): Rows;
}

/** A prepared query and its values. */
export interface Statement<Rows = unknown> {
  readonly query: PreparedQuery<Rows>;
  readonly values: Record<string, unknown>;
}

type RowsOf<Statements extends readonly Statement[]> = {
  -readonly [K in keyof Statements]: Statements[K] extends Statement<infer Rows> ? Rows : never;
};

/**
 * Runs all statements of a write or none, and resolves with the rows of each statement once they are on disk. Writes of the
 * same turn share one transaction and one fsync; a write that breaks a constraint fails alone. README.md says why conditions
 * are part of the statements.
 * @param last called inside the transaction with the rows; may return more statements of the same write
 * @param options `lockWait`: how long this write waits for another process's lock, if not as long as all; `isDerived`: it
 *   writes only what no reader can tell from the rows that it derives from, such as an index, so that `version` stays
 * @throws StorageUnavailable if the storage refused the write and nothing is stored; OutcomeUnknown if it may be stored
 */
export type Commit = <const Statements extends readonly Statement[]>(
  statements: Statements,
  last?: (rows: RowsOf<Statements>) => readonly Statement[],
  options?: { lockWait?: number; isDerived?: boolean },
) => Promise<RowsOf<Statements>>;

/** A write that waits to be committed. */
export interface Write {
  statements: readonly Statement[];
  last: ((rows: unknown[]) => readonly Statement[]) | undefined;
  /** When it stops waiting for a lock, as a time of `performance.now()`. */
  deadline: number;
  isDerived: boolean;
  resolve(rows: unknown[]): void;
  reject(error: unknown): void;
}
