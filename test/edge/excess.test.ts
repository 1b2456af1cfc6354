import { expect, test } from "bun:test";
import { excessOf, shareOfClient } from "../../src/edge/connection-limit.ts";

/** Sockets of clients, by their addresses: the first of each is idle longest. */
const socketsOf = (counts: Record<string, number>) =>
  Object.entries(counts).flatMap(([address, count], client) =>
    Array.from({ length: count }, (_, at) => ({ address, descriptor: client * 1000 + at })),
  );
const idleMs = (descriptor: number) => 1000 - (descriptor % 1000);

/** How many each client loses. */
const lossesOf = (counts: Record<string, number>, connections: number, connectionsPerClient: number) => {
  const excess = excessOf(socketsOf(counts), { connections, connectionsPerClient }, idleMs);
  const losses = Map.groupBy(excess, ({ address }) => address);
  return Object.fromEntries([...losses].map(([address, sockets]) => [address, sockets.length]));
};

test.each<[string, Record<string, number>, number, number, Record<string, number>]>([
  ["within both limits no client loses any", { a: 5, b: 5 }, 10, 5, {}],
  ["a client beyond its own limit loses the rest", { a: 7, b: 5 }, 100, 5, { a: 2 }],
  ["beyond the limit of all, the client with the most loses", { a: 9, b: 2 }, 8, 100, { a: 3 }],
  ["clients with the most lose until they are equal", { a: 9, b: 7, c: 1 }, 9, 100, { a: 5, b: 3 }],
  ["connections that a client loses anyway are not taken from others", { a: 90, b: 5 }, 10, 5, { a: 85 }],
  ["without a limit for a client, only all together are limited", { a: 900 }, 901, Infinity, {}],
])("%s", (_what, counts, connections, perClient, losses) => {
  expect(lossesOf(counts, connections, perClient)).toEqual(losses);
});

test("the connections that have been idle longest are closed", () => {
  const excess = excessOf(socketsOf({ a: 5 }), { connections: 10, connectionsPerClient: 3 }, idleMs);
  expect(excess.map(({ descriptor }) => descriptor)).toEqual([0, 1]);
});

test("addresses of one IPv6 network count as one client", () => {
  const counts = { "2001:db8:0:1:0:0:0:1": 3, "2001:db8:0:1:0:0:0:2": 3, "2001:db8:0:2:0:0:0:1": 3 };
  const excess = excessOf(socketsOf(counts), { connections: 100, connectionsPerClient: 4 }, idleMs);
  expect(excess).toHaveLength(2);
});

test.each([
  [1, 256],
  [2, 256],
  [4, 128],
  [16, 32],
])("of the 256 connections of a client, each of %i processes allows %i", (processes, allowed) => {
  expect(shareOfClient(256, processes)).toBe(allowed);
});
