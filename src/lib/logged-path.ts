import { printable } from "./text.ts";

const HIDDEN = "[hidden]";
/** Keys and tokens have at least this many letters and digits. */
const SECRET_CANDIDATE = /[\w-]{30,}/g;
const EMAIL = /.(?:@|%40)./i;

const hideSecret = (text: string): string => (/[A-Z]/.test(text) && /\d/.test(text) ? HIDDEN : text);

const hidePersonal = (segment: string): string =>
  EMAIL.test(segment) ? HIDDEN : segment.replaceAll(SECRET_CANDIDATE, hideSecret);

/**
 * The path of a URL for the log: without its query, email addresses, text that looks like a secret, and control characters; 300
 * characters at most.
 */
export const loggedPath = (url: string): string => {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const [path = ""] = start === -1 ? [] : url.slice(start).split(/[?#]/, 1);
  return printable(path.split("/").map(hidePersonal).join("/"));
};
