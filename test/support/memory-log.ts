import {
  AppendUnknown,
  type Claim,
  EngineUnavailable,
  type Head,
  type Log,
  type LogFiles,
  type LogRecord,
  RecordTooLarge,
  type Snapshot,
} from "../../src/data/cluster/log.ts";
import {
  type Appended,
  type Debug,
  type Engine,
  type LeasedKeys,
  type Line,
  logOf,
  MAX_READ_BYTES,
  type Place,
  type Records,
} from "../../src/data/cluster/engines/engine.ts";

interface State {
  head: Head;
  /** The position up to which records were removed. */
  trimmed: number;
  /** Of all logs, until they are trimmed. */
  records: (LogRecord & { log: string })[];
  snapshot: Snapshot;
}

interface Holder {
  value: string;
  /** Aborts when a test ends the lease. */
  ended: AbortController;
}

/**
 * An engine in memory, for all nodes of one process. It behaves as `test/data/cluster/log-contract.ts` says, as the real engines do,
 * and fails when a test wants it to.
 */
export class MemoryEngine {
  /** A test sets it; meanwhile every call fails. */
  #isAvailable = true;
  /** How often nodes have asked for the end of the log. */
  heads = 0;
  /** How long every call takes. */
  delayMs = 0;
  /** The largest record, if it is smaller than with the engines. */
  maxRecordBytes = Infinity;
  /** What happens to the next append: its response is lost, before or after the record is stored. */
  losesNextAppend: "before" | "after" | undefined;
  /** A head that only the engine's primary has: no node can read its record. */
  unconfirmedHead: Head | undefined;
  /** Called before each append, for example to let another node come first. */
  onAppend: (id: string) => Promise<void> | void = () => {};
  #state: State | undefined;
  readonly #files = new Map<string, Uint8Array>();
  readonly #claims = new Map<string, Holder>();
  readonly #watchers = new Set<() => void>();
  readonly #lineWatchers = new Set<() => void>();
  /** Places of nodes that wait for the write lease. The first one has it. */
  #line: { node: object }[] = [];

  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  set isAvailable(isAvailable: boolean) {
    this.#isAvailable = isAvailable;
    if (isAvailable) this.#notify();
  }

  /** The current records of the log. */
  get records(): readonly LogRecord[] {
    return this.#state?.records ?? [];
  }

  /** Ends the claims and the write lease that nodes have, as if these nodes had stopped for longer than their leases last. */
  expireLeases(): void {
    const holders = [...this.#claims.values()];
    this.#claims.clear();
    for (const { ended } of holders) ended.abort();
    this.#leave(this.#line[0]);
  }

  /** Puts another record where the last one is, as when an old primary's last record was on no standby. */
  replaceLast(id: string, record: Uint8Array): void {
    const state = this.#state;
    const last = state?.records.pop();
    if (!state || !last) throw new Error("the log has no record");
    state.records.push({ log: state.head.log, position: last.position, id, record });
    state.head = { ...state.head, id };
    this.#notify();
  }

  /** The log as one more node sees it. */
  open(debug?: Debug): Log {
    const node = {};
    const engine: Engine = {
      head: () => {
        this.heads++;
        return this.#call(() => this.unconfirmedHead ?? this.#state?.head);
      },
      begin: (first, before) => this.#call(() => this.#begin(first, before)),
      append: (after, id, record) => this.#append(node, after, id, record),
      read: (after, limit) => this.#call(() => this.#read(after, limit)),
      watch: (onChange, signal) => watchWith(this.#watchers, onChange, signal),
      snapshot: () => this.#call(() => this.#state?.snapshot),
      replaceSnapshot: (before, next) => this.#call(() => this.#replaceSnapshot(before, next)),
      trim: (upTo) => this.#call(() => this.#trim(upTo)),
      claims: this.#leasedKeys(),
      line: this.#lineOf(node),
      files: this.#fileCalls(),
      reclaim: undefined,
      health: async () => ({
        version: this.#isAvailable ? "memory 1" : undefined,
        members: [
          { address: "memory", problem: this.#isAvailable ? undefined : "is not available", isLeader: true },
        ],
        bytes: this.#isAvailable ? this.#bytes() : undefined,
      }),
      close() {},
    };
    const log = logOf(engine, debug);
    return {
      ...log,
      claim: async (name, ttlMs, value) => this.#lostAtEnd(name, await log.claim(name, ttlMs, value)),
    };
  }

  /** A node learns of the end of its lease with the next renewal, which takes seconds: tests do not wait for it. */
  #lostAtEnd(name: string, claim: Claim | undefined): Claim | undefined {
    const holder = this.#claims.get(name);
    return claim && holder && { ...claim, lost: AbortSignal.any([claim.lost, holder.ended.signal]) };
  }

  async #call<Value>(act: () => Value | Promise<Value>): Promise<Value> {
    if (this.delayMs > 0) await Bun.sleep(this.delayMs);
    else await Promise.resolve();
    if (!this.#isAvailable) throw new EngineUnavailable("the engine in memory is not available");
    return act();
  }

  #begin(first: Snapshot, before: Head | undefined): boolean {
    if (!Bun.deepEquals(this.#state?.head, before)) return false;
    const { log, position, id } = first;
    this.#state = {
      head: { log, position, id },
      trimmed: position,
      records: this.#state?.records ?? [],
      snapshot: { ...first },
    };
    this.#notify();
    return true;
  }

  async #append(node: object, after: Head, id: string, record: Uint8Array): Promise<Appended> {
    if (record.length > this.maxRecordBytes) throw new RecordTooLarge(record.length, this.maxRecordBytes);
    const copy = record.slice();
    await this.onAppend(id);
    return this.#call(() => {
      const loses = this.losesNextAppend;
      this.losesNextAppend = undefined;
      if (loses === "before") throw new AppendUnknown("the response was lost");
      const won = this.#put(after, id, copy);
      if (loses === "after") throw new AppendUnknown("the response was lost");
      if (won) return { won, isAwaited: this.#line.some((place) => place.node !== node) };
      const state = this.#state?.head.log === after.log ? this.#state : undefined;
      const found = state?.records.find(
        (one) => one.log === after.log && one.position === after.position + 1,
      )?.id;
      return { won, found, trimmed: state?.trimmed ?? 0 };
    });
  }

