import { describe, expect, test } from "bun:test";
import { methodsAt } from "../../src/http/route-table.ts";

describe("methods at a path", () => {
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
  ])("%s: %p", (path, methods) => {
    expect(methodsAt(routes, path)).toEqual(methods);
  });
});
