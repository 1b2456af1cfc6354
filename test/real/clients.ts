import { expect } from "bun:test";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Server, run, store } from "./support.ts";

/** Programs of clients, and what `.ci/run` fetches for them into `programs/`. */
export const CLIENTS = join(import.meta.dir, "clients");
export const GENERATOR = join(CLIENTS, "programs/openapi-generator-cli.jar");
export const JARS = join(CLIENTS, "programs/java");
export const PYTHON = join(CLIENTS, "programs/python/bin/python");
export const SCHEMATHESIS = join(CLIENTS, "programs/python/bin/schemathesis");

const PATH = process.env["PATH"] ?? "";
/** Where Go keeps what it has compiled. */
const HOME = process.env["HOME"] ?? "";

/** Runs a tool to its end. @returns what it printed @throws with all of it, unless it succeeds */
export const tool = async (
  argv: string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<string> => {
  const { code, stdout, stderr } = await run(argv, { cwd, env: { PATH, HOME, ...env } });
  if (code !== 0)
    throw new Error(`${argv.slice(0, 4).join(" ")}: exit code ${code}\n${stdout}\n${stderr}`.slice(-5000));
  return stdout;
};

export type DocumentName = "store" | "platform";

/** Go's constructors are called `NewPet`, as a schema of the specification is. */
const goNames = (document: { components: { schemas: object } }): string =>
  Object.keys(document.components.schemas)
    .filter((name) => name.startsWith("New"))
    .map((name) => `${name}=${name.slice(3)}Input`)
    .join();

const SETTINGS = {
  java: (name: string) => [
    "--library=native",
    `--additional-properties=apiPackage=${name},modelPackage=${name}.model,invokerPackage=${name}.client`,
  ],
  go: (name: string, document: string) => [
    `--model-name-mappings=${goNames(JSON.parse(document) as Parameters<typeof goNames>[0])}`,
    `--additional-properties=packageName=${name}api,withGoMod=false`,
  ],
  python: (name: string) => [`--additional-properties=packageName=${name}api`],
};

/** Generates a client into `cwd`. @returns its directory */
export const generate = async (
  language: keyof typeof SETTINGS,
  name: DocumentName,
  cwd: string,
): Promise<string> => {
  const { code, stdout: document } = await store(["openapi", name], { cwd });
  expect(code).toBe(0);
  await Bun.write(join(cwd, `${name}.json`), document);
  const parts =
    "--global-property=models,apis,supportingFiles,apiTests=false,modelTests=false,apiDocs=false,modelDocs=false";
  const argv = [
    "java",
    "-Dlog.level=error",
    "-jar",
    GENERATOR,
    "generate",
    "-g",
    language,
    "-i",
    `${name}.json`,
  ];
  await tool([...argv, "-o", `${language}-${name}`, parts, ...SETTINGS[language](name, document)], cwd);
  return join(cwd, `${language}-${name}`);
};

const filesIn = (directory: string, pattern: string): string[] =>
  [...new Bun.Glob(pattern).scanSync({ cwd: directory, absolute: true })].toSorted();

/** Compiles a generated Java client. @returns where its classes are */
export const compileJava = async (generated: string, cwd: string): Promise<string> => {
  const classes = `${generated}-classes`;
  const sources = filesIn(join(generated, "src/main"), "**/*.java");
  await tool(["javac", "-nowarn", "-cp", `${JARS}/*`, "-d", classes, ...sources], cwd);
  return classes;
};

/** Makes a Go module of a generated client and vets it: that compiles it. @returns its directory */
export const compileGo = async (generated: string, name: DocumentName): Promise<string> => {
  await Bun.write(join(generated, "go.mod"), `module example.org/${name}api\n\ngo 1.19\n`);
  await tool(["go", "vet", "./..."], generated);
  return generated;
};

type Runner = (cwd: string, env: Record<string, string>) => Promise<string>;

/** By language: generates a client of the store, and runs the program next to this file that uses it. */
export const PROGRAMS: Record<keyof typeof SETTINGS, Runner> = {
  async java(cwd, env) {
    const classes = await compileJava(await generate("java", "store", cwd), cwd);
    const path = `${JARS}/*:${classes}`;
    await tool(["javac", "-nowarn", "-cp", path, "-d", classes, join(CLIENTS, "Animals.java")], cwd);
    return tool(["java", "-cp", path, "Animals"], cwd, env);
  },
  async go(cwd, env) {
    const client = await compileGo(await generate("go", "store", cwd), "store");
    const program = join(cwd, "program");
    mkdirSync(program);
    cpSync(join(CLIENTS, "animals.go"), join(program, "main.go"));
    await Bun.write(
      join(program, "go.mod"),
      `module example.org/animals\n\ngo 1.19\n\nrequire example.org/storeapi v0.0.0\n\nreplace example.org/storeapi => ${client}\n`,
    );
    return tool(["go", "run", "."], program, env);
  },
  async python(cwd, env) {
    const client = await generate("python", "store", cwd);
    return tool([PYTHON, join(CLIENTS, "animals.py")], cwd, {
      ...env,
      PYTHONPATH: client,
      PYTHONDONTWRITEBYTECODE: "1",
    });
  },
};

/** How many requests the server has answered, as it counts them itself. */
export const requestsOf = async (server: Pick<Server, "call">): Promise<number> => {
  const metrics = await (await server.call("/metrics")).text();
  const counts = metrics.matchAll(/^http_server_request_duration_seconds_count\{[^}]*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
};
