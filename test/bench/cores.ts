import { spawnSync } from "bun";
import { readFileSync } from "node:fs";
import { Refused } from "./options.ts";

/** The cores that a process may use, by their numbers. */
export const allowedCores = (pid = process.pid): number[] => {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, list = ""] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status) ?? [];
  return list.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
};

/** Lets all threads of a process run on these cores only. @throws Refused */
export const pin = (pid: number, cores: readonly number[]): void => {
  const argv = ["taskset", "--all-tasks", "--pid", "--cpu-list", cores.join(","), String(pid)];
  const { success, stderr } = spawnSync(argv);
  // taskset succeeds without any thread.
  if (!success || allowedCores(pid).join() !== cores.join())
    throw new Refused(`${argv.join(" ")} failed: ${stderr.toString()}`);
};
