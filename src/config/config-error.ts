/** An invalid setting. The message names it and its valid form. */
export class ConfigError extends Error {
  override name = "ConfigError";
}
