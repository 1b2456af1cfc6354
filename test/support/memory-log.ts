import { AppendUnknown, EngineUnavailable, LogTrimmed, RecordTooLarge } from "../../src/cluster/errors.ts";
import type { Append, Claim, Head, Log, LogFiles, LogRecord, Snapshot } from "../../src/cluster/log.ts";

const MAX_READ_BYTES = 4 * 1024 * 1024;
/** How long a node waits for its turn, before it writes without. */
const TURN_PATIENCE_MS = 8000;

interface State {
  head: Head;
  /** The position up to which records were removed. */
  trimmed: number;
  records: LogRecord[];
  snapshot: Snapshot;
}

interface Holder {
  node: object;
  value: string;
  lost: AbortController;
}

/**
 * An engine in memory, for all nodes of one process. It behaves as `test/cluster/log-contract.ts` says, as the real engines do,
 * and fails when a test wants it to.
 */
export class MemoryEngine {
  /** A test sets it; meanwhile every call fails. */
  #isAvailable = true;
  /** How long every call takes. */
  delayMs = 0;
  /** The largest record, as with the engines. */
  maxRecordBytes = 64 * 1024 * 1024;
  /** What happens to the next append: its response is lost, before or after the record is stored. */
  losesNextAppend: "before" | "after" | undefined;
  /** Called before each append, for example to let another node come first. */
  onAppend: (id: string) => Promise<void> | void = () => {};
  #state: State | undefined;
  readonly #files = new Map<string, Uint8Array>();
  readonly #claims = new Map<string, Holder>();
  readonly #watchers = new Set<() => void>();
  /** The first one has the turn. */
  #turns: { node: object; start: () => void }[] = [];

  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  set isAvailable(isAvailable: boolean) {
    this.#isAvailable = isAvailable;
    if (isAvailable) this.#notify();
  }

  /** The records that are in the log at present. */
  get records(): readonly LogRecord[] {
    return this.#state?.records ?? [];
  }

