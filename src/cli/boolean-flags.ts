import { ConfigError } from "../config/config.ts";
import { boolean } from "../config/parse.ts";
import { SETTINGS, type Setting } from "../config/settings.ts";

const BOOLEANS: ReadonlySet<string> = new Set(
  Object.values(SETTINGS as Record<string, Setting>)
    .filter(({ type }) => type === "boolean")
    .map(({ flag }) => `--${flag}`),
);

const flagFor = (flag: string, value: boolean): string => (value ? flag : flag.replace(/^--/, "--no-"));

/**
 * Writes the boolean settings of a command line as bare flags: `--console=false` and `--console false` as `--no-console`. The
 * parser would take a value without `=` from whatever follows, such as a file's name.
 * @throws ConfigError
 */
export const withBareBooleans = (argv: readonly string[]): string[] => {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const bare: string[] = [];
  for (let at = 0; at < end; at++) {
    const argument = argv[at] ?? "";
    const [flag = "", text] = argument.split(/=(.*)/s);
    if (!BOOLEANS.has(flag)) bare.push(argument);
    else if (text !== undefined) {
      const value = boolean(text);
      if (value === undefined)
        throw new ConfigError(`${flag}: ${JSON.stringify(text)} must be true or false`);
      bare.push(flagFor(flag, value));
    } else {
      const value = boolean(argv[at + 1] ?? "");
      if (value !== undefined) at++;
      bare.push(flagFor(flag, value ?? true));
    }
  }
  return [...bare, ...argv.slice(end)];
};
