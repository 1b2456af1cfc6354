import { expect, test } from "bun:test";
import { isForWorker } from "../../src/edge/forwarding.ts";

test.each([
  ["GET", "/v1/pets"],
  ["HEAD", "/v1/pets"],
  ["GET", "/v1/pets?limit=20&status=available"],
  ["GET", "/v1/pets?cursor=a%20b&sort=-name"],
  ["GET", "/v1/pets/17"],
  ["GET", "/v1/categories"],
  ["GET", "/v1/store/orders?status=open&limit=5"],
  ["GET", "/v1/store/orders/3"],
  ["GET", "/v1/pets?q=bella&sort=name"],
  ["GET", "/v1/store/orders?q=ada"],
  ["GET", "/v1/statistics?q=bella"],
  ["GET", "/v1/statistics/categories"],
  ["GET", "/v1/pets#q"],
  ["POST", "//v1/pets"],
  ["TRACE", "/v1/pets"],
  ["TRACE", "/docs"],
])("a worker responds to %s %s", (method, path) => {
  expect(isForWorker({ method, url: `http://localhost:3000${path}` })).toBe(true);
});

test.each([
  ["POST", "/v1/pets"],
  ["DELETE", "/v1/pets/17"],
  ["GET", "/v1/pets/events"],
  ["GET", "/v1/store/orders/3/history"],
  ["GET", "/v1/statistics/pets"],
  ["GET", "/platform/keys"],
  ["GET", "/v1/pets/17/"],
  ["GET", "/console/v1/pets"],
  ["GET", "/readyz"],
])("a worker forwards %s %s", (method, path) => {
  expect(isForWorker({ method, url: `http://localhost:3000${path}` })).toBe(false);
});
