import { blobsUrlText } from "../lib/blobs-url.ts";
import type { Config } from "./config.ts";
import { SETTINGS } from "./settings.ts";
import { type Environment, PREFIX } from "./sources.ts";

/**
 * The environment in which a command has this server's BLOBS_URL, wherever that was written: other users of the machine can see
 * flags, and the command may not know the configuration file.
 */
export const childEnvironment = ({ blobsUrl }: Pick<Config, "blobsUrl">, env: Environment): Environment =>
  blobsUrl
    ? {
        ...env,
        [PREFIX + SETTINGS.blobsUrl.env]: blobsUrlText(blobsUrl),
        AWS_ACCESS_KEY_ID: blobsUrl.credentials?.accessKeyId,
        AWS_SECRET_ACCESS_KEY: blobsUrl.credentials?.secretAccessKey,
        AWS_SESSION_TOKEN: blobsUrl.credentials?.sessionToken,
      }
    : env;
