import { expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/config/config.ts";
import { saveSettings } from "../../src/config/shared-settings.ts";
import { temporaryDirectory } from "../support/store.ts";
import { inProcess } from "./program.ts";

const SECRET = "0123456789abcdefghij";

/** A DATA_DIR with a configuration file, and the settings of a server. */
const place = async () => {
  const dataDir = temporaryDirectory();
  await saveSettings({ ...readConfig({ flags: {}, env: {}, isTerminal: false }), dataDir }, 5000);
  const file = join(dataDir, "adoption-store.toml");
  writeFileSync(file, `trust_proxy = 2\nacme_eab_kid = "k"\nacme_eab_hmac = "${SECRET}"\n`);
  chmodSync(file, 0o600);
  return { dataDir, file };
};

test("config show names the source of each setting, and hides secrets", async () => {
  const { dataDir, file } = await place();
  const argv = ["config", "show", "--log-level", "warn", "--data-dir", dataDir];
  const { out, code } = await inProcess(argv, { env: { ADOPTION_STORE_HOST: "::1" } });
  expect(code).toBe(0);
  for (const line of [
    /^log_level +warn +--log-level$/m,
    /^host +::1 +ADOPTION_STORE_HOST$/m,
    new RegExp(`^trust_proxy +2 +${file}:1$`, "m"),
    /^port +5000 +server.json in DATA_DIR$/m,
    /^body_limit +64KiB +default$/m,
    new RegExp(`^acme_eab_hmac +\\(hidden\\) +${file}:3$`, "m"),
  ])
    expect(out).toMatch(line);
  expect(out).not.toContain(SECRET);
});

test("config show --json has the parsed values, and hides secrets", async () => {
  const { dataDir, file } = await place();
  const { out } = await inProcess(["config", "show", "--json"], { env: { DATA_DIR: dataDir } });
  expect(JSON.parse(out)).toContainEqual({
    setting: "trust_proxy",
    variable: "TRUST_PROXY",
    value: 2,
    text: "2",
    source: "file",
    origin: `${file}:1`,
  });
  expect(out).not.toContain(SECRET);
});

test("config show hides DATABASE_URL and BLOBS_URL, which hold secrets", async () => {
  const { dataDir } = await place();
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: "etcd://root:s3cret-word@etcd.example.org/shelter",
    BLOBS_URL: "s3://key:s3cret-word@my-bucket/sites",
  };
  for (const argv of [
    ["config", "show"],
    ["config", "show", "--json"],
  ]) {
    const { out, code } = await inProcess(argv, { env });
    expect(code).toBe(0);
    expect(out).toMatch(/database_url.+\(hidden\)/s);
    expect(out).not.toMatch(/s3cret|etcd\.example/);
  }
});

test("--config names another file, and a wrong line in it is wrong use", async () => {
  const { dataDir } = await place();
  const file = join(dataDir, "other.toml");
  writeFileSync(file, "port = 4000\n");
  const show = (...argv: string[]) =>
    inProcess(["config", "show", ...argv, "--data-dir", dataDir], { env: {} });
  expect((await show("--config", file)).out).toContain(`${file}:1`);
  writeFileSync(file, "prot = 4000\n");
  expect(await show("--config", file)).toEqual({
    out: "",
    error: `adoption-store: ${file}:1: there is no setting "prot": did you mean port?\n`,
    code: 2,
  });
  expect((await show("--config", join(dataDir, "none.toml"))).error).toContain("cannot be read");
});

test("doctor warns of a secret that others may read, and of a misspelled variable", async () => {
  const { dataDir, file } = await place();
  chmodSync(file, 0o644);
  const { out } = await inProcess(["doctor", "--port", "0"], {
    env: { DATA_DIR: dataDir, BASE_ULR: "x" },
  });
  expect(out).toContain(
    "warning settings: BASE_ULR is not a setting and is ignored: did you mean BASE_URL?;",
  );
  expect(out).toContain(`run chmod 600 ${file}\n`);
});

test("config show shows the value of each other setting if one is invalid", async () => {
  const { dataDir } = await place();
  const argv = ["config", "show", "--data-dir", dataDir];
  const env = { BODY_LIMIT: "lots", STRICT_CATEGORIES: "1" };
  const { out } = await inProcess(argv, { env });
  expect(out).toMatch(/^body_limit +lots +BODY_LIMIT$/m);
  expect(out).toMatch(/^strict_categories +1 +STRICT_CATEGORIES$/m);
  expect(out).not.toContain("null");
});

test("config show lists the settings also if one is invalid, and ends with its error", async () => {
  const { dataDir } = await place();
  const { out, error, code } = await inProcess(["config", "show", "--data-dir", dataDir], {
    env: { BODY_LIMIT: "lots" },
  });
  expect(out).toMatch(/^body_limit +lots +BODY_LIMIT$/m);
  expect(error).toStartWith('adoption-store: BODY_LIMIT: "lots" must be ');
  expect(code).toBe(2);
});

test("doctor reports an invalid setting as a finding, and continues", async () => {
  const { dataDir } = await place();
  const { out, error, code } = await inProcess(["doctor", "--data-dir", dataDir], {
    env: { BODY_LIMIT: "lots" },
  });
  expect(out).toMatch(/^FAILED {2}settings: BODY_LIMIT: "lots" must be .+\nok {6}data directory: /);
  expect([error, code]).toEqual(["", 1]);
  const wrongFlag = await inProcess(["doctor", "--data-dir", dataDir, "--port", "many"]);
  expect([wrongFlag.out, wrongFlag.code]).toEqual(["", 2]);
});
