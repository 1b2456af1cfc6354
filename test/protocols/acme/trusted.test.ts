import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../../../src/lib/operator-error.ts";
import { createTestCa } from "../../support/certificates.ts";
import { openStore, temporaryDirectory } from "../../support/store.ts";
import { outcomeOf } from "../../support/outcome.ts";

const { root } = await createTestCa();

const startWith = (file: string) => openStore({ env: { HTTPS_PORT: "8443", ACME_CA_FILE: file } });

const fileWith = (text: string): string => {
  const file = join(temporaryDirectory(), "ca.pem");
  writeFileSync(file, text);
  return file;
};

test("ACME_CA_FILE may hold several certificates with text between them", async () => {
  expect((await startWith(fileWith(`Ours:\n${root}\nand again:\n${root}`))).https).toBeDefined();
});

test.each([
  ["that is empty", ""],
  ["with words", "trust me"],
  ["with a key", root.replaceAll("CERTIFICATE", "PRIVATE KEY")],
  ["with half a certificate", root.slice(0, 200)],
  ["with a malformed certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"],
  [
    "with a malformed second certificate",
    `${root}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
  ],
])(
  "the server does not start with an ACME_CA_FILE %s, and the error explains what to configure",
  async (_, text) => {
    const file = fileWith(text);
    const refused = startWith(file);
    expect(await outcomeOf(refused)).toThrow(OperatorError);
    expect(await outcomeOf(refused)).toThrow(
      `ACME_CA_FILE ${file}: it must hold the CA's root certificate as PEM`,
    );
  },
);

test("the server does not start with an unreadable ACME_CA_FILE, and the error explains what to do", async () => {
  const directory = join(temporaryDirectory(), "ca.pem");
  mkdirSync(directory);
  for (const file of [directory, join(directory, "missing.pem")]) {
    const refused = startWith(file);
    expect(await outcomeOf(refused)).toThrow(OperatorError);
    expect(await outcomeOf(refused)).toThrow(
      /cannot be read \(.+\); give the path of a file that .+, or unset it/,
    );
  }
});
