/** What clients do with animals, as lines that test/real/porcupine checks. */
import { until } from "../support.ts";

/** Where clients send requests. */
export interface Node {
  /** Undefined while it is down. */
  readonly url: string | undefined;
  readonly key: string;
}

export interface Animal {
  name: string;
  /** "none" if it has no status. */
  status: string;
}

/** An operation as it is called. */
export interface Call {
  kind: "add" | "get" | "patch" | "delete" | "order" | "cancel";
  client: number;
  animal: number;
  name?: string;
  status?: string;
  order?: number;
}

/** An operation as it is recorded: `model.go` explains the fields. */
interface Line extends Call {
  node: number;
  call: number;
  return?: number;
  code?: number;
  seen?: Animal;
  placed?: number;
}

export interface Request {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  json?: unknown;
  idempotencyKey?: string;
}

export interface Answer {
  node: number;
  code: number;
  body: unknown;
  /** Monotonic nanoseconds. */
  call: number;
  return: number;
}

/** The service did nothing, or its response has no result. */
export type Silence = { node: number; call: number; outcome: "nothing" | "unknown" };

const TIMEOUT_MS = 10_000;
/** How long an operation with an Idempotency-Key is tried again. */
const PATIENCE_MS = 30_000;
/** Statuses that are an operation's result. */
const RESULTS: ReadonlySet<number> = new Set([200, 201, 204, 404, 409]);

const codeOf = (body: unknown): string => (body as { code?: string } | undefined)?.code ?? "";

const isSent = (error: unknown): boolean => (error as { code?: string }).code !== "ConnectionRefused";

/** Sends a request once. @throws if the response is one that no client should get */
const send = async (
  { url, key }: Node,
  { method, path, json, idempotencyKey }: Request,
): Promise<{ code: number; body: unknown } | Silence["outcome"]> => {
  if (url === undefined) return "nothing";
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(json !== undefined && { "content-type": "application/json" }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      // Bun sends a request again when a connection that it kept was closed: a refusal would not say that nothing was sent.
      keepalive: false,
    });
    const text = await response.text();
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    if (response.status === 503) return codeOf(body) === "outcome_unknown" ? "unknown" : "nothing";
    if (codeOf(body) === "idempotency_in_flight") return "unknown";
    if (RESULTS.has(response.status)) return { code: response.status, body };
    throw new Unexpected(`${method} ${path}: ${response.status} ${text}`);
  } catch (error) {
    if (error instanceof Unexpected) throw error;
    return isSent(error) ? "unknown" : "nothing";
  }
};

/** A response that is wrong whatever else happened. */
export class Unexpected extends Error {
  override name = "Unexpected";
}

/** Calls the nodes, and writes what came of it into a file. */
export const recorder = (path: string, nodes: readonly Node[]) => {
  const writer = Bun.file(path).writer();
  const figures = { operations: 0, unknown: 0, nothing: 0, refused: 0 };

  const once = async (node: number, request: Request): Promise<Answer | Silence> => {
    const call = Bun.nanoseconds();
    const outcome = await send(nodes[node] as Node, request);
    if (typeof outcome === "string") return { node, call, outcome };
    return { node, call, return: Bun.nanoseconds(), ...outcome };
  };

  /** With an Idempotency-Key, tries again at the other nodes until one answers: all attempts are one operation. */
  const ask = async (node: number, request: Request): Promise<Answer | Silence> => {
    const first = await once(node, request);
    if ("code" in first || request.idempotencyKey === undefined) return first;
    let answer: Answer | Silence = first;
    let isUnknown = first.outcome === "unknown";
    let next = node;
    const hasAnswer = async (): Promise<boolean> => {
      await Bun.sleep(20);
      next = (next + 1) % nodes.length;
      answer = await once(next, request);
      isUnknown ||= !("code" in answer) && answer.outcome === "unknown";
      return "code" in answer;
    };
    await until("a response", hasAnswer, PATIENCE_MS).catch((error: unknown) => {
      if (error instanceof Unexpected) throw error;
    });
    const last = answer as Answer | Silence;
    if (!("code" in last)) return { ...first, outcome: isUnknown ? "unknown" : "nothing" };
    // An earlier attempt may still be carried out after a later one was refused.
    if (isUnknown && last.code >= 400) return { ...first, outcome: "unknown" };
    return { ...last, call: first.call };
  };

  const write = (line: Line): void => void writer.write(`${JSON.stringify(line)}\n`);

  return {
    figures,
    ask,
    /** Records an operation: reads without a result are left out, and so is what has done nothing. */
    record(call: Call, answer: Answer | Silence, result: Pick<Line, "seen" | "placed" | "code"> = {}): void {
      const isRead = call.kind === "get";
      if ("outcome" in answer) {
        figures[answer.outcome]++;
        if (isRead || answer.outcome === "nothing") return;
        return write({ ...call, node: answer.node, call: answer.call });
      }
      const { node, code, call: from, return: to } = answer;
      if (code >= 400) figures.refused++;
      write({ ...call, node, code, call: from, return: to, ...result });
    },
    count: () => ++figures.operations,
    end: async (): Promise<void> => void (await writer.end()),
  };
};

export type Recorder = ReturnType<typeof recorder>;
