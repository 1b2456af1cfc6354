import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { clientNetwork } from "../../lib/client-address.ts";
import { type ClientRequests, RESPONSE_LIMITS } from "./response-budget.ts";

/** Milliseconds, connections and responses. */
export const DEFAULT_LIMITS = {
  ...RESPONSE_LIMITS,
  /** From the TCP connection to the end of the handshake. */
  handshakeMs: 10_000,
  /** From the first byte of a request's headers to their last. */
  headersMs: 10_000,
  /** Without a byte in either direction. */
  idleMs: 60_000,
  /** The time a client that floods gets to read why its connection ends. */
  lingerMs: 1000,
  connections: 10_000,
  /** From one IPv4 address, or one /64 of IPv6. */
  connectionsPerClient: 256,
};

export type ConnectionLimits = typeof DEFAULT_LIMITS;

interface Client extends ClientRequests {
  connections: number;
}

const MAPPED = /^::ffff:(?=[\d.]+$)/i;

const peerKey = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** A connection. Times are those of `performance.now()`. */
const newConnection = (address: string, socket: Socket, client: ClientRequests) => {
  const now = performance.now();
  return {
    /** The client's address, as the operating system writes it; IPv4 without "::ffff:". */
    address,
    socket,
    /** The requests of its client. */
    client,
    openedAt: now,
    /** From the ClientHello, in lower case. */
    serverName: "",
    /** Set after the handshake. */
    secure: undefined as TLSSocket | undefined,
    /** When the last byte was sent or received. */
    lastActiveAt: now,
    /** When the last byte was sent. */
    lastSentAt: 0,
    /** When incomplete headers started; 0 without any. */
    headersStartedAt: 0,
    /** True after its first request. */
    hadRequest: false,
    /** Requests without a response yet. */
    requestsInFlight: 0,
    /** How many of these are exempt from the idle timeout. */
    idleExemptions: 0,
    isClosed: false,
    /** Over HTTP/2: resets the responses that the client has blocked for `stallMs`. */
    resetStalled: undefined as ((now: number) => void) | undefined,
  };
};

export type Connection = ReturnType<typeof newConnection>;

const isLate = (connection: Connection, now: number, limits: ConnectionLimits): boolean => {
  const { secure, openedAt, lastActiveAt, lastSentAt, headersStartedAt, idleExemptions } = connection;
  if (!secure) return now - openedAt > limits.handshakeMs;
  if (idleExemptions === 0 && now - lastActiveAt > limits.idleMs) return true;
  // A client that still receives may send its next request early.
  return headersStartedAt > 0 && now - Math.max(headersStartedAt, lastSentAt) > limits.headersMs;
};

/** All open connections, by client and by server name. */
export const connectionTable = (limits: ConnectionLimits) => {
  const byPeer = new Map<string, Connection>();
  const byName = new Map<string, Set<Connection>>();
  const clients = new Map<string, Client>();

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
      const client = clients.get(network) ?? { connections: 0, open: 0, waiting: new Set(), refused: 0 };
      if (byPeer.size >= limits.connections || client.connections >= limits.connectionsPerClient)
        return undefined;
      clients.set(network, client);
      const connection = newConnection(address, socket, client);
      const peer = peerKey(socket);
      byPeer.set(peer, connection);
      client.connections += 1;
      socket.once("close", () => {
        connection.isClosed = true;
        connection.secure?.destroy();
        byPeer.delete(peer);
        client.connections -= 1;
        if (client.connections === 0) clients.delete(network);
        const named = byName.get(connection.serverName);
        named?.delete(connection);
        if (named?.size === 0) byName.delete(connection.serverName);
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
