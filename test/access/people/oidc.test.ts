import { expect, test } from "bun:test";
import { personRepository } from "../../../src/access/people/repository.ts";
import { openStore } from "../../support/store.ts";
import { invite } from "./visitor.ts";

/** The person that an unused account gets, by the address that its provider has verified. */
const linked = async (added: string, verified: string) => {
  const store = await openStore();
  await invite(store, { email: added });
  const account = { issuer: "https://login.example.org", subject: "7" };
  return personRepository(store.database).link(account, verified, store.clock.now());
};

test.each([
  ["mike@example.org", "mike@example.org"],
  ["mike@example.org", "Mike@Example.ORG"],
  ["Åsa@example.org", "Åsa@example.org"],
])("an account gets the person with the address %s if its own is %s", async (added, verified) => {
  expect(await linked(added, verified)).toBe(1);
});

// Letters that fold to the same one may be in the addresses of two mailboxes.
test.each([
  ["mike@example.org", "mi\u212ae@example.org"],
  ["sam@example.org", "\u017fam@example.org"],
  ["åsa@example.org", "\u212bsa@example.org"],
  ["mike@example.org", "mike@example.org\0"],
])("an account does not get the person with the address %j if its own is %j", async (added, verified) => {
  expect(await linked(added, verified)).toBeUndefined();
});
