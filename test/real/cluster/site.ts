import { tarGzOf } from "../../platform/deploys/archives.ts";
import { type Service, write } from "./retrying.ts";

const PROJECT = "/platform/projects/site";

/** Creates the project `site`. @returns the name that its domains must lead to */
export const createProject = async (service: Service): Promise<string> => {
  const body = { slug: "site", name: "Site", plan: "pro" };
  const created = await write(service, { method: "POST", path: "/platform/projects", body }, [201]);
  return String(created.body["target"]);
};

/** Publishes files as the site of the project, through the node at `url`. */
export const deploy = async (
  { key }: Pick<Service, "key">,
  url: string,
  files: Readonly<Record<string, string>>,
): Promise<void> => {
  const response = await fetch(`${url}${PROJECT}/deploys`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/gzip" },
    body: new Uint8Array(tarGzOf(Object.entries(files).map(([name, content]) => ({ name, content })))),
  });
  if (response.status !== 201) throw new Error(`deploy: ${response.status} ${await response.text()}`);
};

/** Adds domains to the project and has them verified, a few at a time. */
export const attach = async (service: Service, names: readonly string[]): Promise<void> => {
  const rest = [...names];
  const attachEach = async () => {
    for (let hostname = rest.pop(); hostname !== undefined; hostname = rest.pop()) {
      const path = `${PROJECT}/domains`;
      await write(service, { method: "POST", path, body: { hostname } }, [201, 200]);
      await write(service, { method: "POST", path: `${path}/${hostname}/verify` }, [200]);
    }
  };
  await Promise.all(Array.from({ length: 4 }, attachEach));
  if (service.ledger.surprises.length > 0) throw new Error(service.ledger.surprises.join("\n"));
};

export const domainPath = (hostname: string): string => `${PROJECT}/domains/${hostname}`;

/** The status and the text that a node answers to a visitor of a site; 0 without an answer. */
export const visit = (url: string, hostname: string, path = "/"): Promise<{ status: number; text: string }> =>
  fetch(`${url}${path}`, { headers: { host: hostname }, signal: AbortSignal.timeout(2000) }).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    () => ({ status: 0, text: "" }),
  );
