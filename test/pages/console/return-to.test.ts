import { expect, test } from "bun:test";
import { returnToOf } from "../../../src/pages/console/oidc-routes.ts";

test.each([
  "/console",
  "/console/adoptions",
  "/console?status=available&q=%C5%81ucja",
  "/console/animals/7?from=/console",
])("after signing in, %s is shown", (to) => {
  expect(returnToOf(to)).toBe(to);
});

test.each([
  undefined,
  "",
  "/",
  "/consolex",
  "/docs",
  "//evil.example",
  "https://evil.example",
  "/console//evil.example",
  "/console/..//evil.example",
  "/console/..\\evil.example",
  "/console\r\nset-cookie: a=b",
  "/console?x=\u0000",
  "/console#x",
  " /console",
  // Kept in memory until the visitor comes back, for as many visitors as there are.
  `/console?q=${"x".repeat(2000)}`,
])("after signing in, the first page is shown in place of %j", (to) => {
  expect(returnToOf(to)).toBe("/console");
});
