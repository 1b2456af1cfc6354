/** A key for TSIG, HMAC-SHA256 (RFC 8945). */
export interface TsigKey {
  name: string;
  secret: Buffer;
}

/** As `tsig-keygen` prints it, and `named` reads it. */
const KEY = /^\s*key\s+"?([a-z0-9._-]{1,253})"?\s*\{([^{}]*)\}\s*;?\s*$/i;
const ALGORITHM = /^algorithm\s+"?hmac-sha256"?$/i;
const SECRET = /^secret\s+"?([a-z0-9+/]{22,684}={0,2})"?$/i;

/** Parses `key "name" { algorithm hmac-sha256; secret "..."; };`. Undefined for anything else, and for other algorithms. */
export const parseTsigKey = (text: string): TsigKey | undefined => {
  const [, name, body = ""] = KEY.exec(text.replaceAll(/^\s*(?:\/\/|#).*$/gm, "")) ?? [];
  const statements = body.split(";").map((one) => one.trim());
  const [, secret] = statements.map((one) => SECRET.exec(one)).find((match) => match) ?? [];
  if (name === undefined || secret === undefined || !statements.some((one) => ALGORITHM.test(one)))
    return undefined;
  return { name: name.replace(/\.$/, ""), secret: Buffer.from(secret, "base64") };
};
