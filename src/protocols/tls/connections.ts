import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { clientNetwork } from "../../lib/client-address.ts";
import type { ClientRequests, ResponseLimits } from "./response-budget.ts";

/** Milliseconds, connections and responses. */
export interface ConnectionLimits extends ResponseLimits {
  /** From the TCP connection to the end of the handshake. */
  handshakeMs: number;
  /** From the first byte of a request's headers to their last. */
  headersMs: number;
  /** Without a byte in either direction. */
  idleMs: number;
  /** The time a client that floods gets to read why its connection ends. */
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
  responses: 1024,
  responsesPerClient: 256,
  stallMs: 30_000,
};

interface Client extends ClientRequests {
  connections: number;
}

/** Times are those of `performance.now()`. */
export interface Connection {
  /** The client's address, as the operating system writes it; IPv4 without "::ffff:". */
  readonly address: string;
  readonly socket: Socket;
  /** The requests of its client. */
  readonly client: ClientRequests;
  readonly openedAt: number;
  /** From the ClientHello, in lower case. */
  serverName: string;
  /** Set after the handshake. */
  secure?: TLSSocket;
  /** When the last byte was sent or received. */
  lastActiveAt: number;
  /** When the last byte was sent. */
  lastSentAt: number;
  /** When incomplete headers started; 0 without any. */
  headersStartedAt: number;
  /** True after its first request. */
  hadRequest: boolean;
  /** Requests without a response yet. */
  requestsInFlight: number;
  /** How many of these are exempt from the idle timeout. */
  idleExemptions: number;
  /** True for a WebSocket: its bytes are not headers. */
  isUpgraded: boolean;
  isClosed: boolean;
  /** Over HTTP/2: resets the responses that the client has blocked for `stallMs`. */
  resetStalled?: (now: number) => void;
}

const MAPPED = /^::ffff:(?=[\d.]+$)/i;

const peerKey = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

const isLate = (connection: Connection, now: number, limits: ConnectionLimits): boolean => {
  const { secure, openedAt, lastActiveAt, lastSentAt, headersStartedAt, idleExemptions } = connection;
  if (!secure) return now - openedAt > limits.handshakeMs;
  if (idleExemptions === 0 && now - lastActiveAt > limits.idleMs) return true;
  // A client that still receives may send its next request early.
  return headersStartedAt > 0 && now - Math.max(headersStartedAt, lastSentAt) > limits.headersMs;
};

const newConnection = (address: string, socket: Socket, client: ClientRequests): Connection => {
  const now = performance.now();
  return {
    address,
    socket,
    client,
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
};

/** All open connections, by client and by server name. */
export const connectionTable = (limits: ConnectionLimits) => {
  const byPeer = new Map<string, Connection>();
  const byName = new Map<string, Set<Connection>>();
  const clients = new Map<string, Client>();

  const clientOf = (network: string): Client => {
    const client = clients.get(network) ?? { connections: 0, open: 0, waiting: new Set(), refused: 0 };
    clients.set(network, client);
    return client;
  };
  const remove = (connection: Connection, peer: string, network: string) => {
    byPeer.delete(peer);
    const client = clientOf(network);
    client.connections -= 1;
    if (client.connections === 0) clients.delete(network);
    const named = byName.get(connection.serverName);
    named?.delete(connection);
    if (named?.size === 0) byName.delete(connection.serverName);
  };

  const close = (connection: Connection): void => {
    connection.isClosed = true;
    connection.secure?.destroy();
    connection.socket.destroy();
  };

  return {
    /** Adds a new connection; undefined if it exceeds a limit. */
    open(socket: Socket): Connection | undefined {
      const { remoteAddress } = socket;
      // The client has already disconnected.
      if (remoteAddress === undefined) return undefined;
      const address = remoteAddress.replace(MAPPED, "");
      const network = clientNetwork(address);
      const others = clients.get(network)?.connections ?? 0;
      if (byPeer.size >= limits.connections || others >= limits.connectionsPerClient) return undefined;
      const client = clientOf(network);
      const connection = newConnection(address, socket, client);
      const peer = peerKey(socket);
      byPeer.set(peer, connection);
      client.connections += 1;
      socket.once("close", () => {
        connection.isClosed = true;
        connection.secure?.destroy();
        remove(connection, peer, network);
      });
      return connection;
    },
    /** The connection of a TLS socket. */
    of: (secure: TLSSocket): Connection | undefined => byPeer.get(peerKey(secure)),
    /** Sets the name by which the connection can be dropped. */
    setServerName(connection: Connection, serverName: string): void {
      connection.serverName = serverName;
      const named = byName.get(serverName);
      if (named) named.add(connection);
      else byName.set(serverName, new Set([connection]));
    },
    close,
    /** Closes all connections of a server name. */
    drop(serverName: string): void {
      for (const connection of byName.get(serverName) ?? []) close(connection);
    },
    serverNames: (): Iterable<string> => byName.keys(),
    /** Closes connections without a request, complete or in progress. */
    closeUnused(): void {
      for (const connection of byPeer.values())
        if (!connection.hadRequest && connection.headersStartedAt === 0) close(connection);
    },
    /** Closes connections that exceed a time limit, and resets responses that do. */
    sweep(now: number): void {
      for (const connection of byPeer.values())
        if (isLate(connection, now, limits)) close(connection);
        else connection.resetStalled?.(now);
    },
    all: (): Iterable<Connection> => byPeer.values(),
    get count(): number {
      return byPeer.size;
    },
  };
};
