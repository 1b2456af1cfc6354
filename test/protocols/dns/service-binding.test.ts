import { expect, test } from "bun:test";
import { assert, property, uint8Array } from "fast-check";
import { formatServiceBinding } from "../../../src/protocols/dns/service-binding.ts";

const FOO = "03666f6f076578616d706c6503636f6d00";

/** The test vectors of RFC 9460 appendix D, and others. */
test.each([
  ["an alias", `0000${FOO}`, "0 foo.example.com."],
  ["the name itself", "000100", "1 ."],
  ["a port", `0010${FOO}000300020035`, "16 foo.example.com. port=53"],
  ["an unknown key", `0001${FOO}029b000568656c6c6f`, "1 foo.example.com. key667"],
  [
    "IPv6 hints",
    `0001${FOO}0006002020010db800000000000000000000000120010db8000000000000000000530001`,
    "1 foo.example.com. ipv6hint=2001:db8::1,2001:db8::53:1",
  ],
  [
    "protocols and IPv4 hints",
    `0010${FOO}0000000400010004000100090268320568332d313900040004c0000201`,
    "16 foo.example.com. mandatory alpn=h2,h3-19 ipv4hint=192.0.2.1",
  ],
])("an HTTPS record with %s is read", (_, hex, text) => {
  expect(formatServiceBinding(Buffer.from(hex, "hex"))).toBe(text);
});

test.each(["", "00", `0001${FOO}0003`, `0001${FOO}00030001`])("%j is cut off", (hex) => {
  expect(() => formatServiceBinding(Buffer.from(hex, "hex"))).toThrow(RangeError);
});

test("any bytes are read, or are cut off", () => {
  for (const bytes of [uint8Array({ maxLength: 300 }), uint8Array({ max: 8, maxLength: 40 })])
    assert(
      property(bytes, (data) => {
        try {
          expect(typeof formatServiceBinding(Buffer.from(data))).toBe("string");
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
});
