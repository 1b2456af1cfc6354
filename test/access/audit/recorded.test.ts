import { png } from "../../support/images.ts";
import { addPhoto } from "../../store/photos/photos.ts";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { adopterRepository } from "../../../src/store/orders/erasure.ts";
import { importRepository } from "../../../src/store/import-export/repository.ts";
import { undoRepository } from "../../../src/store/import-export/undo-repository.ts";
import { ACTION_NAMES, type Action } from "../../../src/data/db/actions.ts";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { noticeRepository } from "../../../src/platform/domains/notice-repository.ts";
import { DEPLOY, openProject } from "../../platform/domains/projects.ts";
import { invite, signedIn, visitor } from "../people/visitor.ts";
import { addPet, runInCommit } from "../../support/store.ts";

type Project = Awaited<ReturnType<typeof openProject>>;

const KEY = { kind: "key", id: 1, name: "all" } as const;
const PET = { kind: "pet", id: "7", name: "Bella" } as const;
const ORDER = { kind: "order", id: "41", name: "Bella", parent: { kind: "pet", id: "7" } } as const;
const CATEGORY = { kind: "category", id: "3", name: "Dogs" } as const;
/** Ids differ from kind to kind, so that an entry with the id of another thing is wrong. */
const LAST_IDS =
  "INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', 6), ('pet_photos', 11), ('orders', 40), ('categories', 2), ('pet_fields', 4)";
const VET = { name: "vet", label: "Veterinarian", kind: "text" };
const FIELD = { kind: "field", id: "5", name: VET.label } as const;
const PERSON = { kind: "person", id: "1", name: "Ada Byron" } as const;
const ADA = { kind: "person", id: 1, name: "Ada Byron" } as const;
const DOCS = { kind: "project", id: "docs" } as const;
const DOMAIN = { kind: "domain", id: "docs.example.org", parent: DOCS } as const;
const ADOPTER = { name: "Ada Byron", email: "ada@example.org" };

const PHOTO = { kind: "photo", id: "12", name: "Bella", parent: { kind: "pet", id: "7" } } as const;

const pictured = async ({ store }: Project) => {
  await addPet(store, {});
  await addPhoto(store, await png(8, 8), { path: "/v1/pets/7/photos" });
};

/** Performs an action. @returns the other fields of its entry */
type Case = (project: Project) => Promise<Record<string, unknown>>;

const placed = async ({ store }: Project) => {
  await addPet(store, { status: "available" });
  await store.call("POST", "/v1/store/orders", { json: { petId: 7, adopter: ADOPTER, note: "A garden" } });
};

const step = async ({ store }: Project, name: string) =>
  store.call("POST", `/v1/store/orders/41/${name}`, { json: {} });

const forget = ({ store }: Project) =>
  adopterRepository(store.database).forget(ADOPTER.email, true, {
    actor: OPERATOR,
    now: store.clock.now(),
  });

const imports = ({ store }: Project) =>
  importRepository(store.database, {
    actor: OPERATOR,
    now: store.clock.now,
    lockPath: (id) => join(store.config.dataDir, `${id}.lock`),
  });

const RECORD = {
  file: "/home/shelter/animals.csv",
  head: "head",
  hash: "hash",
  bytes: 0,
  read: 0,
  added: 0,
  rejected: 0,
  rejectedFile: null,
  rejectedBytes: 0,
  rejectedHash: null,
  columns: null,
  startedAt: 7,
};

/** Acts of commands, which need a database in a file: test/cli/audit.test.ts has their cases. */
const OF_COMMANDS = ["export.animals", "export.adopters", "backup.taken", "backup.restored"] as const;
type OfCommand = (typeof OF_COMMANDS)[number];

const isOfCommand = (action: Action): action is OfCommand =>
  (OF_COMMANDS as readonly Action[]).includes(action);

