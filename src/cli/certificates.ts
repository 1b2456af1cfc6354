import { readFile } from "node:fs/promises";
import type { Certificate } from "../platform/certificates/certificate.ts";
import { describeAttempt, summaryOf } from "../platform/certificates/summary.ts";
import { reasonOf } from "../lib/reason.ts";
import { assertConfirmed, UsageError } from "./input.ts";
import { printProblem } from "./print/domain.ts";
import { print, relativeTime } from "./print/output.ts";
import { action, list, resource, type Store } from "./resource.ts";
import { effectiveConfig } from "./settings.ts";

/** A function that returns a certificate as JSON output has it, with the order in progress. */
const wireFormat = async (certificates: Store["certificates"]) => {
  const places = await certificates.places();
  return (certificate: Certificate) => {
    const present = describeAttempt(certificate);
    return {
      hostname: certificate.hostname,
      ...summaryOf(certificate, Date.now(), places.has(certificate.hostname)),
      ...(present !== undefined && { present }),
    };
  };
};

type WireCertificate = ReturnType<Awaited<ReturnType<typeof wireFormat>>>;

const NAME = { "<hostname>": "the name" } as const;

const listCertificates = list({
  name: "list",
  description: "list the names that have a certificate or wait for one",
  examples: { "Show which certificates end soon": "" },
  async rows(_, { certificates }) {
    const toWire = await wireFormat(certificates);
    return (await certificates.all()).map(toWire);
  },
  columns: {
    NAME: ({ hostname }) => hostname,
    STATUS: ({ status }) => status,
    EXPIRES: ({ notAfter }, now) => (notAfter ? relativeTime(Date.parse(notAfter), now) : "-"),
    "LAST PROBLEM": ({ problem }) => problem?.type ?? "-",
  },
  empty: "No certificates. The server orders them once it has --https-port and a verified domain.",
});

const printCertificate = (certificate: WireCertificate) => {
  const { hostname, status, problem, ...rest } = certificate;
  print(`${hostname}: ${status}`);
  for (const [name, value] of Object.entries(rest)) print(`  ${name}: ${value}`);
  if (problem) printProblem(problem);
};

const showCertificate = action({
  name: "show",
  description: "show a name's certificate, and the last response of its CA",
  takes: NAME,
  examples: { "Find out why a name has no certificate": "docs.example.org" },
  async run({ hostname }, { certificates }) {
    const toWire = await wireFormat(certificates);
    const found = toWire(await certificates.inUse(hostname));
    return { json: found, text: () => printCertificate(found) };
  },
});

const renewCertificate = action({
  name: "renew",
  description: "have the server order a new certificate now",
  takes: NAME,
  examples: { "Order a new certificate": "docs.example.org" },
  async run({ hostname }, { certificates }) {
    const toWire = await wireFormat(certificates);
    const found = await certificates.renew(hostname);
    const text = `If the server runs, it orders a certificate for ${found.hostname} within seconds.`;
    return { json: toWire(found), text };
  },
});

const revokeCertificate = action({
  name: "revoke",
  description: "revoke a certificate at its CA, and have the server order another",
  takes: { ...NAME, "--json": "print JSON", "--yes": "do not ask" },
  settings: ["acmeCaFile"],
  examples: { "Revoke a certificate whose key leaked": "docs.example.org" },
  async run({ hostname, yes }, { certificates }) {
    const toWire = await wireFormat(certificates);
    await certificates.get(hostname);
    await assertConfirmed(yes, `Revoke the certificate of ${hostname}?`, "Nothing was revoked.");
    const found = await certificates.revoke(hostname);
    const text = `The certificate of ${found.hostname} is revoked. If the server runs, it orders another with a new key.`;
    return { json: toWire(found), text };
  },
});

const readText = async (flag: string, file: string): Promise<string> => {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(`${flag}: ${reasonOf(error)}`);
  }
};

const importCertificate = action({
  name: "import",
  description: "use a certificate from elsewhere",
  takes: {
    ...NAME,
    "--json": "print JSON",
    "--chain <file>": { text: "PEM file of the certificate and the chain to its CA", required: true },
    "--key <file>": { text: "PEM file of its private key", required: true },
  },
  examples: { "Use a certificate from another CA": "docs.example.org \\\n  --chain chain.pem --key key.pem" },
  async run({ hostname, chain, key }, { certificates }) {
    const toWire = await wireFormat(certificates);
    const pair = { chain: await readText("--chain", chain), key: await readText("--key", key) };
    const found = toWire(await certificates.import(hostname, pair));
    const text = `${found.hostname} uses this certificate from the next connection on, until ${found.notAfter}.`;
    return { json: found, text };
  },
});

export const certificatesCommand = resource({
  name: "certificates",
  summary: "manage the certificates for HTTPS",
  description:
    "list, renew, revoke and import the certificates of the names that the server serves over HTTPS",
  hint: "see adoption-store certificates list",
  readConfig: effectiveConfig,
  actions: [listCertificates, showCertificate, renewCertificate, revokeCertificate, importCertificate],
});
