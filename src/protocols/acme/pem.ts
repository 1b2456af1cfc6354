import { X509Certificate } from "node:crypto";

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** True if a text holds PEM certificates, all of which can be read. */
export const holdsCertificates = (text: string): boolean => {
  try {
    return (text.match(BLOCK) ?? []).map((block) => new X509Certificate(block)).length > 0;
  } catch {
    return false;
  }
};
