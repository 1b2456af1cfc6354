import { expect } from "bun:test";
import { GENERATOR, JARS, PROGRAMS, PYTHON, compileGo, compileJava, generate } from "./clients.ts";
import { directory, real, serve } from "./support.ts";

const MINUTES = 60_000;

const NEEDS = {
  java: ["java", "javac", GENERATOR, JARS],
  go: ["java", "go", GENERATOR],
  python: ["java", GENERATOR, PYTHON],
} as const;

for (const language of ["java", "go", "python"] as const)
  real(
    `a client that is generated in ${language} adds, lists, pages, fetches, clears a status and reads an error`,
    NEEDS[language],
    async () => {
      using place = directory();
      await using server = await serve({ cwd: place.path });
      const env = { BASE_URL: `${server.url}/v1`, API_KEY: server.key };
      expect(JSON.parse(await PROGRAMS[language](place.path, env))).toEqual({
        again: true,
        pages: [["Bella", "Rex"], ["Ada"]],
        category: "9007199254740993",
        status: "available",
        cleared: true,
        error: "404 not_found",
      });
    },
    5 * MINUTES,
  );

real(
  "a Java client of the platform compiles",
  NEEDS.java,
  async () => {
    using place = directory();
    await compileJava(await generate("java", "platform", place.path), place.path);
  },
  5 * MINUTES,
);

real(
  "a Go client of the platform compiles",
  NEEDS.go,
  async () => {
    using place = directory();
    await compileGo(await generate("go", "platform", place.path), "platform");
  },
  5 * MINUTES,
);