  #put(after: Head, id: string, record: Uint8Array): boolean {
    const state = this.#state;
    const position = after.position + 1;
    if (!state || !Bun.deepEquals(state.head, { log: after.log, position: after.position, id: after.id }))
      return false;
    state.records.push({ log: after.log, position, id, record });
    state.head = { log: after.log, position, id };
    this.#notify();
    return true;
  }

  #read(after: Place, limit: number): Records | undefined {
    const state = this.#state;
    if (state?.head.log !== after.log) return undefined;
    let bytes = 0;
    const records = state.records
      .filter(({ log, position }) => log === after.log && position > after.position)
      .slice(0, limit)
      .filter(({ record }, index) => (bytes += record.length) <= MAX_READ_BYTES || index === 0)
      .map(({ position, id, record }) => ({ position, id, record: record.slice() }));
    return { trimmed: state.trimmed, records };
  }

  #leasedKeys(): LeasedKeys {
    return {
      put: (name, _ttlMs, value) =>
        this.#call(() => {
          if (this.#claims.has(name)) return undefined;
          const holder: Holder = { value, ended: new AbortController() };
          this.#claims.set(name, holder);
          const isHeld = () => this.#claims.get(name) === holder;
          return {
            renew: () => this.#call(isHeld),
            update: (next) => this.#call(() => void (isHeld() && (holder.value = next))),
            release: async () => isHeld() && this.#claims.delete(name),
          };
        }),
      list: (prefix) =>
        this.#call(() => {
          const claims = [...this.#claims].filter(([name]) => name.startsWith(prefix));
          return new Map(claims.map(([name, { value }]) => [name, value]));
        }),
    };
  }

  #lineOf(node: object): Line {
    return {
      join: () =>
        this.#call(() => {
          const place = { node };
          this.#line.push(place);
          return {
            renew: () => this.#call(() => this.#line.includes(place)),
            release: async () => this.#leave(place),
          };
        }),
      isFirst: () => this.#call(() => this.#line[0]?.node === node),
      watch: (onMove, signal) => watchWith(this.#lineWatchers, onMove, signal),
    };
  }

  #leave(place: object | undefined): void {
    this.#line = this.#line.filter((one) => one !== place);
    for (const watcher of this.#lineWatchers) watcher();
  }

  #replaceSnapshot(before: Snapshot, next: Snapshot): boolean {
    const state = this.#state;
    if (!state || !Bun.deepEquals(state.snapshot, before)) return false;
    state.snapshot = { ...next };
    return true;
  }

  #trim({ log, position: upTo }: Place): void {
    const state = this.#state;
    if (state?.head.log !== log) return;
    state.trimmed = Math.max(state.trimmed, upTo);
    state.records = state.records.filter((one) => one.log === log && one.position > state.trimmed);
  }

  #fileCalls(): LogFiles {
    return {
      put: (name, content) => this.#call(() => void this.#files.set(name, content.slice())),
      get: (name) => this.#call(() => this.#files.get(name)?.slice()),
      list: (prefix) =>
        this.#call(() => [...this.#files.keys()].filter((name) => name.startsWith(prefix)).toSorted()),
      remove: (names) => this.#call(() => names.forEach((name) => this.#files.delete(name))),
    };
  }

  #bytes(): number {
    const contents = [...this.#files.values(), ...this.records.map(({ record }) => record)];
    return contents.reduce((sum, { length }) => sum + length, 0);
  }

  #notify(): void {
    for (const watcher of this.#watchers) queueMicrotask(() => this.#watchers.has(watcher) && watcher());
  }
}

const watchWith = (watchers: Set<() => void>, onChange: () => void, signal: AbortSignal): void => {
  const watcher = () => onChange();
  watchers.add(watcher);
  signal.addEventListener("abort", () => watchers.delete(watcher));
};
