import { join } from "node:path";

/** The address in the first line that a server prints. */
const addressIn = async (output: ReadableStream<Uint8Array>): Promise<string> => {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of output) {
    text += decoder.decode(chunk, { stream: true });
    const address = /http:\S+/.exec(text)?.[0];
    if (address !== undefined) return address;
  }
  throw new Error("the executable ended before it served");
};

/** Starts a server in an empty directory, and records which functions that uses. @returns the file for the bundler */
export const recordStart = async (executable: string, directory: string): Promise<string> => {
  const profile = join(directory, "start.order");
  const server = Bun.spawn([executable, "serve"], {
    env: { DATA_DIR: join(directory, "data"), PORT: "0", LOG_LEVEL: "warn", BUN_BYTECODE_ORDER_OUT: profile },
    stderr: "inherit",
  });
  const address = await addressIn(server.stdout);
  await fetch(`${address}/livez`, { keepalive: false });
  server.kill("SIGTERM");
  if ((await server.exited) !== 0) throw new Error("the executable did not stop cleanly");
  return profile;
};
