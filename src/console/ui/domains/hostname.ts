const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
/** Text that surrounds an address in messages: quotes and angle brackets. */
const QUOTES = /^["'<“‘]+|["'>”’,;]+$/g;
/** Characters that are copied with text but are not seen. */
const INVISIBLE = /\p{Cf}/gu;

/**
 * The host name in what somebody typed or pasted: an address loses its scheme, user, port, path and final dot. Other text
 * is returned trimmed: the API says what is wrong with it.
 */
export const hostnameIn = (typed: string): string => {
  const text = typed.replaceAll(INVISIBLE, "").trim().replaceAll(QUOTES, "");
  const authority =
    text
      .replace(SCHEME, "")
      .replace(/^\/\//, "")
      .split(/[/\\?#]/, 1)[0] ?? "";
  // Without a scheme, "@" means an e-mail address, which is not a host name.
  const host = SCHEME.test(text) ? authority.slice(authority.lastIndexOf("@") + 1) : authority;
  const isIpv6 = host.includes("[") || host.split(":").length > 2;
  const name = isIpv6 ? host : host.replace(/:\d*$/, "");
  return name.trim().toLowerCase().replace(/\.+$/, "");
};
