import { expect } from "bun:test";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createStore } from "../support/new-store.ts";
import { EXECUTABLE, directory, launch, real, run, store, until } from "./support.ts";

const test = real("strace");

/** One system call that succeeded: its name, and the paths that it names, all of them absolute. */
interface SystemCall {
  name: string;
  paths: string[];
}

const CALLS = "fsync,fdatasync,rename,renameat,renameat2,link,linkat,mkdir,mkdirat,openat";
const strace = (log: string) => ["strace", "-f", "-y", "-s", "4096", "-e", `trace=${CALLS}`, "-o", log];

/** Joins the calls that strace splits when threads overlap: each call stands where it returned. */
const wholeLines = (text: string): string[] => {
  const begun = new Map<string, string>();
  return text.split("\n").flatMap((line) => {
    const [, pid = "", call = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const unfinished = / *<unfinished \.\.\.>$/;
    if (unfinished.test(call)) {
      begun.set(pid, call.replace(unfinished, ""));
      return [];
    }
    return [call.replace(/^<\.\.\. \w+ resumed> *,? */, () => begun.get(pid) ?? "")];
  });
};

/** What a program did to the disk, in order. @param cwd where its relative paths begin */
const callsIn = (log: string, cwd: string): SystemCall[] =>
  wholeLines(readFileSync(log, "utf8")).flatMap((line) => {
    const [, name = "", args = "", result = "-1"] = /^(\w+)\((.*)\) += (-?\d+)/.exec(line) ?? [];
    // A file that is opened without being made changes no directory.
    if (result.startsWith("-") || (name === "openat" && !args.includes("O_CREAT"))) return [];
    const quoted = [...args.matchAll(/"([^"]*)"/g)].map(([, path = ""]) => path);
    const described = /^\d+<([^>]*)>/.exec(args)?.[1] ?? "";
    const paths = quoted.length > 0 ? quoted : [described];
    return [{ name, paths: paths.map((path) => (path.startsWith("/") ? path : join(cwd, path))) }];
  });

const isSync = (path: string) => (call: SystemCall) =>
  /^f(data)?sync$/.test(call.name) && call.paths[0] === path;

/** Fails unless a file came to its name with its content on disk, and the name is on disk too. */
const expectDurable = (calls: readonly SystemCall[], path: string): void => {
  const named = calls.findLastIndex(
    ({ name, paths }) => /^(rename|link)/.test(name) && paths.at(-1) === path,
  );
  const [temporary = ""] = calls[named]?.paths ?? [];
  const synced = calls.findIndex(isSync(temporary));
  expect({ path, isNamed: named >= 0, isWritten: synced >= 0 && synced < named }).toEqual({
    path,
    isNamed: true,
    isWritten: true,
  });
  expect([path, calls.slice(named).some(isSync(dirname(path)))]).toEqual([path, true]);
};

/** Fails unless a file or directory that was made has its name on disk. */
const expectNamed = (calls: readonly SystemCall[], path: string): void => {
  const made = calls.findIndex(({ name, paths }) => /^(openat|mkdir)/.test(name) && paths.at(-1) === path);
  expect([path, made >= 0, calls.slice(made).some(isSync(dirname(path)))]).toEqual([path, true, true]);
};

/** Runs a command to its end. @returns what it did to the disk */
const traced = async (cwd: string, argv: string[]): Promise<{ code: number; calls: SystemCall[] }> => {
  const log = join(cwd, "calls");
  const { code } = await run([...strace(log), EXECUTABLE, ...argv], { cwd });
  return { code, calls: callsIn(log, cwd) };
};

test("files of export, backup, restore and import outlive a power cut: contents, then names, then directories", async () => {
  const place = directory();
  const cwd = realpathSync(place);
  writeFileSync(join(cwd, "a.csv"), "name,categoryId\nBella,3\nMax,\n");
  await createStore(join(cwd, "data"));
  const imported = await traced(cwd, ["import", "a.csv"]);
  expect(imported.code).toBe(1);
  expectNamed(imported.calls, join(cwd, "a.csv.rejected"));
  for (const again of [[], ["--force"]]) {
    const exported = await traced(cwd, ["export", "out.csv", ...again]);
    expect(exported.code).toBe(0);
    expectDurable(exported.calls, join(cwd, "out.csv"));
    const taken = await traced(cwd, ["backup", "b.db", ...again]);
    expect(taken.code).toBe(0);
    expectDurable(taken.calls, join(cwd, "b.db"));
  }
  const restored = await traced(cwd, ["restore", "b.db", "--yes", "--data-dir", "other/data"]);
  expect(restored.code).toBe(0);
  for (const path of ["other", "other/data"]) expectNamed(restored.calls, join(cwd, path));
  expectDurable(restored.calls, join(cwd, "other/data/adoption-store.db"));
});

test("files of a first start and a deploy outlive a power cut", async () => {
  const place = directory();
  const cwd = realpathSync(place);
  const log = join(cwd, "calls");
  mkdirSync(join(cwd, "site"));
  writeFileSync(join(cwd, "site/index.html"), "<h1>Ours</h1>");
  {
    await using process = launch({ cwd, argv: [...strace(log), "-D", EXECUTABLE] });
    const server = await process.listening();
    const sent = await store(
      ["deploy", "site", "--project", "docs", "--create", "--server", server?.url ?? ""],
      { cwd },
    );
    expect(sent).toMatchObject({ code: 0 });
    await server?.stop();
  }
  // strace runs next to the server and writes its last lines after it.
  await until("the end of the log", () => readFileSync(log, "utf8").endsWith(" +++ exited with 0 +++\n"));
  const calls = callsIn(log, cwd);
  for (const name of ["admin.key", "server.json"]) expectDurable(calls, join(cwd, "data", name));
  for (const name of ["data", "data/blobs"]) expectNamed(calls, join(cwd, name));
  const blobs = calls.flatMap(({ name, paths }) =>
    name.startsWith("rename") && /\/blobs\/..\/[\da-f]{62}$/.test(paths.at(-1) ?? "")
      ? [paths.at(-1) ?? ""]
      : [],
  );
  expect(blobs.length).toBeGreaterThan(0);
  expect(new Set(blobs).size).toBe(blobs.length);
});