  /** Ends the claims and turns that nodes have, as if these nodes had stopped for longer than their leases last. */
  expireLeases(): void {
    for (const { lost } of this.#claims.values()) lost.abort();
    this.#claims.clear();
    if (this.#turns.length > 0) this.#endTurn(this.#turns[0]);
  }

  /** Puts another record where the last one is, as when an old primary's last record was on no standby. */
  replaceLast(id: string, record: Uint8Array): void {
    const state = this.#state;
    const last = state?.records.pop();
    if (!state || !last) throw new Error("the log has no record");
    state.records.push({ position: last.position, id, record });
    state.head = { ...state.head, id };
    this.#notify();
  }

  /** The log as one more node sees it. */
  open(): Log {
    const node = {};
    return {
      head: () => this.#call(() => this.#state?.head),
      create: (first, replaces) => this.#call(() => this.#create(first, replaces)),
      append: (after, id, record) => this.#append(node, after, id, record),
      read: (after, limit) => this.#call(() => this.#read(after, limit)),
      watch: (onChange, signal) => {
        const watcher = () => onChange();
        this.#watchers.add(watcher);
        signal.addEventListener("abort", () => this.#watchers.delete(watcher));
      },
      // Without an engine, a node goes on without its turn.
      turn: () => this.#call(() => this.#turn(node)).catch(() => ({ [Symbol.asyncDispose]: async () => {} })),
      claim: (name, _ttlMs, value = "") => this.#call(() => this.#claim(node, name, value)),
      claims: (prefix) =>
        this.#call(() => {
          const claims = [...this.#claims].filter(([name]) => name.startsWith(prefix));
          return new Map(claims.map(([name, { value }]) => [name, value]));
        }),
      snapshot: () => this.#call(() => this.#state?.snapshot),
      announce: (snapshot) => this.#call(() => this.#announce(snapshot)),
      trim: (upTo) => this.#call(() => this.#trim(upTo)),
      files: this.#fileCalls(),
      health: async () => ({
        version: this.#isAvailable ? "memory 1" : undefined,
        members: [
          { address: "memory", problem: this.#isAvailable ? undefined : "is not available", isLeader: true },
        ],
        bytes: this.#isAvailable ? this.#bytes() : undefined,
      }),
      close: async () => this.#close(node),
    };
  }

  async #call<Value>(act: () => Value | Promise<Value>): Promise<Value> {
    if (this.delayMs > 0) await Bun.sleep(this.delayMs);
    else await Promise.resolve();
    if (!this.#isAvailable) throw new EngineUnavailable("the engine in memory is not available");
    return act();
  }

  #create(first: Snapshot, replaces: string | undefined): boolean {
    if (this.#state?.head.log === first.log) return true;
    if (this.#state?.head.log !== replaces) return false;
    const { log, position, id } = first;
    this.#state = { head: { log, position, id }, trimmed: position, records: [], snapshot: { ...first } };
    this.#notify();
    return true;
  }

  async #append(node: object, after: Head, id: string, record: Uint8Array): Promise<Append> {
    if (record.length > this.maxRecordBytes) throw new RecordTooLarge(record.length, this.maxRecordBytes);
    const copy = record.slice();
    await this.onAppend(id);
    return this.#call(() => {
      const loses = this.losesNextAppend;
      this.losesNextAppend = undefined;
      if (loses === "before") throw new AppendUnknown("the response was lost");
      const won = this.#put(after, id, copy);
      if (loses === "after") throw new AppendUnknown("the response was lost");
      return { won, isAwaited: this.#turns.some((turn) => turn.node !== node) };
    });
  }

  #put(after: Head, id: string, record: Uint8Array): boolean {
    const state = this.#state;
    const position = after.position + 1;
    if (state?.head.log === after.log && state.records.some((one) => one.id === id)) return true;
    if (!state || !Bun.deepEquals(state.head, { log: after.log, position: after.position, id: after.id }))
      return false;
    state.records.push({ position, id, record });
    state.head = { log: after.log, position, id };
    this.#notify();
    return true;
  }

  #read(after: Pick<Head, "log" | "position">, limit: number): LogRecord[] {
    const state = this.#state;
    if (state?.head.log !== after.log) throw new LogTrimmed("the engine has another log");
    if (after.position < state.trimmed)
      throw new LogTrimmed(`the records up to position ${state.trimmed} were removed`);
    let bytes = 0;
    return state.records
      .filter(({ position }) => position > after.position)
      .slice(0, limit)
      .filter(({ record }, index) => (bytes += record.length) <= MAX_READ_BYTES || index === 0)
      .map((one) => ({ ...one, record: one.record.slice() }));
  }

  async #turn(node: object): Promise<AsyncDisposable> {
    const started = Promise.withResolvers<void>();
    const turn = { node, start: started.resolve };
    this.#turns.push(turn);
    if (this.#turns[0] === turn) started.resolve();
    const patience = setTimeout(() => this.#endTurn(turn), TURN_PATIENCE_MS);
    await started.promise;
    clearTimeout(patience);
    return { [Symbol.asyncDispose]: async () => this.#endTurn(turn) };
  }

  #endTurn(turn: { start: () => void } | undefined): void {
    this.#turns = this.#turns.filter((one) => one !== turn);
    turn?.start();
    this.#turns[0]?.start();
  }

  #claim(node: object, name: string, value: string): Claim | undefined {
    if (this.#claims.has(name)) return undefined;
    const holder: Holder = { node, value, lost: new AbortController() };
    this.#claims.set(name, holder);
    const isHeld = () => this.#claims.get(name) === holder;
    return {
      lost: holder.lost.signal,
      update: (next) =>
        this.#call(() => {
          if (isHeld()) holder.value = next;
        }),
      [Symbol.asyncDispose]: async () => {
        if (isHeld()) this.#claims.delete(name);
      },
    };
  }

  #announce(snapshot: Snapshot): boolean {
    const state = this.#state;
    if (state?.head.log !== snapshot.log || snapshot.position <= state.snapshot.position) return false;
    state.snapshot = { ...snapshot };
    return true;
  }

  #trim(upTo: number): void {
    const state = this.#state;
    if (!state) return;
    state.trimmed = Math.max(state.trimmed, Math.min(upTo, state.snapshot.position));
    state.records = state.records.filter(({ position }) => position > state.trimmed);
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

  #close(node: object): void {
    for (const [name, holder] of this.#claims) if (holder.node === node) this.#claims.delete(name);
    for (const turn of this.#turns.filter((one) => one.node === node)) this.#endTurn(turn);
  }
}
