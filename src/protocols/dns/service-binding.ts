const chunks = (data: Buffer, size: number): Buffer[] =>
  Array.from({ length: data.length / size }, (_, index) => data.subarray(index * size, (index + 1) * size));

const ipv6 = (data: Buffer): string => {
  const groups = chunks(data, 2).map((group) => group.toString("hex"));
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
};

/** Texts, each after its length, until an empty one or the end. */
const textsIn = (data: Buffer): string[] => {
  const texts: string[] = [];
  let at = 0;
  for (let length = data[at]; length; length = data[at]) {
    texts.push(data.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return texts;
};

/** By number (RFC 9460 section 14.3.2), with the values if they are read. */
const KEYS: readonly (readonly [key: string, read?: (data: Buffer) => string[]])[] = [
  ["mandatory"],
  ["alpn", textsIn],
  ["no-default-alpn"],
  ["port", (data) => [String(data.readUInt16BE(0))]],
  ["ipv4hint", (data) => chunks(data, 4).map((address) => address.join("."))],
  ["ech"],
  ["ipv6hint", (data) => chunks(data, 16).map(ipv6)],
];

/**
 * Formats the data of an HTTPS record, which is untrusted, almost as in a zone file (RFC 9460 section 2.1): some keys lack
 * their value. @throws RangeError if it is cut off
 */
export const formatServiceBinding = (data: Buffer): string => {
  const labels = textsIn(data.subarray(2));
  const parts = [`${data.readUInt16BE(0)} ${labels.join(".").toLowerCase()}.`];
  let at = labels.reduce((length, label) => length + 1 + label.length, 3);
  while (at < data.length) {
    const number = data.readUInt16BE(at);
    const end = at + 4 + data.readUInt16BE(at + 2);
    const [key, read] = KEYS[number] ?? [`key${number}`];
    const values = read?.(data.subarray(at + 4, end)).join(",");
    parts.push(values ? `${key}=${values}` : key);
    at = end;
  }
  return parts.join(" ");
};
