import { expect, test } from "bun:test";
import { proofNameOf } from "../../../src/platform/dns-checks/trace.ts";

test("the TXT record that proves an apex has a name below it", () => {
  expect(proofNameOf("example.org")).toBe("_adoption-store.example.org");
});
