export const u16 = (value: number): number[] => [value >> 8, value & 255];

/** Bytes after their length, in two bytes. */
export const vector = (bytes: number[]): number[] => [...u16(bytes.length), ...bytes];

/** The extension server_name with one host name. */
export const nameOf = (name: string): number[] => vector([0, ...vector([...Buffer.from(name)])]);

/** A ClientHello of one record with these extensions: their types and their bytes; `minor` is 3 for TLS 1.2, 2 for TLS 1.1. */
export const madeOf = (extensions: [type: number, bytes: number[]][], minor = 3): Buffer => {
  const body = [3, minor, ...Array<number>(32).fill(7), 0, ...vector([0xc0, 0x2b, 0xc0, 0x09]), 1, 0];
  body.push(...vector(extensions.flatMap(([type, bytes]) => [...u16(type), ...vector(bytes)])));
  const message = [1, 0, ...u16(body.length), ...body];
  return Buffer.from([22, 3, 1, ...vector(message)]);
};

/** RFC 8446 section 4.2 forbids to repeat an extension. */
export const TWO_NAMES = madeOf([
  [0, nameOf("a.test")],
  [0, nameOf("b.test")],
]);
