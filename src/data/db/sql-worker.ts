import { PRAGMAS } from "./pragmas.ts";
// eslint-disable-next-line import/default -- it is imported as text
import program from "./sql.worker.js" with { type: "text" };

type Value = string | number | null;
type Row = Record<string, unknown>;

type Reply =
  | { id: number; rows: Row[]; failed?: undefined }
  | { id: number; failed: { message: string; code?: string } };

/**
 * Opens an existing database file in a worker, whose statements do not block the event loop.
 * @param signal ends the worker immediately: the transaction of a running statement is not committed
 */
export const openSqlWorker = async (path: string, signal?: AbortSignal) => {
  signal?.throwIfAborted();
  const url = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
  const worker = new Worker(url);
  const waiting = new Map<number, PromiseWithResolvers<Row[]>>();
  let requests = 0;
  let ended: { reason: unknown } | undefined;
  const end = (reason: unknown) => {
    ended ??= { reason };
    worker.terminate();
    URL.revokeObjectURL(url);
    signal?.removeEventListener("abort", abort);
    // A worker that has ended never replies.
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  };
  const abort = () => end(signal?.reason);
  signal?.addEventListener("abort", abort);
  worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => {
    const { resolve, reject } = waiting.get(data.id) ?? {};
    waiting.delete(data.id);
    if (data.failed) reject?.(Object.assign(new Error(data.failed.message), { code: data.failed.code }));
    else resolve?.(data.rows);
  });
  worker.addEventListener("error", ({ message }) =>
    end(new Error(`the database's worker failed: ${message}`)),
  );
  const send = async (job: object): Promise<Row[]> => {
    if (ended) throw ended.reason;
    const id = requests++;
    const reply = Promise.withResolvers<Row[]>();
    waiting.set(id, reply);
    worker.postMessage({ id, ...job }, []);
    return reply.promise;
  };
  const close = async () => {
    // What was committed stays: an abort must not make it look undone.
    signal?.removeEventListener("abort", abort);
    if (ended) return;
    try {
      await send({});
    } finally {
      end(new Error("the database's worker was closed"));
    }
  };
  try {
    await send({ open: path });
    for (const pragma of PRAGMAS) await send({ query: pragma });
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
  return {
    /** @throws SQLite's error, with its code */
    all: (query: string, parameters: readonly Value[] = []): Promise<Row[]> => send({ query, parameters }),
    /** Runs all statements of `run`. @throws SQLite's error, with its code */
    async run(run: string, parameters: readonly Value[] = []): Promise<void> {
      await send({ run, parameters });
    },
    [Symbol.asyncDispose]: close,
  };
};

export type SqlWorker = Awaited<ReturnType<typeof openSqlWorker>>;
