import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../support/store.ts";

const canMount = process.platform === "linux" && Bun.spawnSync(["unshare", "-m", "true"]).exitCode === 0;

/** Locks the first database in a child process, and prints the holders of both. */
const SCRIPT = `
const { Database } = require("bun:sqlite");
const { holderOf } = require(process.argv[1]);
const { statSync } = require("node:fs");
const [first, second] = process.argv.slice(2, 4).map((place) => place + "/store.db");
for (const path of [first, second]) new Database(path).run("CREATE TABLE t (a)");
const held = 'const c = new (require("bun:sqlite").Database)(process.argv[1]); c.run("BEGIN EXCLUSIVE"); console.log("held"); setInterval(() => {}, 1000)';
const holder = Bun.spawn([process.execPath, "-e", held, first], { stdout: "pipe" });
await holder.stdout.getReader().read();
const isSame = statSync(first).ino === statSync(second).ino;
const found = [first, second].map((path) => holderOf(path)?.includes(String(holder.pid)) ?? false);
holder.kill();
await holder.exited;
console.log(JSON.stringify({ isSame, found }));
`;

test.if(canMount)(
  "a lock on a file of another device with the same inode is none on the database",
  async () => {
    const places = ["first", "second"].map((name) => join(temporaryDirectory(), name));
    for (const place of places) mkdirSync(place);
    const mounts = places.map((place) => `mount -t tmpfs tmpfs ${place}`).join(" && ");
    const child = Bun.spawn(
      [
        "unshare",
        "-m",
        "sh",
        "-c",
        `${mounts} && exec "$@"`,
        "sh",
        process.execPath,
        "-e",
        SCRIPT,
        join(import.meta.dir, "../../../src/data/db/other-processes.ts"),
        ...places,
      ],
      { stdout: "pipe" },
    );
    expect(JSON.parse(await child.stdout.text())).toEqual({ isSame: true, found: [true, false] });
  },
);
