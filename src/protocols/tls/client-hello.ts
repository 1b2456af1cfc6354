import type { Socket } from "node:net";

/** The fields of a ClientHello that this server uses. */
export interface ClientHello {
  kind: "hello";
  /** From the extension server_name, in lower case; undefined without it. */
  serverName: string | undefined;
  /** From the extension ALPN, in the client's order. */
  protocols: string[];
}

type ClientHelloResult =
  | ClientHello
  /** Parse it again once there are at least `bytes` bytes. */
  | { kind: "incomplete"; bytes: number }
  | { kind: "malformed" };

/** The largest ClientHello, in bytes of records. Browsers send 2,000 with a post-quantum key share. */
export const MAX_HELLO_BYTES = 16_384;

const RECORD_HEADER = 5;
const HANDSHAKE_HEADER = 4;
/** RFC 8446 section 5.1: the content type handshake; section 4: the handshake type client_hello. */
const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
/** RFC 6066 section 3, RFC 7301 section 3.1. */
const SERVER_NAME = 0;
const ALPN = 16;
const HOST_NAME = 0;
const RANDOM_BYTES = 32;
const NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
const NAME_LENGTH = 253;

class Malformed extends Error {}

/** Reads bytes in order, and vectors (RFC 8446 section 3). Every method throws Malformed beyond the end. */
const cursorOver = (bytes: Uint8Array) => {
  let at = 0;
  const skip = (count: number): void => {
    if (count > bytes.length - at) throw new Malformed();
    at += count;
  };
  // Without a separate view: a ClientHello has a hundred integers.
  const integer = (count: number): number => {
    skip(count);
    let value = 0;
    for (let from = at - count; from < at; from++) value = value * 256 + bytes[from]!;
    return value;
  };
  return {
    get left(): number {
      return bytes.length - at;
    },
    integer,
    skip,
    /** The bytes after their length, which takes `lengthBytes` bytes. */
    vector(lengthBytes: number): Uint8Array {
      const length = integer(lengthBytes);
      skip(length);
      return bytes.subarray(at - length, at);
    },
  };
};

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

/** RFC 6066 section 3: one name of each type; host_name is the only type. */
const readServerName = (extension: Uint8Array): string => {
  const outer = cursorOver(extension);
  const list = cursorOver(outer.vector(2));
  if (list.integer(1) !== HOST_NAME) throw new Malformed();
  const name = textOf(list.vector(2)).toLowerCase();
  if (list.left > 0 || outer.left > 0 || name.length > NAME_LENGTH || !NAME.test(name)) throw new Malformed();
  return name;
};

/** RFC 7301 section 3.1: a list of names that are not empty. */
const readProtocols = (extension: Uint8Array): string[] => {
  const outer = cursorOver(extension);
  const list = cursorOver(outer.vector(2));
  const protocols: string[] = [];
  while (list.left > 0) protocols.push(textOf(list.vector(1)));
  if (outer.left > 0 || protocols.length === 0 || protocols.includes("")) throw new Malformed();
  return protocols;
};

/** RFC 8446 section 4.1.2. */
const readBody = (body: Uint8Array): ClientHello => {
  const cursor = cursorOver(body);
  cursor.skip(2 + RANDOM_BYTES);
  for (const lengthBytes of [1, 2, 1]) cursor.skip(cursor.integer(lengthBytes));
  const extensions = cursorOver(cursor.left > 0 ? cursor.vector(2) : new Uint8Array());
  if (cursor.left > 0) throw new Malformed();
  const hello: ClientHello = { kind: "hello", serverName: undefined, protocols: [] };
  const seen = new Set<number>();
  while (extensions.left > 0) {
    const type = extensions.integer(2);
    // RFC 8446 section 4.2: each type at most once.
    if (seen.has(type)) throw new Malformed();
    seen.add(type);
    if (type === SERVER_NAME) hello.serverName = readServerName(extensions.vector(2));
    else if (type === ALPN) hello.protocols = readProtocols(extensions.vector(2));
    else extensions.skip(extensions.integer(2));
  }
  return hello;
};

/** False as soon as the first bytes are not a TLS handshake record. */
const isHandshake = (header: Uint8Array): boolean =>
  header[0] === HANDSHAKE && (header.length < 2 || header[1] === 3);

/** An empty handshake record is forbidden (section 5.1). */
const fragmentLength = (header: Uint8Array): number => {
  const length = header[3]! * 256 + header[4]!;
  if (length === 0) throw new Malformed();
  return length;
};

/** One after the other. Most messages have one fragment. */
const joined = (fragments: Uint8Array[]): Uint8Array =>
  fragments.length === 1 ? fragments[0]! : Buffer.concat(fragments);

/** The length of the message that begins with these non-empty fragments; undefined while its header is incomplete. */
const messageLength = (fragments: Uint8Array[]): number | undefined => {
  const header = cursorOver(joined(fragments.slice(0, HANDSHAKE_HEADER)));
  if (header.left < HANDSHAKE_HEADER) return undefined;
  if (header.integer(1) !== CLIENT_HELLO) throw new Malformed();
  return HANDSHAKE_HEADER + header.integer(3);
};

const readRecords = (bytes: Uint8Array): ClientHelloResult => {
  const fragments: Uint8Array[] = [];
  let length: number | undefined;
  let received = 0;
  let end = 0;
  while (length === undefined || received < length) {
    const begin = end + RECORD_HEADER;
    const header = bytes.subarray(end, begin);
    if (header.length > 0 && !isHandshake(header)) throw new Malformed();
    end = header.length < RECORD_HEADER ? begin : begin + fragmentLength(header);
    if (end > MAX_HELLO_BYTES) throw new Malformed();
    if (end > bytes.length) return { kind: "incomplete", bytes: end };
    fragments.push(bytes.subarray(begin, end));
    received += end - begin;
    length ??= messageLength(fragments);
    if (length !== undefined && length > MAX_HELLO_BYTES) throw new Malformed();
  }
  return readBody(joined(fragments).subarray(HANDSHAKE_HEADER, length));
};

/**
 * Parses the ClientHello at the beginning of a connection (RFC 8446 section 4.1.2; TLS 1.2: RFC 5246 section 7.4.1.2), which may
 * span several records. Pass all bytes so far. At most 16 KiB are parsed, and nothing after the ClientHello.
 */
export const parseClientHello = (bytes: Uint8Array): ClientHelloResult => {
  try {
    return readRecords(bytes);
  } catch (error) {
    if (error instanceof Malformed) return { kind: "malformed" };
    throw error;
  }
};

/**
 * Reads the ClientHello of a new connection. `onHello` is called with the ClientHello; the socket is then paused, and its bytes
 * are unread again. `onMalformed` is called with the bytes of anything else. The caller limits the time by destroying the socket.
 */
export const readClientHello = (
  socket: Socket,
  {
    onHello,
    onMalformed,
  }: { onHello: (hello: ClientHello) => void; onMalformed: (bytes: Uint8Array) => void },
): void => {
  const chunks: Buffer[] = [];
  let received = 0;
  let needed = 0;
  const read = (chunk: Buffer) => {
    chunks.push(chunk);
    received += chunk.length;
    if (received < needed) return;
    const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    chunks.splice(0, chunks.length, bytes);
    const reading = parseClientHello(bytes);
    if (reading.kind === "incomplete") {
      needed = reading.bytes;
      return;
    }
    socket.off("data", read);
    if (reading.kind === "malformed") return onMalformed(bytes);
    socket.pause();
    socket.unshift(bytes);
    onHello(reading);
  };
  socket.on("data", read);
};
