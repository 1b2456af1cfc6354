import { probeObjectStore } from "../app/objects.ts";
import type { Config } from "../config/config.ts";
import type { Probe } from "./doctor-finding.ts";

/** The check of the object store: none, unless it is used or should be. */
export const objectStoreProbes = ({
  blobsUrl,
  databaseUrl,
}: Pick<Config, "blobsUrl" | "databaseUrl">): Record<string, Probe> => {
  if (blobsUrl) return { "object store": () => probeObjectStore(blobsUrl) };
  if (!databaseUrl) return {};
  return {
    "object store": () => {
      throw new Error(
        "BLOBS_URL is not set, so this node of a cluster refuses deploys: set the same bucket on all nodes",
      );
    },
  };
};
