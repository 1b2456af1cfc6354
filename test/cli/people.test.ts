import { expect, setDefaultTimeout, test } from "bun:test";
import { visitor } from "../access/people/visitor.ts";
import { openShared } from "./program.ts";

// The machine may be busy.
setDefaultTimeout(60_000);

const open = async () => {
  const { store, run } = await openShared({ BASE_URL: "https://shelter.example.org" });
  return { store, run: (...argv: string[]) => run("people", ...argv) };
};

const ADA = ["--name", "Ada Byron", "--email", "ada@example.org", "--role", "volunteer"];

test("a person who is added gets a link to BASE_URL, which works while the server runs", async () => {
  const { store, run } = await open();
  const { out, code } = await run("add", ...ADA);
  expect(code).toBe(0);
  expect(out.split("\n").slice(0, 3)).toEqual([
    'Person 1 "Ada Byron" (volunteer)',
    expect.stringMatching(/^Send them this address, which works once until 2\d{3}-/),
    expect.stringMatching(/^https:\/\/shelter\.example\.org\/console\/invitation#[\w-]{43}$/),
  ]);
  const token = out.split("#")[1]?.trim() ?? "";
  expect((await visitor(store).accept(token)).status).toBe(201);
  expect((await run("list")).out.split("\n")[1]?.split(/ {2,}/)).toEqual([
    "1",
    "Ada Byron",
    "ada@example.org",
    "volunteer",
    "passkey",
    expect.any(String),
  ]);
});

test("people invite --first prints a link that signs in once, until there is an administrator", async () => {
  const { store, run } = await open();
  const { out, code } = await run("invite", "--first");
  expect(code).toBe(0);
  const [first = "", link = ""] = out.split("\n");
  expect(first).toMatch(
    /^Open this address to sign in to the console\. The link works once and expires at 2\d{3}-.*Z:$/,
  );
  expect(link).toMatch(/^https:\/\/shelter\.example\.org\/console\/sign-in#[\w-]{43}$/);
  const json = { token: link.split("#")[1] };
  const follow = () => visitor(store).send("POST", "/console/auth/link", { json });
  // The link is valid by the clock of the machine, not by that of the store.
  store.clock.advance(Date.now() - store.clock.now());
  expect([(await follow()).status, (await follow()).status]).toEqual([201, 410]);
  const printed = JSON.parse((await run("invite", "--first", "--json")).out) as object;
  expect(printed).toEqual({ link: expect.stringContaining("#"), expiresAt: expect.stringMatching(/Z$/) });
  await run("add", ...ADA.slice(0, 4), "--role", "administrator");
  expect(await run("invite", "--first")).toMatchObject({
    code: 1,
    out: "",
    error: expect.stringContaining("The store has an administrator. Invite them again"),
  });
});

test("people invite takes an id or --first, and not both", async () => {
  const { run } = await open();
  for (const argv of [[], ["1", "--first"]])
    expect(await run("invite", ...argv)).toMatchObject({
      code: 2,
      error: expect.stringContaining("name either a person's id or --first"),
    });
});

test("commands print JSON, as the API does", async () => {
  const { store, run } = await open();
  const added = JSON.parse((await run("add", ...ADA, "--json")).out) as { invitation: { link: string } };
  const again = JSON.parse((await run("invite", "1", "--json")).out) as typeof added;
  expect(again.invitation.link).not.toBe(added.invitation.link);
  expect(JSON.parse((await run("role", "1", "staff", "--json")).out)).toMatchObject({ role: "staff" });
  const listed = (await run("list", "--json")).out;
  expect(JSON.parse(listed)).toEqual(await (await store.call("GET", "/platform/people")).json());
});

test("a person who is removed is gone, and the command line is recorded", async () => {
  const { store, run } = await open();
  await run("add", ...ADA);
  const asked = await run("remove", "1");
  expect([asked.code, asked.error]).toEqual([
    2,
    expect.stringContaining('Remove person 1 "Ada Byron" (ada@example.org)? '),
  ]);
  expect((await run("remove", "1", "--yes")).out).toBe('Person 1 "Ada Byron" was removed\n');
  const gone = await run("remove", "1", "--yes");
  expect([gone.code, gone.error]).toEqual([
    1,
    "adoption-store: There is no person with this id: see adoption-store people list\n",
  ]);
  const log = await (await store.call("GET", "/platform/audit?resource=person:1")).json();
  expect(log).toMatchObject([
    { action: "person.removed", actor: { kind: "operator" } },
    { action: "person.added", actor: { kind: "operator" } },
  ]);
});

test("wrong arguments are refused before anything is opened", async () => {
  const { run } = await open();
  for (const [argv, message] of [
    [["add", "--name", "Ada", "--email", "ada", "--role", "staff"], "is not an email address"],
    [["add", "--name", "Ada", "--email", "a@b", "--role", "king"], "is not one of volunteer, staff"],
    [["role", "one", "staff"], "is not a number"],
    [["role", "1", "king"], "is not one of"],
  ] as const) {
    const { code, error } = await run(...argv);
    expect(code).toBe(2);
    expect(error).toContain(message);
  }
});

test("a link that works on this machine alone comes with a note; one to BASE_URL does not", async () => {
  const local = await (await openShared()).run("people", "add", ...ADA);
  expect(local.out).toContain("http://localhost:3000/console/invitation#");
  expect(local.error).toBe(
    "adoption-store: this address works on this machine only: for others, set BASE_URL and invite them again\n",
  );
  const { run } = await open();
  expect((await run("add", ...ADA)).error).toBe("");
});
