import { expect, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import { lockHolder } from "../../../src/data/db/other-processes.ts";
import { openDatabase } from "../../../src/data/db/open.ts";
import { atEnd, temporaryDirectory } from "../../support/store.ts";

/** Another process that holds the write lock until it is killed. */
const lockedBy = async (path: string) => {
  const script = `const { Database } = require("bun:sqlite"); const db = new Database(process.argv.at(-1)); db.run("BEGIN IMMEDIATE"); console.log("locked"); setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, "-e", script, "--", path], { stdout: "pipe" });
  atEnd(() => child.kill("SIGKILL"));
  for await (const _line of child.stdout) break;
  return child;
};

const until = async (is: () => boolean) => {
  while (!is()) await Bun.sleep(5);
};

test.if(process.platform === "linux")(
  "the process that holds the write lock is named, and what to do if it is suspended",
  async () => {
    const path = `${temporaryDirectory()}/store.db`;
    const database = openDatabase(path);
    atEnd(() => database.close());
    expect(lockHolder(path)).toBe("another process");
    const { pid } = await lockedBy(path);
    expect(lockHolder(path)).toMatch(new RegExp(`^process ${pid} \\(bun[\\w.-]*\\)$`));
    process.kill(pid, "SIGSTOP");
    await until(() => lockHolder(path).includes("suspended"));
    expect(lockHolder(path)).toContain(`kill -CONT ${pid}`);
    process.kill(pid, "SIGCONT");
  },
);

test("no lock holder is named for a database without a lock, or in memory", () => {
  expect(lockHolder(":memory:")).toBe("another process");
  const path = `${temporaryDirectory()}/other.db`;
  new Client(path, { create: true }).close();
  expect(lockHolder(path)).toBe("another process");
});
