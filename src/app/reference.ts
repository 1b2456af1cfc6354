import type { Config } from "../config/config.ts";
import { publishFirst } from "../deploys/first-deploy.ts";
import { referenceSite } from "../openapi/reference.ts";
import { generateDocuments } from "../openapi/generate.ts";
import { documentAddresses } from "./routes.ts";
import type { Services } from "./services.ts";

/** Publishes the API reference as the first site if nothing has been deployed yet. */
export const publishReference = (
  config: Config,
  services: Services,
  app: Parameters<typeof generateDocuments>[0],
  port: number,
): Promise<void> =>
  publishFirst(async () => {
    const documents = await generateDocuments(app);
    const baseUrl = config.baseUrl ?? `http://localhost:${port}`;
    const addresses = { ...documentAddresses(config), baseUrl };
    return referenceSite((name) => documents(name, addresses));
  }, services);
