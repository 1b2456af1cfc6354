import { expect } from "bun:test";
import { GENERATOR, JARS, PROGRAMS, PYTHON, compileGo, compileJava, generate } from "./clients.ts";
import { directory, real, serve } from "./support.ts";

const NEEDS = {
  java: ["java", "javac", GENERATOR, JARS],
  go: ["java", "go", GENERATOR],
  python: ["java", GENERATOR, PYTHON],
} as const;

const inJava = real(...NEEDS.java);
const inGo = real(...NEEDS.go);

for (const language of ["java", "go", "python"] as const)
  real(...NEEDS[language])(
    `a client that is generated in ${language} adds, lists, pages, fetches, clears a status and reads an error`,
    async () => {
      const server = await serve();
      const env = { BASE_URL: `${server.url}/v1`, API_KEY: server.key };
      expect(JSON.parse(await PROGRAMS[language](server.cwd, env))).toEqual({
        again: true,
        pages: [["Bella", "Rex"], ["Ada"]],
        category: "9007199254740993",
        status: "available",
        cleared: true,
        error: "404 not_found",
      });
    },
  );

inJava("a Java client of the platform compiles", async () => {
  const place = directory();
  await compileJava(await generate("java", "platform", place), place);
});

inGo("a Go client of the platform compiles", async () => {
  const place = directory();
  await compileGo(await generate("go", "platform", place), "platform");
});
