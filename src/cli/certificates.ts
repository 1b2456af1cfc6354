import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { commandServices } from "../app/command-services.ts";
import type { Certificate } from "../certificates/certificate.ts";
import { describeAttempt, summaryOf } from "../certificates/summary.ts";
import type { Places } from "../certificates/queue.ts";
import { reasonOf } from "../lib/reason.ts";
import { confirm } from "./confirm.ts";
import { whenNotFound, withDatabase } from "./database.ts";
import { withExamples } from "./help/texts.ts";
import { printProblem } from "./print/domain.ts";
import {
  type Columns,
  print,
  printDeclined,
  printJson,
  printList,
  printResult,
  relativeTime,
} from "./print/output.ts";
import { configBeside, withSettings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

interface Options extends Record<string, unknown> {
  json?: boolean;
}

/** A certificate in JSON output, with the order in progress. @param places the queue */
const wireFormat = (places: Places) => (certificate: Certificate) => {
  const present = describeAttempt(certificate);
  return {
    hostname: certificate.hostname,
    ...summaryOf(certificate, Date.now(), places.has(certificate.hostname)),
    ...(present !== undefined && { present }),
  };
};

type CertificateCommands = ReturnType<typeof commandServices>["certificates"];
type WireCertificate = ReturnType<ReturnType<typeof wireFormat>>;

/** Runs `work` on the certificates of DATA_DIR, whether or not a server is running. */
const withCertificates = async <Result>(
  options: Options,
  work: (certificates: CertificateCommands, toWire: ReturnType<typeof wireFormat>) => Promise<Result>,
): Promise<Result> => {
  const config = configBeside(options);
  return whenNotFound(
    "see adoption-store certificates list",
    withDatabase(config, async (database) => {
      const { certificates } = commandServices(config, database);
      return work(certificates, wireFormat(await certificates.places()));
    }),
  );
};

const certificatesSubcommand = (name: string, description: string, example: readonly [string, string]) =>
  withSettings(
    withExamples(new Command(name), example).description(description).option("--json", "print JSON"),
    [],
  );

const columnsAt = (now: number): Columns<WireCertificate> => ({
  NAME: ({ hostname }) => hostname,
  STATUS: ({ status }) => status,
  EXPIRES: ({ notAfter }) => (notAfter ? relativeTime(Date.parse(notAfter), now) : "-"),
  "LAST PROBLEM": ({ problem }) => problem?.type ?? "-",
});

const listCommand = () =>
  certificatesSubcommand("list", "list the names that have a certificate or wait for one", [
    "Show which certificates end soon",
    "adoption-store certificates list",
  ]).action((options: Options) =>
    withCertificates(options, async (certificates, toWire) =>
      printList((await certificates.all()).map(toWire), columnsAt(Date.now()), {
        json: options.json,
        empty: "No certificates. The server orders them once it has --https-port and a verified domain.",
      }),
    ),
  );

const printCertificate = (certificate: WireCertificate) => {
  const { hostname, status, problem, ...rest } = certificate;
  print(`${hostname}: ${status}`);
  for (const [name, value] of Object.entries(rest)) print(`  ${name}: ${value}`);
  if (problem) printProblem(problem);
};

const showCommand = () =>
  certificatesSubcommand("show", "show a name's certificate, and the last response of its CA", [
    "Find out why a name has no certificate",
    "adoption-store certificates show docs.example.org",
  ])
    .argument("<hostname>", "the name")
    .action((hostname: string, options: Options) =>
      withCertificates(options, async (certificates, toWire) => {
        const found = toWire(await certificates.inUse(hostname));
        if (options.json) printJson(found);
        else printCertificate(found);
      }),
    );

const renewCommand = () =>
  certificatesSubcommand("renew", "have the server order a new certificate now", [
    "Order a new certificate",
    "adoption-store certificates renew docs.example.org",
  ])
    .argument("<hostname>", "the name")
    .action((hostname: string, options: Options) =>
      withCertificates(options, async (certificates, toWire) => {
        const found = await certificates.renew(hostname);
        printResult(
          options.json,
          toWire(found),
          `If the server runs, it orders a certificate for ${found.hostname} within seconds.`,
        );
      }),
    );

const revokeCommand = () =>
  withSettings(
    certificatesSubcommand("revoke", "revoke a certificate at its CA, and have the server order another", [
      "Revoke a certificate whose key leaked",
      "adoption-store certificates revoke docs.example.org",
    ]),
    ["acmeCaFile"],
  )
    .argument("<hostname>", "the name")
    .option("--yes", "do not ask")
    .action((hostname: string, options: Options & { yes?: boolean }) =>
      withCertificates(options, async (certificates, toWire) => {
        await certificates.get(hostname);
        if (!options.yes && !(await confirm(`Revoke the certificate of ${hostname}?`)))
          return printDeclined(options.json, "Nothing was revoked.");
        const found = await certificates.revoke(hostname);
        printResult(
          options.json,
          toWire(found),
          `The certificate of ${found.hostname} is revoked. If the server runs, it orders another with a new key.`,
        );
      }),
    );

const readText = async (flag: string, file: string): Promise<string> => {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(`${flag}: ${reasonOf(error)}`);
  }
};

const importCommand = () =>
  certificatesSubcommand("import", "use a certificate that you got elsewhere", [
    "Use a certificate of your own",
    "adoption-store certificates import docs.example.org \\\n  --chain chain.pem --key key.pem",
  ])
    .argument("<hostname>", "the name")
    .requiredOption("--chain <file>", "PEM file of the certificate and the chain to its CA")
    .requiredOption("--key <file>", "PEM file of its private key")
    .action((hostname: string, options: Options & { chain: string; key: string }) =>
      withCertificates(options, async (certificates, toWire) => {
        const pair = {
          chain: await readText("--chain", options.chain),
          key: await readText("--key", options.key),
        };
        const found = await certificates.import(hostname, pair);
        const certificate = toWire(found);
        printResult(
          options.json,
          certificate,
          `${found.hostname} uses this certificate from the next connection on, until ${certificate.notAfter}.`,
        );
      }),
    );

export const certificatesCommand = (): Command => {
  const command = new Command("certificates")
    .summary("manage the certificates for HTTPS")
    .description(
      "list, renew, revoke and import the certificates of the names that the server serves over HTTPS",
    );
  for (const part of [listCommand(), showCommand(), renewCommand(), revokeCommand(), importCommand()])
    command.addCommand(part);
  return command;
};
