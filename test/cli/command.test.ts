import { describe, expect, spyOn, test } from "bun:test";
import { command, examplesOf, group } from "../../src/cli/command.ts";
import { Declined } from "../../src/cli/input.ts";

/** The standard output of a command. */
const outputOf = async (make: ReturnType<typeof command>, ...argv: string[]): Promise<string> => {
  const chunks: string[] = [];
  const write = spyOn(process.stdout, "write").mockImplementation((chunk) => chunks.push(String(chunk)) > 0);
  try {
    await make().parseAsync(argv, { from: "user" });
  } finally {
    write.mockRestore();
  }
  return chunks.join("");
};

const feed = command({
  name: "feed",
  description: "feed animals",
  takes: {
    "<food>": { text: "what they get", choices: ["hay", "fish"] },
    "[animals...]": "which animals",
    "--meals-a-day <number>": { text: "how often", parse: Number, fallback: 2 },
    "--at <times...>": "when",
    "--no-water": "without water",
    "--dry-run": "only show it",
    "--json": "print JSON",
  },
  run(input) {
    return { json: input, text: `${input.food} for ${input.animals.join(" and ") || "all"}` };
  },
});

describe("a declared command", () => {
  test("gets the values of its arguments and options by their names in camel case", async () => {
    const line = "fish Rex Bo --meals-a-day 3 --at noon night --no-water --dry-run --json";
    expect(JSON.parse(await outputOf(feed, ...line.split(" ")))).toEqual({
      food: "fish",
      animals: ["Rex", "Bo"],
      mealsADay: 3,
      at: ["noon", "night"],
      water: false,
      dryRun: true,
      json: true,
    });
  });

  test("gets fallbacks, and no value for absent options", async () => {
    expect(JSON.parse(await outputOf(feed, "hay", "--json"))).toEqual({
      food: "hay",
      animals: [],
      mealsADay: 2,
      water: true,
      json: true,
    });
  });

  test("prints its output in words without --json", async () => {
    expect(await outputOf(feed, "hay")).toBe("hay for all\n");
  });

  test("reports that the user declined, also as JSON", async () => {
    const release = command({
      name: "release",
      description: "release an animal",
      takes: { "--json": "print JSON" },
      run() {
        throw new Declined("Nothing was released.");
      },
    });
    expect(await outputOf(release)).toBe("Nothing was released.\n");
    expect(await outputOf(release, "--json")).toBe('{"declined":true}\n');
  });

  test("has its full name before each example", () => {
    const show = command({
      name: "show",
      description: "show an animal",
      examples: { "Show all": "", "Show one": "7 | less" },
      run: () => {},
    });
    const [child] = group({ name: "animals", description: "look at animals", commands: [show] })().commands;
    expect(child && examplesOf(child)).toEqual([
      ["Show all", "animals show"],
      ["Show one", "animals show 7 | less"],
    ]);
  });
});
