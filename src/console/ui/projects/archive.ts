import { pluralize } from "../parts/count.ts";

/** The media type of an archive by its file name; undefined if it cannot be deployed. */
export const archiveTypeOf = (name: string): "application/zip" | "application/gzip" | undefined => {
  if (/\.zip$/i.test(name)) return "application/zip";
  return /\.(tar\.gz|tgz)$/i.test(name) ? "application/gzip" : undefined;
};

const UNITS = ["KB", "MB", "GB"] as const;

/** "1.2 MB" */
export const sizeOf = (bytes: number): string => {
  if (bytes < 1000) return pluralize(bytes, "byte");
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length);
  const value = bytes / 1000 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[power - 1]}`;
};

/** "42 files, 1.2 MB". */
export const contentOf = ({ files, bytes }: { files: number; bytes: number }): string =>
  `${pluralize(files, "file")}, ${sizeOf(bytes)}`;
