import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Refused } from "./options.ts";
import { type Server, launch } from "./processes.ts";

const CONNECTIONS = 64;

/** Requests that wrk sends: one path again and again, or a list in turn. */
export type Load = ({ path: string; key: string; host?: string } | List) & {
  /** By default 64. */
  connections?: number;
};

interface List {
  key: string;
  /** A file of lines `METHOD path [body]`: see requests.lua. */
  file: string;
  /** The only right status; 0: any that is no error. */
  expected?: number;
  /** The tag of what the client has. */
  ifNoneMatch?: string;
}

export interface Report {
  requests: number;
  seconds: number;
  /** Latencies in microseconds. */
  p50: number;
  p99: number;
  /** Answers of 400 and above. */
  refused: number;
  /** Errors of the connections. */
  broken: number;
  /** Answers of another status than the expected one. */
  unexpected: number;
}

/** Writes a list of requests into a file, for `Load`. */
export const writeList = (directory: string, name: string, lines: readonly string[]): string => {
  const file = join(directory, `${name}.requests`);
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
};

const scriptOf = (load: Load): { script: string; path: string; rest: string[] } =>
  "path" in load
    ? { script: "report.lua", path: load.path, rest: [] }
    : {
        script: "requests.lua",
        path: "/",
        rest: ["--", load.file, String(load.expected ?? 0)],
      };

const assertClean = ({ refused, broken, unexpected }: Report, name: string) => {
  if (refused + broken + unexpected > 0)
    throw new Refused(
      `${name}: ${refused} answers were errors, ${unexpected} had another status than expected, ${broken} connections failed`,
    );
};

/** Drives a server for so many seconds, with all connections in one thread. @throws Refused if an answer was wrong */
export const drive = async (server: Server, load: Load, seconds: number): Promise<Report> => {
  const { script, path, rest } = scriptOf(load);
  const connections = String(load.connections ?? CONNECTIONS);
  const options = ["--threads", "1", "--connections", connections, "--duration", String(seconds)];
  const host = "host" in load ? ["--header", `Host: ${load.host}`] : [];
  const known = "ifNoneMatch" in load ? ["--header", `If-None-Match: ${load.ifNoneMatch}`] : [];
  const header = ["--header", `Authorization: Bearer ${load.key}`, ...host, ...known];
  const wrk = launch(["wrk", ...options, ...header, "--script", script, server.url + path, ...rest], {
    cwd: import.meta.dir,
    output: "pipe",
  });
  const output = await wrk.stdout.text();
  const line = output.split("\n").find((line) => line.startsWith("{"));
  if (!line) throw new Refused(`wrk failed on ${server.name}: ${await wrk.stderr.text()}${output}`);
  const report = JSON.parse(line) as Report;
  assertClean(report, server.name);
  return report;
};
