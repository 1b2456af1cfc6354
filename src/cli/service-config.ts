import { type Config, readConfig } from "../config/config.ts";
import { readDefaultConfigFile } from "../config/file.ts";
import { assertKnownVariables } from "../config/typos.ts";
import { sudoCommand } from "../data-dir/sudo.ts";
import { ENVIRONMENT_PATH, STATE_DIRECTORY, USER } from "../service/paths.ts";
import { type UnitEnvironment, readUnitEnvironment } from "../service/unit-environment.ts";

/** The settings of the service, regardless of this process's environment. @throws ConfigError */
export const serviceConfig = (
  { variables, places }: UnitEnvironment = readUnitEnvironment(
    sudoCommand(USER, undefined),
    assertKnownVariables,
  ),
): Config =>
  readConfig({
    flags: {},
    env: { ...variables, DATA_DIR: STATE_DIRECTORY },
    places,
    file: readDefaultConfigFile(STATE_DIRECTORY),
    isTerminal: false,
  });

/** The settings that these variables of the environment file would give the service. @throws ConfigError */
export const plannedConfig = (variables: Readonly<Record<string, string>>): Config => {
  const places = Object.fromEntries(Object.keys(variables).map((name) => [name, ENVIRONMENT_PATH]));
  assertKnownVariables(Object.entries(places).map(([name, place]) => ({ name, place })));
  return serviceConfig({ variables, places });
};
