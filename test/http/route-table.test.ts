import { expect, test } from "bun:test";
import { methodsAt } from "../../src/http/route-table.ts";

const routes = [
  { method: "GET", path: "/a/:id" },
  { method: "POST", path: "/a/:id/b" },
  { method: "DELETE", path: "/a/:id" },
];
test.each([
  ["/a/1", ["DELETE", "GET", "HEAD", "OPTIONS"]],
  ["/a/1/", ["DELETE", "GET", "HEAD", "OPTIONS"]],
  ["/a/1/b", ["OPTIONS", "POST"]],
  ["/a", []],
  ["/a//b", []],
  ["/a/1/c", []],
])("the methods at the path %s are %p", (path, methods) => {
  expect(methodsAt(routes, path)).toEqual(methods);
});
