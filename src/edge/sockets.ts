import { dlopen } from "bun:ffi";
import { fstatSync, openSync, readdirSync } from "node:fs";
import { processFileLimit } from "./file-descriptors.ts";

/** A connection that a listener of this process accepted. */
export interface OpenSocket {
  /** The file descriptor. It is valid until control returns to the event loop, which may close the socket. */
  descriptor: number;
  /** The client's address, as `net.Socket` writes it. */
  address: string;
}

const FUNCTIONS = {
  getsockname: { args: ["i32", "ptr", "ptr"], returns: "i32" },
  getpeername: { args: ["i32", "ptr", "ptr"], returns: "i32" },
  getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
  shutdown: { args: ["i32", "i32"], returns: "i32" },
} as const;

/** The C library: glibc's name, and musl's. The process has already loaded it. */
const LIBRARIES = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];

const DESCRIPTORS = "/proc/self/fd";
/** Constants of Linux's C headers. */
const AF_INET = 2;
const AF_INET6 = 10;
const SOL_SOCKET = 1;
const SO_TYPE = 3;
const SOCK_STREAM = 1;
const IPPROTO_TCP = 6;
const TCP_INFO = 11;
const TCP_LISTEN = 10;
const SHUT_RDWR = 2;
/** Offsets of members of struct tcp_info, without their prefix `tcpi_`. */
const OFFSETS = {
  state: 0,
  unacked: 24,
  last_data_sent: 44,
  last_data_recv: 52,
  bytes_acked: 120,
  bytes_received: 128,
  notsent_bytes: 144,
} as const;
/** The size of struct sockaddr_storage, and enough for struct tcp_info. */
const ADDRESS_BYTES = 128;
const INFO_BYTES = 256;

const load = () => {
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, FUNCTIONS).symbols;
    } catch {
      // Try the next name.
    }
  }
  return undefined;
};

const dotted = (address: Buffer): string => address.subarray(4, 8).join(".");

const colons = (address: Buffer): string =>
  Array.from({ length: 8 }, (_, group) => address.readUInt16BE(8 + 2 * group).toString(16)).join(":");

const isMapped = (address: Buffer): boolean =>
  address.subarray(8, 20).equals(Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]));

/**
 * The sockets of this process, from the operating system; undefined unless it is Linux. All calls are synchronous, so no
 * descriptor changes in between.
 */
export const openSockets = () => {
  const library = process.platform === "linux" ? load() : undefined;
  if (!library) return undefined;
  const directory = openSync(DESCRIPTORS, "r");
  const limit = processFileLimit();
  const address = Buffer.alloc(ADDRESS_BYTES);
  const info = Buffer.alloc(INFO_BYTES);
  const length = new Uint32Array(1);

  /** Reads into `info`; false if it is not a socket, or not of this protocol. */
  const readOption = (descriptor: number, level: number, option: number): boolean => {
    length[0] = INFO_BYTES;
    return library.getsockopt(descriptor, level, option, info, length) === 0;
  };
  const isStream = (descriptor: number): boolean =>
    readOption(descriptor, SOL_SOCKET, SO_TYPE) && info.readUInt32LE(0) === SOCK_STREAM;

  /** Reads into `address`; false if the descriptor is not an IP socket. */
  const read = (name: "getsockname" | "getpeername", descriptor: number): boolean => {
    length[0] = ADDRESS_BYTES;
    if (library[name](descriptor, address, length) !== 0) return false;
    const family = address.readUInt16LE(0);
    return family === AF_INET || family === AF_INET6;
  };
  const addressText = (): string => {
    if (address.readUInt16LE(0) === AF_INET) return dotted(address);
    return isMapped(address) ? address.subarray(20, 24).join(".") : colons(address);
  };

  /** Without a free descriptor, the directory cannot be read. All descriptors below the limit are then in use. */
  const descriptors = (): number[] => {
    try {
      return readdirSync(DESCRIPTORS).map(Number);
    } catch {
      return Array.from({ length: limit }, (_, descriptor) => descriptor);
    }
  };

  /** The sockets on these ports. The local address is read before each. */
  function* socketsOn(ports: ReadonlySet<number>) {
    for (const descriptor of descriptors())
      if (read("getsockname", descriptor) && ports.has(address.readUInt16BE(2))) yield descriptor;
  }

  return {
    /** How many files this process has open, sockets among them. Before Linux 6.2 the size of the directory is 0. */
    openFiles: (): number => fstatSync(directory).size || descriptors().length,
    /** The connections accepted on these ports. */
    accepted(ports: ReadonlySet<number>): OpenSocket[] {
      const sockets: OpenSocket[] = [];
      for (const descriptor of socketsOn(ports))
        // A UDP socket may have the same port.
        if (isStream(descriptor) && read("getpeername", descriptor))
          sockets.push({ descriptor, address: addressText() });
      return sockets;
    },
    /** Milliseconds since the last byte in either direction; Infinity if the client has sent nothing yet. */
    idleMs(descriptor: number): number {
      if (!readOption(descriptor, IPPROTO_TCP, TCP_INFO)) return 0;
      if (info.readBigUInt64LE(OFFSETS.bytes_received) === 0n) return Number.POSITIVE_INFINITY;
      return Math.min(info.readUInt32LE(OFFSETS.last_data_sent), info.readUInt32LE(OFFSETS.last_data_recv));
    },
    /** The connections on these ports with data that the client has not acknowledged, and how many bytes it has. */
    unacknowledged(ports: ReadonlySet<number>) {
      const sockets = [];
      for (const descriptor of socketsOn(ports)) {
        if (!readOption(descriptor, IPPROTO_TCP, TCP_INFO) || info[OFFSETS.state] === TCP_LISTEN) continue;
        if (info.readUInt32LE(OFFSETS.unacked) + info.readUInt32LE(OFFSETS.notsent_bytes) > 0)
          sockets.push({ descriptor, acknowledged: Number(info.readBigUInt64LE(OFFSETS.bytes_acked)) });
      }
      return sockets;
    },
    /** Ends both directions. The owner of the socket sees its end, and closes it. */
    shutdown: (descriptor: number): void => void library.shutdown(descriptor, SHUT_RDWR),
  };
};

export type Sockets = NonNullable<ReturnType<typeof openSockets>>;
