import { probeObjectStore } from "../app/objects.ts";
import type { Config } from "../config/config.ts";
import type { Probe } from "./doctor-finding.ts";

/** The check of the object store, if there is one. */
export const objectStoreProbes = ({ blobsUrl }: Pick<Config, "blobsUrl">): Record<string, Probe> =>
  blobsUrl ? { "object store": () => probeObjectStore(blobsUrl) } : {};
