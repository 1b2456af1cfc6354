import { expect } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { blocksOf, stepsOf } from "../pages/manual/blocks.ts";
import { DEBIAN_PROGRAMS, type Debian, prepareDebian, startDebian } from "./debian.ts";
import { takeAll } from "./manual/on-machines.ts";
import { isWhole } from "./manual/whole.ts";
import { EXECUTABLE, atEnd, directory, real, until } from "./support.ts";
import { ENDS_AT_START, buildVariant } from "./variants.ts";

const test = real(...DEBIAN_PROGRAMS);
const withPebble = real(...DEBIAN_PROGRAMS, "named", "openssl", "pebble");

prepareDebian();

const ROOT = resolve(import.meta.dir, "../..");
const TUTORIAL = "src/pages/manual/tutorials/on-a-vm-in-ten-minutes.md";
const SETUP = join(import.meta.dir, "manual/virtual-machine.sh");

/** Starts what the internet has around the machine, in its network, until the test ends. */
const surround = async (machine: Debian) => {
  const notes = directory();
  const settings = join(notes, "settings");
  writeFileSync(settings, "");
  const log = join(notes, "setup.log");
  const alone = ["unshare", "--pid", "--fork", "--kill-child"];
  const inNetwork = ["nsenter", "--net", `--target=${machine.leader()}`];
  const around = Bun.spawn([...alone, ...inNetwork, "bash", "-e", SETUP], {
    env: {
      PATH: process.env["PATH"] ?? "",
      ROOT,
      EXECUTABLE,
      MACHINE: machine.root,
      NOTES: notes,
      BIN: notes,
      SETUP_ENV: settings,
    },
    stdin: "ignore",
    stdout: Bun.file(log),
    stderr: Bun.file(log),
  });
  atEnd(async () => {
    around.kill("SIGKILL");
    await around.exited;
  });
  const isReady = () => {
    if (around.exitCode !== null) throw new Error(`the setup ended: ${readFileSync(log, "utf8")}`);
    return existsSync(join(notes, "ready"));
  };
  await until("there is a DNS and a CA around the machine", isReady, 90_000);
  await machine.must("update-ca-certificates");
};

/** Follows the blocks of a page that are for a separate Debian. */
const follow = async (machine: Debian, page: string): Promise<void> => {
  const blocks = blocksOf(readFileSync(join(ROOT, page), "utf8"));
  const steps = stepsOf(
    blocks.filter(({ attributes }) => attributes["in"] === "debian"),
    isWhole,
  );
  expect(steps.length).toBeGreaterThan(0);
  await takeAll(machine, page, steps);
};

test("README installs the service on a bare Debian", async () => {
  const machine = await startDebian();
  machine.copyIn(EXECUTABLE, "/root/adoption-store");
  await follow(machine, "README.md");
});

withPebble(
  "a reader who follows the tutorial of a virtual machine on a bare Debian gets the results that it shows",
  async () => {
    const machine = await startDebian();
    await surround(machine);
    await follow(machine, TUTORIAL);
  },
);

test("a reader of the page about upgrades gets the results that it shows", async () => {
  const machine = await startDebian();
  const builds = directory();
  machine.copyIn(EXECUTABLE, "/root/adoption-store");
  machine.copyIn(await buildVariant(builds, "9.1.0"), "/root/adoption-store-linux-x64");
  machine.copyIn(await buildVariant(builds, "9.2.0", [ENDS_AT_START]), "/root/adoption-store-broken");
  await machine.must(
    "sha256sum adoption-store-linux-x64 adoption-store-broken > SHA256SUMS; ./adoption-store service install",
  );
  await follow(machine, "src/pages/manual/how-to/upgrades-and-rollback.md");
});
