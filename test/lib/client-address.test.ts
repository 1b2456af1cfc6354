import { expect, test } from "bun:test";
import { clientAddress, clientNetwork } from "../../src/lib/client-address.ts";

test.each([
  ["the peer's own without a proxy", "10.0.0.9, 192.0.2.7", 0, "203.0.113.1"],
  ["the entry of the only proxy", "192.0.2.7", 1, "192.0.2.7"],
  ["not the entry that the client sent", "6.6.6.6, 192.0.2.7", 1, "192.0.2.7"],
  ["the entry of the outermost of two proxies", "6.6.6.6, 192.0.2.7, 10.0.0.1", 2, "192.0.2.7"],
  ["the leftmost if there are fewer entries than proxies", "192.0.2.7", 3, "192.0.2.7"],
  ["the peer's own if the entry is not an address", "unknown", 1, "203.0.113.1"],
  ["the peer's own if the header is empty", "", 1, "203.0.113.1"],
  ["without the port that some proxies add", "192.0.2.7:4711", 1, "192.0.2.7"],
  ["without brackets", "[2001:db8::7]:4711", 1, "2001:db8::7"],
])("the client's address is %s", (_name, header, hops, expected) => {
  expect(clientAddress("203.0.113.1", header, hops)).toBe(expected);
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8:1:2::9", "2001:db8:1:2"],
  ["2001:db8::9", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
  ["", ""],
])("the address %p belongs to the network %p", (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});
