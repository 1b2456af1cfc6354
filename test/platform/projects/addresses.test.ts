import { expect, test } from "bun:test";
import { previewAddress } from "../../../src/platform/projects/addresses.ts";

const PROXIED = {
  baseUrl: "https://adopt.example.org",
  platformDomain: "sites.example.org",
  platformCnameTarget: "cname.example.org",
};
const OWN_HTTPS = { ...PROXIED, httpPort: 80 };

test.each([
  [
    "local without settings",
    { ...PROXIED, baseUrl: undefined, platformDomain: "localhost" },
    undefined,
    "http://012--docs.localhost:3000/",
  ],
  ["that of the proxy in front", PROXIED, undefined, "https://012--docs.sites.example.org/"],
  ["secured by the certificate of all names", OWN_HTTPS, true, "https://012--docs.sites.example.org/"],
  ["over HTTP without that certificate", OWN_HTTPS, false, "http://012--docs.sites.example.org/"],
  [
    "at the port for HTTP",
    { ...OWN_HTTPS, httpPort: 8080 },
    false,
    "http://012--docs.sites.example.org:8080/",
  ],
  ["absent where nothing could serve it", PROXIED, false, undefined],
] as const)("the address of a preview is %s", (_what, config, isSecured, address) => {
  const asked: string[] = [];
  const check = (hostname: string) => {
    asked.push(hostname);
    return isSecured ?? false;
  };
  const addressOf = previewAddress(config, 3000, isSecured === undefined ? undefined : check);
  expect(addressOf("docs", 12)).toBe(address as string);
  if (isSecured !== undefined) expect(asked).toEqual(["012--docs.sites.example.org"]);
});

test("a preview has no address if the slug is too long for it", () => {
  expect(previewAddress(PROXIED, 3000)("x".repeat(60), 12)).toBeUndefined();
});
