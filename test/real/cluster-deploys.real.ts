import { expect } from "bun:test";
import { startClients } from "./cluster/clients.ts";
import { createProject, deploy, visit } from "./cluster/site.ts";
import { NEEDED, threeNodes } from "./cluster/three-nodes.ts";
import { real, until } from "./support.ts";

const test = real(...NEEDED);

const ROUNDS = 3;
const FILES = 60;
const SITE = "site.localhost";

const sha256 = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");

/** A site whose files are all of this round, and of different sizes. */
const siteOf = (round: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: FILES }, (_, index) => [
      index === 0 ? "index.html" : `${index}.txt`,
      `${round} ${index} `.repeat(1 + index * 7),
    ]),
  );

test(`a node killed as soon as it has acknowledged a deploy leaves each of ${FILES} files to the others, ${ROUNDS} times`, async () => {
  const cluster = await threeNodes();
  const { service, nodes } = cluster;
  await createProject(service);
  const clients = startClients(service, 4);
  for (let round = 0; round < ROUNDS; round++) {
    const [here, ...others] = nodes.map((_, index) => nodes[(round + index) % nodes.length] ?? nodes[0]);
    if (!here) throw new Error("there is no node");
    const site = siteOf(round);
    await deploy(service, here.url, site);
    await here.kill();
    for (const other of others) {
      // A node may serve the previous site for as long as STALE_LIMIT allows.
      const isNew = async () => (await visit(other.url, SITE)).text === site["index.html"];
      await until(`${other.url} serves the deploy`, isNew);
      for (const [name, content] of Object.entries(site)) {
        const { status, text } = await visit(other.url, SITE, `/${name}`);
        expect([name, status, sha256(text)]).toEqual([name, 200, sha256(content)]);
      }
    }
    await here.start();
  }
  await clients.end();
  expect(service.ledger.surprises).toEqual([]);
  console.log(`    ${ROUNDS} deploys of ${FILES} files, each whole on both other nodes`);
});
