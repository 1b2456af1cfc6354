import { readFileSync } from "node:fs";
import type { Context } from "../../data/context.ts";
import { oncePer } from "../../lib/lazy.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { reasonOf } from "../../lib/reason.ts";
import { type AcmeClient, acmeClient } from "../../protocols/acme/client.ts";
import { holdsCertificates } from "../../protocols/acme/certificate.ts";

/** @returns PEM @throws OperatorError */
const readCaFile = (file: string): string => {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new OperatorError(
      `ACME_CA_FILE ${file}: cannot be read (${reasonOf(error)}); give the path of a file that this user may read, or unset it for a public CA`,
      { cause: error },
    );
  }
  if (holdsCertificates(text)) return text;
  throw new OperatorError(
    `ACME_CA_FILE ${file}: it must hold the CA's root certificate as PEM (-----BEGIN CERTIFICATE-----); unset it for a public CA`,
  );
};

/**
 * Returns the client of a CA by its directory's URL. Each client is built on first use.
 * @throws OperatorError if ACME_CA_FILE cannot be used
 */
export const acmeClients = ({
  config,
  ...dependencies
}: Pick<Context, "config" | "clock" | "sleep">): ((directory: string) => AcmeClient) => {
  const { acmeEmail, acmeCaFile, acmeEabKid, acmeEabHmac, acmeProfile } = config;
  const ca = acmeCaFile === undefined ? undefined : readCaFile(acmeCaFile);
  return oncePer((directory: string) =>
    acmeClient(
      {
        directory,
        userAgent: "adoption-store",
        ...(acmeEmail !== undefined && { email: acmeEmail }),
        ...(acmeEabKid !== undefined &&
          acmeEabHmac !== undefined && { eab: { kid: acmeEabKid, hmac: acmeEabHmac } }),
        ...(acmeProfile !== undefined && { profile: acmeProfile }),
        ...(ca !== undefined && { ca }),
      },
      { fetch, ...dependencies },
    ),
  );
};

/** The names that CAA records may use for the CAs (RFC 8555 section 7.1.1). A CA that cannot be reached adds none. */
export const caaIdentities =
  (directories: readonly string[], clientOf: (directory: string) => AcmeClient) =>
  async (): Promise<string[]> => {
    const found = await Promise.all(
      directories.map((one) =>
        clientOf(one)
          .directory()
          .catch(() => undefined),
      ),
    );
    return found.flatMap((directory) => directory?.caaIdentities ?? []);
  };
