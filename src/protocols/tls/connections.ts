import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { clientNetwork } from "../../lib/client-address.ts";

/** Milliseconds, and connections. */
export interface ConnectionLimits {
  /** From the connection to the end of its handshake. */
  handshakeMs: number;
  /** From the first byte of a request's headers to their last. */
  headersMs: number;
  /** Without a byte in either direction. */
  idleMs: number;
  /** For a client that floods: to read why its connection ends. */
  lingerMs: number;
  connections: number;
  /** From one IPv4 address, or one /64 of IPv6. */
  connectionsPerClient: number;
}

export const DEFAULT_LIMITS: ConnectionLimits = {
  handshakeMs: 10_000,
  headersMs: 10_000,
  idleMs: 60_000,
  lingerMs: 1000,
  connections: 10_000,
  connectionsPerClient: 256,
};

/** Times are of `performance.now()`. */
export interface Connection {
  /** The client's, as the operating system writes it, IPv4 without "::ffff:". */
  readonly address: string;
  readonly socket: Socket;
  readonly openedAt: number;
  /** From its ClientHello, in lower case. */
  serverName: string;
  /** Once its handshake is done. */
  secure?: TLSSocket;
  /** The last byte in either direction. */
  lastActiveAt: number;
  /** The last byte to the client. */
  lastSentAt: number;
  /** The first byte of headers that have not come whole; 0: there are none. */
  headersStartedAt: number;
  /** A request has come over it. */
  hadRequest: boolean;
  /** Requests whose handler is at work. */
  requestsInFlight: number;
  /** How many of these may take longer than an idle connection lives. */
  idleExemptions: number;
  /** It speaks WebSocket: what it sends is not headers. */
  isUpgraded: boolean;
  isClosed: boolean;
}

export interface Connections {
  /** Takes a new connection in; undefined if it goes beyond a limit. */
  open(socket: Socket): Connection | undefined;
  /** The connection over which a TLS socket runs. */
  of(secure: TLSSocket): Connection | undefined;
  /** Gives it its name, by which it can be dropped. */
  setServerName(connection: Connection, serverName: string): void;
  close(connection: Connection): void;
  drop(serverName: string): void;
  /** Ends those that no request has come over, nor is on its way. */
  endUnused(): void;
  /** Ends those that are beyond a limit of time. */
  sweep(now: number): void;
  all(): Iterable<Connection>;
  readonly count: number;
}

const MAPPED = /^::ffff:(?=[\d.]+$)/i;

const peerKey = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

const isLate = (connection: Connection, now: number, limits: ConnectionLimits): boolean => {
  const {
    secure,
    openedAt,
    lastActiveAt: activeAt,
    lastSentAt: sentAt,
    headersStartedAt: headersSince,
    idleExemptions: patient,
  } = connection;
  if (!secure) return now - openedAt > limits.handshakeMs;
  if (patient === 0 && now - activeAt > limits.idleMs) return true;
  // Whoever still receives may send the next request early.
  return headersSince > 0 && now - Math.max(headersSince, sentAt) > limits.headersMs;
};

export const connectionTable = (limits: ConnectionLimits): Connections => {
  const byPeer = new Map<string, Connection>();
  const byName = new Map<string, Set<Connection>>();
  const clients = new Map<string, number>();

  const forget = (connection: Connection, peer: string, client: string) => {
    byPeer.delete(peer);
    const others = (clients.get(client) ?? 1) - 1;
    if (others > 0) clients.set(client, others);
    else clients.delete(client);
    const named = byName.get(connection.serverName);
    named?.delete(connection);
    if (named?.size === 0) byName.delete(connection.serverName);
  };

  const end = (connection: Connection) => {
    connection.isClosed = true;
    connection.secure?.destroy();
    connection.socket.destroy();
  };

  return {
    open(socket) {
      const { remoteAddress } = socket;
      // It has gone already.
      if (remoteAddress === undefined) return undefined;
      const address = remoteAddress.replace(MAPPED, "");
      const client = clientNetwork(address);
      const others = clients.get(client) ?? 0;
      if (byPeer.size >= limits.connections || others >= limits.connectionsPerClient) return undefined;
      const now = performance.now();
      const connection: Connection = {
        address,
        socket,
        openedAt: now,
        serverName: "",
        lastActiveAt: now,
        lastSentAt: 0,
        headersStartedAt: 0,
        hadRequest: false,
        requestsInFlight: 0,
        idleExemptions: 0,
        isUpgraded: false,
        isClosed: false,
      };
      const peer = peerKey(socket);
      byPeer.set(peer, connection);
      clients.set(client, others + 1);
      socket.once("close", () => {
        connection.isClosed = true;
        connection.secure?.destroy();
        forget(connection, peer, client);
      });
      return connection;
    },
    of: (secure) => byPeer.get(peerKey(secure)),
    setServerName(connection, serverName) {
      connection.serverName = serverName;
      const named = byName.get(serverName);
      if (named) named.add(connection);
      else byName.set(serverName, new Set([connection]));
    },
    close: end,
    drop(serverName) {
      for (const connection of byName.get(serverName) ?? []) end(connection);
    },
    endUnused() {
      for (const connection of byPeer.values())
        if (!connection.hadRequest && connection.headersStartedAt === 0) end(connection);
    },
    sweep(now) {
      for (const connection of byPeer.values()) if (isLate(connection, now, limits)) end(connection);
    },
    all: () => byPeer.values(),
    get count() {
      return byPeer.size;
    },
  };
};
