/** The limits of an archive. */
export interface UnpackLimits {
  /** Bytes of all files together, unpacked. */
  bytes: number;
  files: number;
  /** Bytes of one path in UTF-8. */
  pathBytes: number;
  /** Names in one path, the file's own included. */
  depth: number;
}

export const UNPACK_LIMITS: UnpackLimits = { bytes: 2 ** 30, files: 50_000, pathBytes: 1024, depth: 32 };

const MAX_NAME_CHARACTERS = 200;

export const shorten = (name: string): string =>
  name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS)}…` : name;

/** A name that anyone may have chosen, safe to print on one line. */
const printable = (name: string): string => JSON.stringify(shorten(name));

/** The archive breaks a rule. The message names the rule and the entry, for the person who sent the archive. */
export class InvalidArchive extends Error {
  override name = "InvalidArchive";
  constructor(reason: string, entry?: string) {
    super(entry === undefined ? reason : `${printable(entry)}: ${reason}`);
  }
}

export type EntryKind = "file" | "directory";

interface Node {
  name: string;
  kind: EntryKind;
  children: Map<string, Node>;
}

const segmentProblem = (segment: string): string | undefined => {
  if (segment === "..") return "leads out of the site with `..`";
  if (segment === "." || segment === "") return "has an empty name or `.` in its path";
  return undefined;
};

const textProblem = (name: string, { pathBytes }: UnpackLimits): string | undefined => {
  if (name.includes("\uFFFD") || !name.isWellFormed()) return "is not a name in UTF-8";
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001F\u007F-\u009F]/.test(name)) return "has a control character in its name";
  if (name.includes("\\")) return "has a backslash in its name";
  if (name.startsWith("/")) return "is an absolute path";
  if (/^[A-Za-z]:/.test(name)) return "starts with a drive letter";
  if (Buffer.byteLength(name) > pathBytes) return `is longer than ${pathBytes} bytes`;
  return undefined;
};

/** Names that differ only in case or Unicode normalisation are one name to some file systems, and to many eyes. */
const foldName = (name: string): string => name.normalize("NFD").toUpperCase().toLowerCase().normalize("NFC");

/** Splits a path without the leading `.//`, which `tar -C public .` writes, and without a directory's trailing slash. */
const splitPath = (name: string, kind: EntryKind): string[] => {
  const path = name.replace(/^(?:\.\/)+/, "");
  const bare = kind === "directory" && path.endsWith("/") ? path.slice(0, -1) : path;
  return bare === "" || (bare === "." && kind === "directory") ? [] : bare.split("/");
};

const clashOf = (known: Node, name: string, kind: EntryKind): string | undefined => {
  if (known.name !== name) return `differs only in case or normalisation from ${JSON.stringify(known.name)}`;
  if (known.kind !== kind) return `is a ${kind} where another entry has a ${known.kind}`;
  return kind === "file" ? "occurs twice" : undefined;
};

/**
 * Checks the paths of one archive. Directories without an entry count too, which bounds the memory to two names per allowed
 * file.
 */
export const archivePaths = (limits: UnpackLimits) => {
  const root: Node = { name: "", kind: "directory", children: new Map() };
  let names = 0;

  const descend = (parent: Node, segment: string, kind: EntryKind, entry: string): Node => {
    const key = foldName(segment);
    const known = parent.children.get(key);
    const clash = known && clashOf(known, segment, kind);
    if (clash) throw new InvalidArchive(clash, entry);
    if (known) return known;
    names += 1;
    if (names > 2 * limits.files)
      throw new InvalidArchive(`exceeds the limit of ${2 * limits.files} files and directories`, entry);
    const node: Node = { name: segment, kind, children: new Map() };
    parent.children.set(key, node);
    return node;
  };

  return {
    /**
     * Adds one entry. @returns its path; undefined for the root itself (`.//`)
     * @throws InvalidArchive for an unsafe name, or one that another entry has
     */
    add(name: string, kind: EntryKind): string | undefined {
      const segments = splitPath(name, kind);
      const problem = textProblem(name, limits) ?? segments.map(segmentProblem).find(Boolean);
      if (problem) throw new InvalidArchive(problem, name);
      if (segments.length > limits.depth)
        throw new InvalidArchive(`is nested more than ${limits.depth} names deep`, name);
      if (segments.length === 0 && kind === "file") throw new InvalidArchive("has no name", name);
      let node = root;
      for (const [at, segment] of segments.entries())
        node = descend(node, segment, at < segments.length - 1 ? "directory" : kind, name);
      return segments.length > 0 ? segments.join("/") : undefined;
    },
  };
};
