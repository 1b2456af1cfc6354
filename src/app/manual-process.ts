import type { Config } from "../config/config.ts";
import type { SiteFiles } from "../deploys/own-site.ts";
import { ownProgram } from "../lib/own-program.ts";
import { generateDocuments } from "../openapi/generate.ts";
import { publishManual, renderManual } from "./manual.ts";
import { programDocuments } from "./openapi.ts";
import type { Services } from "./services.ts";

/** The command that calls `printManual`. It is not for people, so the command line does not list it. */
export const MANUAL_COMMAND = "__manual";

/** `Bun.write` writes some of a text twice if the pipe is full. @returns false if nobody reads any more */
const print = (text: string): Promise<boolean> =>
  new Promise((resolve) => process.stdout.write(text, (error) => resolve(!error)));

/** Prints the files of the manual, one in a line, for the configuration that standard input holds. */
export const printManual = async (): Promise<void> => {
  const config = (await Bun.stdin.json()) as Config;
  for await (const file of renderManual(config, () => programDocuments(config)))
    if (!(await print(`${JSON.stringify(file)}\n`))) return;
};

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/**
 * Makes the files of the manual in a process of its own, which runs this program and ends. That takes two seconds and 100 MB,
 * which a server would otherwise keep. An abort ends the process.
 * @throws an error if the process fails
 */
export async function* manualFromProcess(
  config: Config,
  { signal, program = ownProgram() }: { signal: AbortSignal; program?: readonly string[] },
): SiteFiles {
  await using child = Bun.spawn([...program, MANUAL_COMMAND], {
    signal,
    stdin: new Blob([JSON.stringify(config)]),
    stdout: "pipe",
    stderr: "inherit",
  });
  for await (const line of linesOf(child.stdout)) yield JSON.parse(line) as [string, string];
  const code = await child.exited;
  if (code !== 0) throw new Error(`making the manual ended with exit code ${code}`);
}

/** Publishes the manual of a running server. An abort ends the publication: the next one makes it. */
export const manualPublisher =
  (config: Config, services: Services, app: Parameters<typeof generateDocuments>[0]) =>
  async (signal: AbortSignal): Promise<void> => {
    const files = () =>
      Bun.isStandaloneExecutable
        ? manualFromProcess(config, { signal })
        : renderManual(config, () => generateDocuments(app));
    // Deploys are refused.
    if (config.databaseUrl && !config.blobsUrl) return;
    try {
      await publishManual(config, services, files);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
