import {
  ACK,
  DATA,
  END_STREAM,
  type FrameHeader,
  HEADERS,
  RST_STREAM,
  SETTINGS,
  WINDOW_UPDATE,
} from "./frames.ts";

/** RFC 9113 section 6.5.2. */
const INITIAL_WINDOW_SIZE = 4;
const SETTING_BYTES = 6;
/** Section 6.9.2. */
const DEFAULT_WINDOW = 65_535;

/** The lowest rate at which a client may read. It is the default of IIS and of Kestrel. */
export const MIN_BYTES_PER_SECOND = 240;
/** An upper bound: a window may stay closed for hours while nothing is sent. */
const MAX_LATE_MS = 30_000;

/** How many bytes the client accepts (section 5.2). */
interface Window {
  bytes: number;
  /** When the window closed, less `lateMs`; 0 while it is open. */
  blockedAt: number;
  /** How long the window was closed before, minus the time allowed at the lowest rate for the bytes sent since. */
  lateMs: number;
}

type Clock = () => number;

const newWindow = (bytes: number): Window => ({ bytes, blockedAt: 0, lateMs: 0 });

const block = (window: Window, now: Clock) => {
  window.blockedAt ||= now() - window.lateMs;
};

/** Adds bytes that the client accepts; SETTINGS can shrink the window. A window that stays closed has made no progress. */
const grant = (window: Window, bytes: number, now: Clock) => {
  window.bytes += bytes;
  if (window.bytes <= 0) return block(window, now);
  if (window.blockedAt > 0) window.lateMs = Math.min(MAX_LATE_MS, now() - window.blockedAt);
  window.blockedAt = 0;
};

/** Subtracts bytes of DATA. Only these are progress: a client can withdraw bytes that it has granted. */
const spend = (window: Window, bytes: number, now: Clock) => {
  window.bytes -= bytes;
  window.lateMs = Math.max(0, window.lateMs - (1000 * bytes) / MIN_BYTES_PER_SECOND);
  if (window.bytes <= 0) block(window, now);
};

/** The last INITIAL_WINDOW_SIZE in the payload of SETTINGS; undefined without one. */
const initialWindowIn = (payload: Buffer): number | undefined => {
  let size: number | undefined;
  for (let at = 0; at + SETTING_BYTES <= payload.length; at += SETTING_BYTES)
    if (payload.readUInt16BE(at) === INITIAL_WINDOW_SIZE) size = payload.readUInt32BE(at + 2);
  return size;
};

/**
 * Follows the responses of an HTTP/2 connection, and the flow control that the client applies to them.
 * @param onChange called with 1 for each request and -1 for each response that ends, or that either side resets
 */
export const watchResponses = (now: Clock, onChange: (change: 1 | -1) => void) => {
  /** `begunAt`: when the headers were sent; 0 before. */
  const open = new Map<number, Window & { begunAt: number }>();
  const connection = newWindow(DEFAULT_WINDOW);
  let initialWindow = DEFAULT_WINDOW;
  let lastStream = 0;
  let isClosed = false;

  const end = (stream: number) => {
    if (open.delete(stream)) onChange(-1);
  };
  const start = (stream: number) => {
    // Trailers belong to an earlier request. A connection that ends responds to no further request.
    if (stream <= lastStream || isClosed) return;
    lastStream = stream;
    open.set(stream, { ...newWindow(initialWindow), begunAt: 0 });
    onChange(1);
  };
  const readSettings = (payload: Buffer) => {
    const size = initialWindowIn(payload) ?? initialWindow;
    // Section 6.9.2: the change applies to all open streams.
    if (size !== initialWindow)
      for (const response of open.values()) grant(response, size - initialWindow, now);
    initialWindow = size;
  };
  const readWindowUpdate = (stream: number, payload: Buffer) => {
    const window = stream === 0 ? connection : open.get(stream);
    if (window && payload.length === 4) grant(window, payload.readUInt32BE(0) & 0x7f_ff_ff_ff, now);
  };

  return {
    /** Call it with each frame from the client. */
    received({ type, flags, stream }: FrameHeader, payload: Buffer): void {
      if (type === HEADERS) start(stream);
      else if (type === RST_STREAM) end(stream);
      else if (type === WINDOW_UPDATE) readWindowUpdate(stream, payload);
      else if (type === SETTINGS && (flags & ACK) === 0) readSettings(payload);
    },
    /** Call it with each frame to the client. */
    sent({ type, flags, stream, length }: FrameHeader): void {
      if (type === RST_STREAM) return end(stream);
      if (type !== HEADERS && type !== DATA) return;
      const response = open.get(stream);
      if (type === DATA) spend(connection, length, now);
      if (!response) return;
      if ((flags & END_STREAM) !== 0) end(stream);
      else if (type === DATA) spend(response, length, now);
      else {
        response.begunAt = now();
        if (response.bytes <= 0) response.blockedAt = response.begunAt;
      }
    },
    /** The last stream that the client opened. */
    lastStream: (): number => lastStream,
    /** The streams of responses that have begun, and that the client has blocked since `time`. */
    blockedSince(time: number): number[] {
      const isBefore = (at: number) => at > 0 && at <= time;
      const all = isBefore(connection.blockedAt);
      const streams: number[] = [];
      for (const [stream, response] of open)
        if (isBefore(response.begunAt) && (all || isBefore(response.blockedAt))) streams.push(stream);
      return streams;
    },
    /** Stops tracking a response that was reset. */
    end,
    /** Stops tracking all responses, when the connection ends. */
    endAll(): void {
      isClosed = true;
      for (const stream of open.keys()) end(stream);
    },
  };
};
