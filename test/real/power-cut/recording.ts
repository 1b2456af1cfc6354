import { createReadStream, existsSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

/** One change to the files below a directory, or a mark. It stands where its system call returned. */
export type Operation =
  | { kind: "write"; path: string; offset: number; bytes: Uint8Array }
  /** The bytes are those of the other file at this moment. */
  | { kind: "copy"; from: string; fromOffset: number; path: string; offset: number; length: number }
  | { kind: "truncate"; path: string; size: number }
  | { kind: "create" | "mkdir" | "remove"; path: string }
  | { kind: "rename" | "link"; from: string; path: string }
  /** `covers` is the number of operations that had returned when this call began: it makes those durable, and no later ones. */
  | { kind: "sync"; path: string; covers: number }
  /** sync(2) and syncfs(2). */
  | { kind: "syncAll"; covers: number }
  /** A line that the test wrote: an acknowledgement, or the name of an event. */
  | { kind: "mark"; text: string };

/** A system call that succeeded, as strace prints it. */
interface Call {
  args: string;
  /** What it returned: a number, and the path if it is a descriptor. */
  result: string;
  covers: number;
}

/**
 * The bytes of a string that strace -xx printed. All strings are hexadecimal, so that no file name or content can look like a
 * part of the log.
 */
const bytesOf = (hex = ""): Buffer => Buffer.from(hex.replaceAll("\\x", ""), "hex");
const textOf = (hex?: string): string => bytesOf(hex).toString();

/** `3<path>`, or `3<path>(deleted)` for a file that has no name any more. */
const descriptorOf = (text: string) => {
  const [key = "", hex, deleted] = /^\d+<([^>]*)>(\(deleted\))?/.exec(text) ?? [];
  return { key, path: textOf(hex), isDeleted: deleted !== undefined };
};
const lastNumber = (args: string): number => Number(args.slice(args.lastIndexOf(" ")));
const dataOf = ({ args, result }: Call): Buffer =>
  Buffer.concat([...args.matchAll(/"([^"]*)"/g)].map(([, hex]) => bytesOf(hex))).subarray(0, Number(result));

interface Recorded {
  /** The files below this directory. It is the working directory of all processes. */
  root: string;
  /** Each line that is written to this file is a mark. */
  marks: string;
}

/** What each system call does to the files. A change that these cannot show throws. */
const recorder = ({ root, marks }: Recorded) => {
  const operations: Operation[] = [];
  /** The position of each descriptor. The key has the path too, because descriptors are reused. */
  const positions = new Map<string, number>();
  const isRecorded = (path: string) => path === root || path.startsWith(`${root}/`);
  const record = (operation: Exclude<Operation, { kind: "syncAll" | "mark" }>) => {
    if (isRecorded(operation.path)) operations.push(operation);
  };
  /** The paths that a call names. Each is relative to the directory before it, or to `root`. */
  const pathsIn = (args: string): string[] =>
    [...args.matchAll(/(?:\w+<([^>]*)>, )?"([^"]*)"/g)].map(([, directory, path]) =>
      resolve(root, textOf(directory), textOf(path)),
    );

  const writeAt = (call: Call, offset: number) => {
    const { path, isDeleted } = descriptorOf(call.args);
    if (!isDeleted) record({ kind: "write", path, offset, bytes: dataOf(call) });
  };
  const write = (call: Call) => {
    const { key, path } = descriptorOf(call.args);
    if (path === marks)
      for (const text of dataOf(call).toString().trim().split("\n")) operations.push({ kind: "mark", text });
    if (!isRecorded(path)) return;
    const position = positions.get(key);
    if (position === undefined) throw new Error(`a write at an unknown position of ${path}`);
    writeAt(call, position);
    positions.set(key, position + Number(call.result));
  };
  /** Copies inside the kernel. Its arguments are two descriptors with their positions, which may be NULL. */
  const copy = ({ args, result }: Call) => {
    const [from = "", fromAt, to = "", toAt] = args.split(", ");
    const positionOf = (descriptor: string, at = "NULL") => {
      const { key } = descriptorOf(descriptor);
      if (at !== "NULL") return Number(/\d+/.exec(at)?.[0]);
      const position = positions.get(key) ?? 0;
      positions.set(key, position + Number(result));
      return position;
    };
    const fromOffset = positionOf(from, fromAt);
    const offset = positionOf(to, toAt);
    const length = Number(result);
    const path = descriptorOf(from).path;
    if (length > 0)
      record({ kind: "copy", from: path, fromOffset, path: descriptorOf(to).path, offset, length });
  };
  const open = ({ args, result }: Call) => {
    const { key, path } = descriptorOf(result);
    positions.set(key, 0);
    if (isRecorded(path) && /O_APPEND|O_TMPFILE/.test(args)) throw new Error(`${args} of ${path}`);
    if (args.includes("O_CREAT")) record({ kind: "create", path });
    if (args.includes("O_TRUNC")) record({ kind: "truncate", path, size: 0 });
  };
  const atDescriptor = (act: (path: string, call: Call) => Operation) => (call: Call) => {
    const { path, isDeleted } = descriptorOf(call.args);
    if (!isDeleted && isRecorded(path)) operations.push(act(path, call));
  };
  const sync = atDescriptor((path, { covers }) => ({ kind: "sync", path, covers }));
  const atPath = (kind: "mkdir" | "remove") => (call: Call) =>
    record({ kind, path: pathsIn(call.args)[0] ?? "" });
  const move = (kind: "rename" | "link") => (call: Call) => {
    const [from = "", path = ""] = pathsIn(call.args);
    if (isRecorded(from) !== isRecorded(path)) throw new Error(`a ${kind} of ${from} to ${path}`);
    record({ kind, from, path });
  };
  const syncAll = ({ covers }: Call) => void operations.push({ kind: "syncAll", covers });
  const map = ({ args }: Call) => {
    const path = textOf(/MAP_SHARED[^,]*, \d+<([^>]*)>/.exec(args)?.[1]);
    // SQLite makes this index again from the log.
    if (isRecorded(path) && args.includes("PROT_WRITE") && !path.endsWith("-shm"))
      throw new Error(`a mapping of ${path}`);
  };
  const refuse = ({ args }: Call) => {
    const named = [...pathsIn(args), descriptorOf(args).path];
    if (named.some(isRecorded)) throw new Error(`a change that is not recorded: ${named.join(" ")}`);
  };

  const calls: Record<string, (call: Call) => void> = {
    write,
    writev: write,
    pwrite64: (call) => writeAt(call, lastNumber(call.args)),
    pwritev: (call) => writeAt(call, lastNumber(call.args)),
    lseek: ({ args, result }) => void positions.set(descriptorOf(args).key, Number(result)),
    ftruncate: atDescriptor((path, { args }) => ({ kind: "truncate", path, size: lastNumber(args) })),
    open,
    openat: open,
    rename: move("rename"),
    renameat: move("rename"),
    renameat2: move("rename"),
    link: move("link"),
    linkat: move("link"),
    unlink: atPath("remove"),
    unlinkat: atPath("remove"),
    rmdir: atPath("remove"),
    mkdir: atPath("mkdir"),
    mkdirat: atPath("mkdir"),
    fsync: sync,
    fdatasync: sync,
    sync: syncAll,
    syncfs: syncAll,
    mmap: map,
    copy_file_range: copy,
    ioctl: (call) => (call.args.includes("FICLONE") ? refuse(call) : undefined),
    ...Object.fromEntries(
      "truncate creat openat2 symlink symlinkat chdir fallocate pwritev2 sendfile splice io_uring_setup"
        .split(" ")
        .map((name) => [name, refuse]),
    ),
  };
  return { operations, calls };
};

const CALLS = Object.keys(recorder({ root: "/", marks: "" }).calls);

/**
 * Runs a program, and writes each of its system calls that can change a file to `log`, with all data. It is a prefix of `argv`.
 * The program is the process that is started, and strace its grandchild. `isComplete` turns true after the last process has ended.
 */
export const trace = (log: string) => {
  const [partial, complete] = [`${log}.partial`, log];
  return {
    argv: ["strace", "-D", "-f", "--seccomp-bpf", "-y", "-xx", "-s", String(2 ** 26)].concat(
      ["-e", "signal=none", "-e", `trace=${CALLS.join(",")}`],
      ["-o", `|cat >'${partial}'; mv '${partial}' '${complete}'`],
    ),
    isComplete: () => existsSync(complete),
  };
};

/** Reads a log. A call has two lines if those of several threads overlap: where it began, and where it returned. */
const readLog = async (log: string, { operations, calls }: ReturnType<typeof recorder>): Promise<void> => {
  const begun = new Map<string, { text: string; covers: number }>();
  for await (const line of createInterface({ input: createReadStream(log, "latin1") })) {
    const [prefix = "", process = ""] = /^(\d+) +/.exec(line) ?? [];
    let text = line.slice(prefix.length);
    let covers = operations.length;
    if (text.endsWith(" <unfinished ...>")) {
      begun.set(process, { text: text.slice(0, text.lastIndexOf(" <")), covers });
      continue;
    }
    const [resumed] = /^<\.\.\. \w+ resumed>,? ?/.exec(text) ?? [];
    if (resumed) {
      const first = begun.get(process);
      if (!first) throw new Error(`this call did not begin: ${text.slice(0, 100)}`);
      text = first.text + text.slice(resumed.length);
      ({ covers } = first);
    }
    const [, name = ""] = /^(\w+)\(/.exec(text) ?? [];
    const end = text.lastIndexOf(") ");
    const result = text.slice(text.indexOf("= ", end) + 2);
    // A call that failed changed nothing.
    if (/^\d/.test(result)) calls[name]?.({ args: text.slice(name.length + 1, end), result, covers });
  }
};

/** Reads the logs of programs that ran one after the other. */
export const operationsIn = async (logs: readonly string[], recorded: Recorded): Promise<Operation[]> => {
  const reader = recorder(recorded);
  for (const log of logs) await readLog(log, reader);
  return reader.operations;
};
