import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { shellQuoted, sudoCommand } from "../../../src/data/data-dir/shell.ts";

test("a command is repeated with sudo, and its arguments stay quoted", () => {
  expect(
    sudoCommand("adoption-store", undefined, ["keys", "create", "--name", "our web", "--scope", "*"]),
  ).toBe("sudo adoption-store keys create --name 'our web' --scope '*'");
});

test("a server runs as the owner of the store, by name or by number", () => {
  expect(sudoCommand(0, "/srv/store", ["serve", "--data-dir", "/srv/store"])).toBe(
    "sudo -u root adoption-store serve --data-dir /srv/store",
  );
  expect(sudoCommand(54_321, undefined, ["serve"])).toBe("sudo -u '#54321' adoption-store serve");
});

test("a command with the argument `serve` still runs as root", () => {
  expect(sudoCommand(54_321, undefined, ["keys", "create", "--name", "serve"])).toBe(
    "sudo adoption-store keys create --name serve",
  );
});

test("the command names the store by its absolute path, unless its arguments already do", () => {
  expect(sudoCommand(0, "./our data", ["status"])).toBe(
    `sudo adoption-store status --data-dir ${shellQuoted(resolve("our data"))}`,
  );
  expect(sudoCommand(0, "/srv/store", ["status", "--data-dir=/srv/store"])).toBe(
    "sudo adoption-store status '--data-dir=/srv/store'",
  );
});
