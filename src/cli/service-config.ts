import { type Config, readConfig } from "../config/config.ts";
import { readDefaultConfigFile } from "../config/file.ts";
import { readVariables } from "../service/environment.ts";
import { readText } from "../service/files.ts";
import { ENVIRONMENT_PATH, STATE_DIRECTORY } from "../service/paths.ts";

/** The settings of the service. @param variables those of its environment file @throws ConfigError */
export const serviceConfig = (
  variables: Readonly<Record<string, string>> = readVariables(readText(ENVIRONMENT_PATH) ?? ""),
): Config =>
  readConfig({
    flags: {},
    env: { ...variables, DATA_DIR: STATE_DIRECTORY },
    file: readDefaultConfigFile(STATE_DIRECTORY),
    isTerminal: false,
  });
