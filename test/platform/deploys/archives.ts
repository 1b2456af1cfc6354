import { crc32, deflateRawSync, gzipSync } from "node:zlib";

/** An entry of a test's archive. The writers below write any entry, valid or not. */
export interface TestEntry {
  name: string | Buffer;
  content?: string | Buffer;
  /** The type flag of a tar header. */
  flag?: string;
  link?: string;
  /** The Unix mode of a zip entry, with its type. */
  mode?: number;
  /** General purpose flags of a zip entry. */
  bits?: number;
  method?: number;
  /** The size in the header. */
  size?: number;
  check?: number;
}

const octal = (value: number, length: number) => value.toString(8).padStart(length - 1, "0");

const header = ({ name, content = "", flag = "0", link = "", size }: TestEntry): Buffer => {
  const block = Buffer.alloc(512);
  Buffer.from(name).copy(block, 0, 0, 100);
  block.write(octal(0o644, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size ?? Buffer.byteLength(content), 12), 124);
  block.write(octal(0, 12), 136);
  block.write("        ", 148);
  block.write(flag, 156);
  block.write(link, 157);
  block.write("ustar\u000000", 257);
  block.write(
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      7,
    )}\0 `,
    148,
  );
  return block;
};

const padded = (content: Buffer): Buffer =>
  Buffer.concat([content, Buffer.alloc((512 - (content.length % 512)) % 512)]);

const paxRecord = (key: string, value: string): string => {
  const rest = ` ${key}=${value}\n`;
  const length = Buffer.byteLength(rest);
  const digits = String(length + String(length).length).length;
  return `${length + digits}${rest}`;
};

/** An extended header that names the next entry. */
export const paxName = (path: string): TestEntry => ({
  name: "pax",
  flag: "x",
  content: paxRecord("path", path),
});

export const tarOf = (entries: TestEntry[]): Buffer =>
  Buffer.concat([
    ...entries.flatMap((entry) => [header(entry), padded(Buffer.from(entry.content ?? ""))]),
    Buffer.alloc(1024),
  ]);

export const tarGzOf = (entries: TestEntry[]): Buffer => gzipSync(tarOf(entries), { level: 1 });

const zipParts = (
  { name, content = "", mode = 0o100644, bits = 0x800, method = 8, size, check }: TestEntry,
  at: number,
) => {
  const bytes = Buffer.from(content);
  const packed = method === 8 ? deflateRawSync(bytes, { level: 1 }) : bytes;
  const path = Buffer.from(name);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(bits, 2);
  common.writeUInt16LE(method, 4);
  common.writeUInt32LE(check ?? crc32(bytes), 10);
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(size ?? bytes.length, 18);
  common.writeUInt16LE(path.length, 22);
  const local = Buffer.concat([Buffer.from("504b0304", "hex"), common, path, packed]);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE((mode << 16) >>> 0, 6);
  rest.writeUInt32LE(at, 10);
  const central = Buffer.concat([Buffer.from("504b01021403", "hex"), common, rest, path]);
  return { local, central };
};

export const zipOf = (entries: TestEntry[]): Buffer => {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const { local, central } = zipParts(entry, at);
    locals.push(local);
    centrals.push(central);
    at += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", 0, "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, directory, end]);
};
