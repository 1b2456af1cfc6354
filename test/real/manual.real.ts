import { describe, expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Glob } from "bun";
import { blocksOf, runsHere } from "../pages/manual/blocks.ts";
import type { Outcome } from "./manual/page.ts";
import { directory, real, run } from "./support.ts";

const ROOT = resolve(import.meta.dir, "../..");
const RUNNER = join(import.meta.dir, "manual/page.ts");

/** Separate namespaces: every process of a page ends with its first one. */
const ALONE = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
const NEEDED = ["root", "network namespaces", "unshare", "curl", "jq", "node", "python3"];

const test = real();
const inBash = real("bash");
const inNetwork = real(...NEEDED);

/** The other requirements of one page. */
const ALSO: Readonly<Record<string, readonly string[]>> = { "src/pages/manual/how-to/cluster.md": ["etcd"] };

/** @returns how many steps were done @throws with what a page shows and what is there instead */
const follow = async (page: string, ...flags: string[]): Promise<number> => {
  const place = directory();
  const { stdout, stderr } = await run([...ALONE, process.execPath, RUNNER, page, place, ...flags], {
    env: { HOME: process.env["HOME"] ?? "/root" },
  });
  if (!stdout.startsWith("{")) throw new Error(`${page}: ${stdout}${stderr}`);
  const { steps, failure } = JSON.parse(stdout) as Outcome;
  if (failure !== undefined) throw new Error(failure);
  return steps;
};

const pages = [...new Glob("src/pages/manual/**/*.md").scanSync(ROOT), "README.md", "src/client/README.md"]
  .toSorted()
  // Of contributors in a clone of theirs: test/pages/manual/pages.test.ts reads their commands.
  .filter((page) => !page.includes("/contributing/"))
  .map((page) => ({ page, blocks: blocksOf(readFileSync(join(ROOT, page), "utf8")).filter(runsHere) }))
  .filter(({ blocks }) => blocks.length > 0);

const usesNode = (lines: readonly string[]): boolean => lines.some((line) => /^(?:\$ )?node /.test(line));

describe("a reader who follows", () => {
  for (const { page, blocks } of pages) {
    real(...NEEDED, ...(ALSO[page] ?? []))(`${page} gets the results that it shows`, async () => {
      expect(await follow(page)).toBeGreaterThan(0);
    });
    if (blocks.some(({ lines }) => usesNode(lines)))
      inNetwork(`${page} with Bun in place of Node gets the results that it shows`, async () => {
        expect(await follow(page, "--bun")).toBeGreaterThan(0);
      });
  }
});

const SERVER = "```sh server\nadoption-store serve\n```\n";

describe("a page that is wrong is named with its line", () => {
  for (const [what, text, says] of [
    ["a command that fails", "```sh\ntrue; false; true\n```", ":2: true; false; true\n  exit code 1"],
    ["other output", "```console\n$ echo a\nb\n```", ":2: echo a\n  expected:\n    b\n  got:\n    a"],
    ["output that is not shown", "```console\n$ echo a\n```", "got:\n    a"],
    ["another exit code", "```console exit=1\n$ true\n```", "exit code 0, not 1"],
    ["other JSON", '```sh\necho \'{"a":1}\'\n```\n```json\n{"a":2}\n```', 'got:\n    {"a":1}'],
    ["a server that ends", "```sh server\necho why; exit 3\n```", "ended with exit code 3\nwhy"],
    ["an error response", `${SERVER}\`\`\`sh\ncurl localhost:3000/v1/pets\n\`\`\``, "missing_api_key"],
  ] as const)
    inNetwork(what, async () => {
      const place = directory();
      const page = join(place, "page.md");
      writeFileSync(page, text);
      expect(await follow(page).catch(({ message }: Error) => message)).toContain(says);
    });

  inNetwork("and leaves nothing running", async () => {
    const place = directory();
    const page = join(place, "page.md");
    writeFileSync(page, `${SERVER}\`\`\`sh\nsleep 4711 &\ncurl -s localhost:3000/livez\n\`\`\`\n`);
    expect(await follow(page)).toBe(3);
    expect((await run(["pgrep", "-f", "sleep 4711"])).stdout).toBe("");
  });
});

inBash("commands for contributors are complete, as bash reads them", async () => {
  for (const page of new Glob("src/pages/manual/contributing/*.md").scanSync(ROOT))
    for (const { language, line, lines } of blocksOf(readFileSync(join(ROOT, page), "utf8"))) {
      if (language !== "sh") continue;
      const { stderr } = await run(["bash", "-n", "-c", lines.join("\n")]);
      expect(`${page}:${line} ${stderr}`).toBe(`${page}:${line} `);
    }
});

test("there are pages to follow", async () => {
  expect(pages.length).toBeGreaterThan(10);
});
