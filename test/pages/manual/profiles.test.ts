import { expect, test } from "bun:test";
import { MEMBER_NAMES } from "../../../src/store/pets/profile/members.ts";

test("the manual lists every member, and maps each to other systems", async () => {
  const page = await Bun.file("src/pages/manual/how-to/profiles.md").text();
  const [values = "", systems = ""] = page.split("## Other systems").map((part) =>
    part
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .map((line) => line.split(" | ")[0])
      .join(),
  );
  const names = (cells: string) => [...cells.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name).toSorted();
  expect(names(values)).toEqual([...MEMBER_NAMES].toSorted());
  expect(names(systems)).toEqual([...MEMBER_NAMES].toSorted());
});
