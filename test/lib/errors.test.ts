import { expect, test } from "bun:test";
import { StorageUnavailable } from "../../src/lib/storage-errors.ts";
import { FAULTS, Fault, type FaultCode, faultOf, faultResponse } from "../../src/lib/errors.ts";
import { generateDocuments } from "../../src/pages/openapi/document.ts";
import { openStore } from "../support/store.ts";

const CODES = Object.keys(FAULTS) as FaultCode[];

test.each(CODES)(
  "the response for %s is JSON in the Error shape, with its status in the body",
  async (code) => {
    const response = faultResponse(new Fault(code));
    const body = (await response.json()) as Record<string, unknown>;
    expect(Object.keys(body).toSorted()).toEqual(["code", "message", "status"]);
    expect(body).toMatchObject({ code, status: response.status });
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(response.headers.get("content-type")).toBe("application/json");
  },
);

test("an unexpected error does not reveal its cause", () => {
  const { code, message } = faultOf(new Error("password is 1234"));
  expect([code, message]).toEqual(["internal_error", FAULTS.internal_error[1]]);
});

test("an unexpected error of a read names the command that distinguishes damage from a failing disk", () => {
  const damage = Object.assign(new Error(), { code: "SQLITE_CORRUPT" });
  const { code, message } = faultOf(new StorageUnavailable("wrapped", { cause: damage }));
  expect([code, message]).toEqual(["storage_unavailable", expect.stringContaining("adoption-store doctor")]);
});

test("an unexpected error of the storage is storage_unavailable", () => {
  expect(faultOf(new StorageUnavailable("full")).code).toBe("storage_unavailable");
});

test("an unexpected error in a route is logged with the request's id and gets 500", async () => {
  const store = await openStore();
  store.database.client.run("drop table pets");
  const response = await store.call("GET", "/v1/pets", { headers: { "x-request-id": "mine" } });
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain("pets");
  expect(store.log.find(({ msg }) => msg === "internal_error")).toMatchObject({ requestId: "mine" });
});

test("the documents name every code of the catalogue that an operation can respond with, and no others", async () => {
  const documents = await generateDocuments((await openStore()).app);
  const addresses = { baseUrl: "", stagingBaseUrl: "" };
  const text = JSON.stringify([documents("store", addresses), documents("platform", addresses)]);
  const documented = new Set([...text.matchAll(/"value":\{"code":"(\w+)"/g)].map(([, code]) => code));
  // 405, 421 and https_required are responses to requests that reach no operation. Sites and the console have no document.
  const undocumented: FaultCode[] = [
    "method_not_allowed",
    "misdirected",
    "damaged_file",
    "https_required",
    "not_signed_in",
    "cross_site_request",
    "last_passkey",
    "passkey_limit_reached",
    "invalid_invitation",
    "passkey_refused",
  ];
  expect([...documented].toSorted()).toEqual(CODES.filter((code) => !undocumented.includes(code)).toSorted());
});
