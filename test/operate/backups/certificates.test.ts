import { expect, test } from "bun:test";
import { removeSecrets } from "../../../src/data/db/backup-contents.ts";
import { openIssuing } from "../../platform/certificates/issuing.ts";

test("a server without its private keys, as after a restore, orders new certificates by itself", async () => {
  const { store, verified, pass, stageOf, certificates } = await openIssuing();
  await verified("docs.example.test");
  await pass();
  const before = await certificates.find("docs.example.test");
  expect(await stageOf("docs.example.test")).toBe("live");
  removeSecrets(store.database.client);
  expect((await certificates.find("docs.example.test"))?.issued).toBeUndefined();
  await pass();
  const after = await certificates.find("docs.example.test");
  expect(after?.issued?.key).toContain("PRIVATE KEY");
  expect(after?.issued?.key).not.toBe(before?.issued?.key);
  expect(await stageOf("docs.example.test")).toBe("live");
});