const CASES: Record<Exclude<Action, OfCommand>, Case> = {
  async "pet.added"({ store }) {
    await addPet(store, {});
    return { resource: PET };
  },
  async "pet.changed"({ store }) {
    await addPet(store, { status: "available" });
    const change = { name: "Luna", categoryId: 2, status: null };
    await store.call("PATCH", "/v1/pets/7", { json: change });
    return {
      resource: { ...PET, name: "Luna" },
      changes: [
        { field: "name", from: "Bella", to: "Luna" },
        { field: "categoryId", from: "1", to: "2" },
        { field: "status", from: "available" },
      ],
    };
  },
  async "pet.deleted"({ store }) {
    await addPet(store, {});
    await store.call("DELETE", "/v1/pets/7");
    return { resource: PET };
  },
  async "photo.added"(project) {
    await pictured(project);
    return { resource: PHOTO };
  },
  async "photo.changed"(project) {
    await pictured(project);
    await project.store.call("PATCH", "/v1/pets/7/photos/12", { json: { alt: "On a sofa" } });
    return { resource: PHOTO, changes: [{ field: "alt", from: "", to: "On a sofa" }] };
  },
  async "photo.deleted"(project) {
    await pictured(project);
    await project.store.call("DELETE", "/v1/pets/7/photos/12");
    return { resource: PHOTO };
  },
  async "pet.profile_changed"({ store }) {
    await addPet(store, {});
    await store.call("PUT", "/v1/pets/7/profile", { json: { sex: "male", notes: "A secret." } });
    return { resource: PET, changes: [{ field: "members", to: "sex, notes" }] };
  },
  async "field.added"({ store }) {
    await store.call("POST", "/v1/fields", { json: VET });
    return { resource: FIELD };
  },
  async "field.changed"({ store }) {
    await store.call("POST", "/v1/fields", { json: VET });
    await store.call("PATCH", "/v1/fields/5", { json: { name: "doctor", public: true } });
    return {
      resource: FIELD,
      changes: [
        { field: "name", from: "vet", to: "doctor" },
        { field: "public", from: "false", to: "true" },
      ],
    };
  },
  async "field.deleted"({ store }) {
    await store.call("POST", "/v1/fields", { json: VET });
    await store.call("DELETE", "/v1/fields/5?confirm=0");
    return { resource: FIELD };
  },
  async "category.added"({ store }) {
    await store.call("POST", "/v1/categories", { json: { name: "Dogs" } });
    return { resource: CATEGORY };
  },
  async "category.changed"({ store }) {
    await store.call("POST", "/v1/categories", { json: { name: "Dogs" } });
    await store.call("PATCH", "/v1/categories/3", { json: { name: "Hounds" } });
    return {
      resource: { ...CATEGORY, name: "Hounds" },
      changes: [{ field: "name", from: "Dogs", to: "Hounds" }],
    };
  },
  async "category.deleted"({ store }) {
    await store.call("POST", "/v1/categories", { json: { name: "Dogs" } });
    await store.call("DELETE", "/v1/categories/3");
    return { resource: CATEGORY };
  },
  async "order.placed"(project) {
    await placed(project);
    return { resource: ORDER };
  },
  async "order.approved"(project) {
    await placed(project);
    await step(project, "approve");
    return { resource: ORDER };
  },
  async "order.completed"(project) {
    await placed(project);
    await step(project, "approve");
    await step(project, "complete");
    return { resource: ORDER };
  },
  async "order.cancelled"(project) {
    await placed(project);
    await step(project, "cancel");
    return { resource: ORDER };
  },
  async "order.returned"(project) {
    await placed(project);
    await step(project, "approve");
    await step(project, "complete");
    await project.store.call("POST", "/v1/store/orders/41/return", { json: { reason: "Moved." } });
    return { resource: ORDER };
  },
  async "order.erased"(project) {
    await placed(project);
    await forget(project);
    return { actor: { kind: "operator" }, resource: ORDER };
  },
  async "adopter.read"(project) {
    await placed(project);
    await project.store.call("GET", "/v1/store/orders");
    await project.store.adopterReads.flush();
    return { resource: { kind: "adopter", id: "orders" }, changes: [{ field: "rows", to: "1" }] };
  },
  async "import.started"(project) {
    await imports(project).start(RECORD, false, 0);
    return {
      at: "1970-01-01T00:00:00.007Z",
      actor: { kind: "operator" },
      resource: { kind: "import", id: "1", name: "animals.csv" },
    };
  },
  async "import.finished"(project) {
    const repository = imports(project);
    const id = await repository.start({ ...RECORD, added: 5, rejected: 1 }, false, 0);
    await repository.finish(id, project.store.clock.now());
    return {
      actor: { kind: "operator" },
      resource: { kind: "import", id: "1", name: "animals.csv" },
      changes: [
        { field: "added", to: "5" },
        { field: "rejected", to: "1" },
      ],
    };
  },
  async "import.undone"(project) {
    const { database, clock } = project.store;
    const id = await imports(project).start(RECORD, false, 0);
    await undoRepository(database).undo(id, imports(project).hold, {
      actor: OPERATOR,
      now: clock.now,
      sharesThread: false,
    });
    return {
      actor: { kind: "operator" },
      resource: { kind: "import", id: "1", name: "animals.csv" },
    };
  },
  async "key.created"({ store }) {
    await store.call("POST", "/platform/keys", { json: { name: "website", scopes: ["pets:read"] } });
    return {
      resource: { kind: "key", id: "2", name: "website" },
      changes: [{ field: "scopes", to: "pets:read" }],
    };
  },
  async "key.rotated"({ store }) {
    await store.createKey({ name: "website" });
    await store.call("POST", "/platform/keys/2/rotate", { json: {} });
    return { resource: { kind: "key", id: "2", name: "website" } };
  },
  async "key.revoked"({ store }) {
    await store.createKey({ name: "website" });
    await store.call("DELETE", "/platform/keys/2");
    return { resource: { kind: "key", id: "2", name: "website" } };
  },
  async "person.added"({ store }) {
    await invite(store);
    return { resource: PERSON, changes: [{ field: "role", to: "volunteer" }] };
  },
  async "person.invited"({ store }) {
    await invite(store);
    await store.call("POST", "/platform/people/1/invite");
    return { resource: PERSON };
  },
  async "person.joined"({ store }) {
    await signedIn(store);
    return { actor: ADA, resource: PERSON };
  },
  async "person.changed"({ store }) {
    await invite(store);
    await store.call("PATCH", "/platform/people/1", { json: { role: "staff", name: "Ada Byron" } });
    return { resource: PERSON, changes: [{ field: "role", from: "volunteer", to: "staff" }] };
  },
  async "person.passkey_added"({ store }) {
    const person = await signedIn(store);
    await person.addPasskey();
    return { actor: ADA, resource: PERSON };
  },
  async "person.passkey_removed"({ store }) {
    await signedIn(store);
    await store.call("DELETE", "/platform/people/1/passkeys/1");
    return { resource: PERSON };
  },
  async "person.removed"({ store }) {
    await invite(store);
    await store.call("DELETE", "/platform/people/1");
    return { resource: PERSON };
  },
  async "session.opened"({ store }) {
    await signedIn(store);
    return {
      actor: ADA,
      resource: { kind: "session", id: expect.stringMatching(/^[0-9a-f]{16}$/), name: "Unknown device" },
      changes: [{ field: "method", to: "passkey" }],
    };
  },
  async "session.closed"({ store }) {
    await (await signedIn(store)).send("DELETE", "/console/session");
    return {
      actor: ADA,
      resource: { kind: "session", id: expect.stringMatching(/^[0-9a-f]{16}$/), name: "Unknown device" },
    };
  },
  async "session.refused"({ store }) {
    for (const token of ["x", "y"])
      await visitor(store).send("POST", "/console/auth/invitation", { json: { token } });
    await store.refusedSignIns.flush();
    return {
      actor: { kind: "service" },
      resource: { kind: "session", id: expect.any(String) },
      changes: [
        { field: "attempts", to: "2" },
        { field: "clients", to: "1" },
      ],
    };
  },
  async "project.created"({ store }) {
    await store.call("POST", "/platform/projects", { json: { slug: "guide", name: "Guide" } });
    return { resource: { kind: "project", id: "guide", name: "Guide" } };
  },
  async "project.changed"({ api }) {
    await api("PATCH", "", { json: { name: "Manual", plan: "free" } });
    return {
      resource: { ...DOCS, name: "Manual" },
      changes: [
        { field: "name", from: "docs", to: "Manual" },
        { field: "plan", from: "pro", to: "free" },
      ],
    };
  },
  async "project.deleted"({ api }) {
    await api("DELETE");
    return { resource: { ...DOCS, name: "docs" } };
  },
  async "deploy.published"({ api }) {
    await api("POST", "/deploys", { body: DEPLOY, headers: { "content-type": "application/gzip" } });
    return { resource: { kind: "deploy", id: "2", parent: DOCS } };
  },
  async "deploy.activated"({ api }) {
    await api("POST", "/deploys", { body: DEPLOY, headers: { "content-type": "application/gzip" } });
    await api("POST", "/deploys/1/activate", { json: {} });
    return { resource: { kind: "deploy", id: "1", parent: DOCS } };
  },
  async "deploy.deleted"({ api }) {
    await api("POST", "/deploys", { body: DEPLOY, headers: { "content-type": "application/gzip" } });
    await api("DELETE", "/deploys/1");
    return { resource: { kind: "deploy", id: "1", parent: DOCS } };
  },
  async "domain.added"({ add }) {
    await add("docs.example.org");
    return { resource: DOMAIN };
  },
  async "domain.changed"({ add, api }) {
    await add("www.example.org");
    await add("docs.example.org");
    await api("PUT", "/config", {
      json: { domains: { primary: "www.example.org", redirects: [REDIRECT] } },
    });
    return { resource: DOMAIN, changes: [{ field: "role", from: "served", to: "redirect" }] };
  },
  async "domain.checked"({ add, verify, fakeDns }) {
    await add("docs.example.org");
    fakeDns.outcome = "records_right";
    await verify("docs.example.org");
    return { resource: DOMAIN, changes: [{ field: "stage", from: "awaiting_dns", to: "live" }] };
  },
  async "domain.noticed"({ store, add, verify, fakeDns }) {
    await add("docs.example.org");
    for (const outcome of ["records_right", "records_wrong"] as const) {
      fakeDns.outcome = outcome;
      await verify("docs.example.org");
    }
    await noticeRepository(store.database).update(store.clock.now(), []);
    return {
      actor: { kind: "service" },
      resource: DOMAIN,
      changes: [{ field: "notice", to: "domain_failing" }],
    };
  },
  async "domain.removed"({ add, api }) {
    await add("docs.example.org");
    await api("DELETE", "/domains/docs.example.org");
    return { resource: DOMAIN };
  },
};

const REDIRECT = { from: "docs.example.org", to: "www.example.org", status: 301 };

test.each(ACTION_NAMES.filter((action) => !isOfCommand(action)))(
  "the act %s is recorded, with its resource and that resource's parent",
  async (action) => {
    const project = await openProject();
    await runInCommit(project.store.database, LAST_IDS);
    const expected = await CASES[action](project);
    const response = await project.store.call("GET", `/platform/audit?action=${action}&limit=1`);
    expect(await response.json()).toEqual([
      {
        id: expect.any(Number),
        at: "2026-11-20T00:00:00.000Z",
        actor: KEY,
        action,
        changes: [],
        ...expected,
      },
    ]);
  },
);
