import { join } from "node:path";
import { type BunPlugin, gzipSync } from "bun";
import { commitOf } from "../../src/lib/version.ts";

const ROOT = join(import.meta.dir, "../..");

/** Embeds the files of the Swagger page gzipped: the executable is 1.6 MB smaller, and the server need not compress them. */
const gzipped: BunPlugin = {
  name: "gzipped",
  setup: (build) =>
    void build.onLoad({ filter: /swagger-ui-dist\/[\w-]+\.(?:js|css)$/ }, async ({ path }) => ({
      contents: gzipSync(await Bun.file(path).bytes(), { level: 9 }),
      loader: "file",
    })),
};

export interface CompileOptions {
  outfile: string;
  /** The platform; without it, this one. */
  target?: string | undefined;
  /** More plugins: a test makes a program with a mistake. */
  plugins?: BunPlugin[];
}

/** Compiles the program to one executable. @throws AggregateError with what the bundler says */
export const compile = ({ outfile, target, plugins = [] }: CompileOptions) => {
  const commit = commitOf(ROOT);
  return Bun.build({
    entrypoints: [join(ROOT, "src/main.ts")],
    target: "bun",
    format: "esm",
    splitting: true,
    bytecode: true,
    // Elysia reads the source text of its handlers, so identifiers keep their names. So do stack traces.
    minify: { whitespace: true, syntax: true },
    define: {
      __dirname: '"/"',
      __filename: '"/"',
      ...(commit !== undefined && { BUILD_COMMIT: JSON.stringify(commit) }),
    },
    // Elysia loads it to check uploaded files, which no operation declares.
    external: ["file-type"],
    plugins: [gzipped, ...plugins],
    compile: {
      ...(target !== undefined && { target: target as Bun.Build.CompileTarget }),
      outfile,
      // The server returns to the normal policy once it serves.
      jitPolicy: 8,
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  });
};
