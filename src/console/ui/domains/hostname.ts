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

/** Labels below which many countries register domains, as in example.co.uk. A page cannot load the whole public suffix list. */
const REGISTRIES = /^(ac|co|com|edu|gob|gouv|go|gov|ne|net|or|org)$/;

/**
 * The name with or without `www` to offer with a domain. A rare kind of domain gets no offer. The API has the list of public
 * suffixes, and decides whether the domain has a pair.
 */
export const offeredPair = (hostname: string): string | undefined => {
  const bare = hostname.replace(/^www\./, "");
  const labels = bare.split(".");
  const [second = "", top = ""] = labels.slice(-2);
  const isRegistered = labels.length === (top.length === 2 && REGISTRIES.test(second) ? 3 : 2);
  if (!isRegistered || top.length < 2 || labels.some((label) => /^\*?$/.test(label))) return undefined;
  return bare === hostname ? `www.${bare}` : bare;
};
