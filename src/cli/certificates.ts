import { readFile } from "node:fs/promises";
import { Command } from "commander";
import type { Certificate } from "../certificates/certificate.ts";
import { underWay } from "../certificates/explain.ts";
import { fromCertificate } from "../certificates/model.ts";
import type { CertificateService } from "../certificates/service.ts";
import { commandServices } from "../app/command-services.ts";
import { withDatabase } from "./database.ts";
import { configBeside, withSettings } from "./settings.ts";
import { UsageError, confirm, print, table } from "./terminal.ts";

interface Options extends Record<string, unknown> {
  json?: boolean;
}

/** Runs some work on the certificates of DATA_DIR, beside a server or without one. */
const withCertificates = async <Result>(
  options: Options,
  work: (certificates: CertificateService) => Promise<Result>,
): Promise<Result> => {
  const config = configBeside(options);
  return withDatabase(config, (database) => work(commandServices(config, database).certificates));
};

const shown = (certificate: Certificate) => {
  const present = underWay(certificate);
  return {
    hostname: certificate.hostname,
    ...fromCertificate(certificate, Date.now()),
    ...(present !== undefined && { present }),
  };
};

const certificatesSubcommand = (name: string, description: string) =>
  withSettings(new Command(name).description(description).option("--json", "print JSON"), ["dataDir"]);

const listCommand = () =>
  certificatesSubcommand("list", "list the names that have a certificate, or wait for one").action(
    (options: Options) =>
      withCertificates(options, async (certificates) => {
        const all = (await certificates.all()).map(shown);
        if (options.json) return print(JSON.stringify(all));
        if (all.length === 0)
          return print("No certificates. They come by themselves once serve has --https-port and a domain.");
        const rows = all.map(({ hostname, status, notAfter, problem }) => [
          hostname,
          status,
          notAfter ?? "",
          problem?.type ?? "",
        ]);
        print(table([["name", "status", "until", "last problem"], ...rows]));
      }),
  );

const printCertificate = (certificate: Certificate) => {
  const { hostname, status, problem, ...rest } = shown(certificate);
  print(`${hostname}: ${status}`);
  for (const [name, value] of Object.entries(rest)) print(`  ${name}: ${value}`);
  if (!problem) return;
  print(`  ${problem.type}: ${problem.detail}`);
  for (const { type, detail, identifier } of problem.subproblems)
    print(`    ${identifier ? `${identifier}: ` : ""}${type}: ${detail}`);
};

const showCommand = () =>
  certificatesSubcommand("show", "show a name's certificate, and what an authority said last")
    .argument("<hostname>", "the name")
    .action((hostname: string, options: Options) =>
      withCertificates(options, async (certificates) => {
        const found = await certificates.get(hostname);
        if (options.json) print(JSON.stringify(shown(found)));
        else printCertificate(found);
      }),
    );

const renewCommand = () =>
  certificatesSubcommand("renew", "let the server order a certificate now")
    .argument("<hostname>", "the name")
    .action((hostname: string, options: Options) =>
      withCertificates(options, async (certificates) => {
        const found = await certificates.renew(hostname);
        if (options.json) print(JSON.stringify(shown(found)));
        else print(`The server orders a certificate for ${found.hostname} within seconds, while it runs.`);
      }),
    );

const revokeCommand = () =>
  withSettings(
    certificatesSubcommand("revoke", "tell the authority that a certificate must not be trusted any more"),
    ["acmeCaFile"],
  )
    .argument("<hostname>", "the name")
    .option("--yes", "do not ask")
    .action((hostname: string, options: Options & { yes?: boolean }) =>
      withCertificates(options, async (certificates) => {
        await certificates.get(hostname);
        if (!options.yes && !(await confirm(`Revoke the certificate of ${hostname}?`)))
          return print("Nothing was revoked.");
        const found = await certificates.revoke(hostname);
        if (options.json) print(JSON.stringify(shown(found)));
        else
          print(
            `It is revoked. The server orders another for ${found.hostname}, with another key, while it runs.`,
          );
      }),
    );

const readText = async (flag: string, file: string): Promise<string> => {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(`${flag}: ${(error as Error).message}`);
  }
};

const importCommand = () =>
  certificatesSubcommand("import", "use a certificate that came from elsewhere")
    .argument("<hostname>", "the name")
    .requiredOption("--chain <file>", "PEM of the certificate and those that lead to its authority")
    .requiredOption("--key <file>", "PEM of its private key")
    .action((hostname: string, options: Options & { chain: string; key: string }) =>
      withCertificates(options, async (certificates) => {
        const pair = {
          chain: await readText("--chain", options.chain),
          key: await readText("--key", options.key),
        };
        const found = await certificates.import(hostname, pair);
        if (options.json) print(JSON.stringify(shown(found)));
        else print(`${found.hostname} uses it from the next connection on, until ${shown(found).notAfter}.`);
      }),
    );

export const certificatesCommand = (): Command => {
  const command = new Command("certificates").description("certificates of this service's host names");
  for (const part of [listCommand(), showCommand(), renewCommand(), revokeCommand(), importCommand()])
    command.addCommand(part);
  return command;
};
