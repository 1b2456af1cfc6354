import { expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  configFileWarning,
  exampleFile,
  keyOf,
  parseConfigFile,
  readConfigFile,
  readDefaultConfigFile,
} from "../../src/config/file.ts";
import { readConfig } from "../../src/config/config.ts";
import { SETTINGS, type Setting } from "../../src/config/settings.ts";
import { temporaryDirectory } from "../support/store.ts";

const parse = (text: string) => parseConfigFile("/etc/store.toml", text);
const configOf = (text: string) => readConfig({ flags: {}, env: {}, file: parse(text), isTerminal: false });

const written = (text: string, mode = 0o600) => {
  const dataDir = temporaryDirectory();
  const path = join(dataDir, "adoption-store.toml");
  writeFileSync(path, text);
  chmodSync(path, mode);
  return { dataDir, path };
};

test("every setting is read by its variable in lower case, with the type that TOML has for it", () => {
  expect(
    configOf(`
# A comment
port = 4000
base_url = "https://adopt.example.org"
cors_origins = ["https://a.org", "https://b.org"]
console = false
body_limit = "128KiB"
deploy_limit = 4096
backup_schedule = "24h"
`),
  ).toMatchObject({
    port: 4000,
    baseUrl: "https://adopt.example.org",
    corsOrigins: ["https://a.org", "https://b.org"],
    console: false,
    bodyLimit: 131_072,
    deployLimit: 4096,
    backupSchedule: 86_400_000,
  });
});

test("every key is a setting's variable in lower case", () => {
  for (const setting of Object.values(SETTINGS as Record<string, Setting>))
    expect(keyOf(setting)).toBe(setting.env.toLowerCase());
});

test("a number of processes is a number, or a word in quotes", () => {
  expect(configOf("workers = 2\n").workers).toBe(2);
  expect(configOf('workers = "2"\n').workers).toBe(2);
  expect(configOf('workers = "auto"\n').workers).toBeGreaterThanOrEqual(1);
});

test("a relative path is relative to the file", () => {
  expect(configOf('backup_dir = "copies"\nacme_ca_file = "/ca.pem"\n')).toMatchObject({
    backupDir: "/etc/copies",
    acmeCaFile: "/ca.pem",
  });
});

test.each([
  ["port = 4000\nprot = 1\n", '/etc/store.toml:2: there is no setting "prot": did you mean port?'],
  ["colour = 1", 'there is no setting "colour": adoption-store config example lists all'],
  ["__proto__ = 1", 'there is no setting "__proto__"'],
  ["constructor = 1", 'there is no setting "constructor"'],
  ["\n[server]\nport = 1", "/etc/store.toml:2: tables are not used: write the settings without [server]"],
  ['port = "4000"', "/etc/store.toml:1: port must be a whole number, without quotes (a port from 0"],
  ["port = 1.5", "port must be a whole number"],
  ['console = "off"', "console must be true or false, without quotes"],
  ["workers = true", "workers must be a whole number, or auto in quotes (auto, or a number from 1 to 64)"],
  ["log_level = 3", "log_level must be a text in quotes (one of trace"],
  ['api_hosts = "a.org"', 'api_hosts must be a list of texts, such as ["a", "b"] (a comma-separated'],
  ["api_hosts = [1]", "api_hosts must be a list of texts"],
  ["body_limit = true", "body_limit must be a number of bytes, or a size in quotes"],
  ["backup_keep = 2020-01-01", "backup_keep must be a whole number"],
  ["# first\nport = = 2\n", "/etc/store.toml:2: "],
  ["x = [\n1,\n", "/etc/store.toml:1: Unterminated array"],
  ["port = 1\n\n\nport = 2\n", "/etc/store.toml:4: Cannot redefine key 'port'"],
])("the file %j is refused with its line and its correction", (text, message) => {
  expect(() => parse(text)).toThrow(message);
});

test("a file is refused with its line and its correction for a value that its setting does not allow", () => {
  expect(() => configOf("\nport = 70000\n")).toThrow(
    '/etc/store.toml:2: port: "70000" must be a port from 0 to 65535',
  );
});

test("DATA_DIR/adoption-store.toml is read if it exists, and may not move DATA_DIR", () => {
  expect(readDefaultConfigFile(temporaryDirectory())).toBeUndefined();
  const { dataDir } = written("port = 4000\n");
  expect(readDefaultConfigFile(dataDir)?.entries.port?.text).toBe("4000");
  const moving = written('data_dir = "/srv"\n');
  expect(() => readDefaultConfigFile(moving.dataDir)).toThrow("data_dir cannot be set here");
  expect(readConfigFile(moving.path).entries.dataDir?.text).toBe("/srv");
});

test("a file that cannot be read is refused", () => {
  const missing = join(temporaryDirectory(), "no.toml");
  expect(() => readConfigFile(missing)).toThrow(`the configuration file ${missing} cannot be read`);
  expect(() => readConfigFile(written(`#${" ".repeat(2 ** 16)}`).path)).toThrow("larger than 64 KiB");
});

test("a file without an end is refused", () => {
  expect(() => readConfigFile("/dev/zero")).toThrow("larger than 64 KiB");
});

test("a malformed secret is not repeated in the message", () => {
  expect(() => configOf('acme_eab_hmac = "not base64url!"')).toThrow(
    "/etc/store.toml:1: acme_eab_hmac: the value must be a key in base64url",
  );
});

test.each([
  ['acme_eab_hmac = "0123456789abcdef"', 0o644, true],
  ['acme_eab_hmac = "0123456789abcdef"', 0o600, false],
  ["port = 4000", 0o644, false],
])("of a file with %j and permissions %o the user is warned: %p", (text, mode, isWarned) => {
  const { path } = written(text, mode);
  expect(configFileWarning(readConfigFile(path))).toBe(
    isWarned
      ? `${path} contains acme_eab_hmac, and other users may read the file: run chmod 600 ${path}`
      : undefined,
  );
});

test("the example file, without its comment signs, sets every setting but data_dir", () => {
  const lines = exampleFile().split("\n");
  const settings = lines.map((line) => line.replace(/^# (?=\w+ = )/, "")).join("\n");
  const { entries } = parse(settings);
  const expected = Object.keys(SETTINGS).filter((name) => name !== "dataDir");
  expect(Object.keys(entries).toSorted()).toEqual(expected.toSorted());
  expect(configOf(settings)).toMatchObject({ httpsPort: 443, backupSchedule: 86_400_000 });
  expect(parse(exampleFile()).entries).toEqual({});
});

test("the error of a value without quotes does not show the value, which may be a secret", () => {
  const text = "port = 3000\noidc_client_secret = topsecretvalue12345\n";
  const error = (() => {
    try {
      return parseConfigFile("/etc/store.toml", text);
    } catch (thrown) {
      return String(thrown);
    }
  })();
  expect(error).toMatch(/\/etc\/store\.toml:2: .*correct this line/);
  expect(error).not.toContain("topsecret");
});
