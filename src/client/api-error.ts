import { type FieldProblem, parseInvalidFields } from "./invalid-fields.ts";

/** The parts of an error response other than its status and body. */
interface ErrorDetails {
  /** Quote it to the operator: the server's log has it too. */
  requestId?: string | undefined;
  /** Seconds to wait before a retry. */
  retryAfter?: number | undefined;
  /** The fields of the request that are invalid. */
  fields?: readonly FieldProblem[];
  cause?: unknown;
}

/**
 * A refused or failed request. `code` is for programs, `message` for people. `status` is 0 if no response arrived: then `code`
 * is `unreachable` or `timeout`.
 */
export class ApiError extends Error {
  override name = "ApiError";
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  /** The fields of the request that the error is about, if it is about any. */
  readonly fields: readonly FieldProblem[];

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    { requestId, retryAfter, fields = [], cause }: ErrorDetails = {},
  ) {
    super(message, { cause });
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.fields = fields;
  }
}

/** Seconds, from RFC 9110 section 10.2.3: a number of seconds or a date. */
const secondsOf = (retryAfter: string | null): number | undefined => {
  if (retryAfter === null) return undefined;
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : Math.max(0, (Date.parse(retryAfter) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : seconds;
};

interface Body {
  code?: unknown;
  message?: unknown;
}

const bodyOf = (text: string): Body => {
  try {
    return (JSON.parse(text) ?? {}) as Body;
  } catch {
    return {};
  }
};

/** The error in a response whose body has been read. The response may come from a proxy, and have any body. */
export const errorOf = ({ status, headers }: Response, text: string): ApiError => {
  const { code, message } = bodyOf(text);
  const details = {
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfter: secondsOf(headers.get("retry-after")),
    fields: parseInvalidFields(headers.get("invalid-fields")),
  };
  return typeof code === "string" && typeof message === "string"
    ? new ApiError(status, code, message, details)
    : new ApiError(status, "unreadable", `The server responded with status ${status}.`, details);
};
