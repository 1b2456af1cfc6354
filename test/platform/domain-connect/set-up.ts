import type { TemplateSettings } from "../../../src/platform/domain-connect/template.ts";
import { parseHostname } from "../../../src/lib/hostname.ts";

export const LABEL = "k3vq7zj5n2xw4ryt6mbd";

export const ADDRESSES = ["192.0.2.10", "2001:db8::10"];

export const SETTINGS: TemplateSettings = {
  providerId: "example.org",
  keyDomain: "sites.example.net",
  redirectDomain: "adopt.example.org",
  targetOf: (label) => `${label}.cname.sites.example.net`,
  challengeTargetOf: (label) => `${label}._acme-challenge.sites.example.net`,
  proofHost: "_adoption-store",
};

export const nameOf = (typed: string) => {
  const parsed = parseHostname(typed);
  if (!parsed.ok) throw new Error(parsed.refusal);
  return parsed.hostname;
};
