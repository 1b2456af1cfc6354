import { expect, test } from "bun:test";
import { isForWorker } from "../../src/edge/forwarding.ts";
import { words } from "../support/words.ts";

const PLAIN_READS = words(`
  /v1/pets /v1/pets?limit=20&status=available /v1/pets?cursor=a%20b&sort=-name /v1/pets?q=bella&sort=name /v1/pets/17
  /v1/categories /v1/store/orders?status=open&limit=5 /v1/store/orders/3 /v1/store/orders?q=ada /v1/statistics?q=bella
  /v1/statistics/categories /v1/pets#q`);

test.each([
  ...PLAIN_READS.map((path) => ["GET", path]),
  ["HEAD", "/v1/pets"],
  ["POST", "//v1/pets"],
  ["TRACE", "/v1/pets"],
  ["TRACE", "/docs"],
])("a worker responds to %s %s", (method = "", path = "") => {
  expect(isForWorker({ method, url: `http://localhost:3000${path}` })).toBe(true);
});

const OTHER_READS = words(`
  /v1/pets/events /v1/store/orders/3/history /v1/statistics/pets /platform/keys /v1/pets/17/ /console/v1/pets /readyz`);

test.each([...OTHER_READS.map((path) => ["GET", path]), ["POST", "/v1/pets"], ["DELETE", "/v1/pets/17"]])(
  "a worker forwards %s %s",
  (method = "", path = "") => {
    expect(isForWorker({ method, url: `http://localhost:3000${path}` })).toBe(false);
  },
);
