import { expect, test } from "bun:test";
import { parseMemoryMax } from "../../src/cli/service.ts";
import {
  creationAdvice,
  describeStopped,
  describeUnstarted,
  isServiceDirectory,
  serviceDirectory,
} from "../../src/cli/settings.ts";

test("a failed service is described with its last message and the remedy", () => {
  const line = 'adoption-store: PORT: "many" must be a port from 0 to 65535';
  expect(describeStopped({ result: "exit-code", line })).toBe(
    `The service has failed (exit-code). Its last message: ${line}. Correct the cause, then run: sudo systemctl restart adoption-store`,
  );
});

test("a last message that ends with a period gets no second one", () => {
  expect(describeStopped({ result: "watchdog", line: "It hangs." })).toContain("message: It hangs. Correct");
});

test("a failed service without a message is described with the command that shows its log", () => {
  expect(describeStopped({ result: "oom-kill", line: undefined })).toBe(
    "The service has failed (oom-kill). Its log shows why: sudo journalctl --unit adoption-store. Correct the cause, then run: sudo systemctl restart adoption-store",
  );
});

test("without a service, serve creates a store", () => {
  expect(creationAdvice("/srv/store")).toBe("adoption-store serve --data-dir /srv/store creates it");
});

test("settings of the service that cannot be read name no directory, so that the original error stays", () => {
  expect(serviceDirectory(() => ({ DATA_DIR: "store" }))).toBe("/var/lib/adoption-store/store");
  expect(
    serviceDirectory(() => {
      throw Object.assign(new Error("illegal operation on a directory, read"), { code: "EISDIR" });
    }),
  ).toBeUndefined();
});

test.each([
  ["the DATA_DIR in its settings is", "/srv/shelter", true],
  ["another path to this DATA_DIR is", "/srv/x/../shelter/", true],
  ["the default directory is not", "/var/lib/adoption-store", false],
  ["a third directory is not", "/srv/copy", false],
])("after the service's store was moved, %s the directory of the service", (_name, dataDir, isOfService) => {
  expect(isServiceDirectory(dataDir, () => ({ DATA_DIR: "/srv/shelter" }))).toBe(isOfService);
});

test("without access to its settings, the default directory is the directory of the service", () => {
  const read = () => {
    throw new Error("EACCES: permission denied");
  };
  expect(isServiceDirectory("/var/lib/adoption-store", read)).toBe(true);
  expect(isServiceDirectory("/home/ada/data", read)).toBe(false);
});

test("an installation that starts nothing recommends a restart only after a change", () => {
  expect(describeUnstarted({ isRunning: false, isChanged: false })).toContain("systemctl start");
  expect(describeUnstarted({ isRunning: true, isChanged: true })).toContain(
    "runs with its previous settings. To restart it now:\n  sudo systemctl restart adoption-store",
  );
  expect(describeUnstarted({ isRunning: true, isChanged: false })).toBe(
    "Nothing changed. The service adoption-store is installed and running.",
  );
});

const GIB = 2 ** 30;

test.each([
  ["75%", "75%"],
  ["100%", "100%"],
  ["13%", "13%"],
  ["256MiB", "268435456"],
  ["2GiB", "2147483648"],
])("the memory limit %s is valid on a machine with 2 GiB", (text, limit) => {
  expect(parseMemoryMax(text, 2 * GIB)).toBe(limit);
});

test.each(["", "0%", "12%", "101%", "7.5%", "75", "lots", "255MiB", "-1", "infinity", "1GiB\nUser=root"])(
  "the memory limit %j is invalid on a machine with 2 GiB",
  (text) => {
    expect(() => parseMemoryMax(text, 2 * GIB)).toThrow(
      /^--memory-max: .* must be a share .* of at least 256MiB$/s,
    );
  },
);
