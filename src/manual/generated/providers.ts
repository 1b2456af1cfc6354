import { PROVIDERS, PROVIDERS_COMPARED, type Provider } from "../../dns-checks/providers.ts";
import { code, parts, table } from "./markdown.ts";

const serverOf = (end: string | RegExp): string =>
  typeof end === "string" ? code(`*.${end}`) : code(end.source.replaceAll(/\\|\$|\?:/g, ""));

const rowOf = ({
  name,
  nameServers,
  where,
  add,
  fields,
  apexType,
  apexName,
  needsFinalDot,
}: Provider): string[] => [
  name,
  nameServers.map(serverOf).join(", "),
  add === undefined ? where : `${where}, ${add}`,
  fields.name,
  fields.value,
  apexType ?? "none",
  apexName === "" ? "empty" : code(apexName),
  needsFinalDot ? "yes" : "no",
];

/** How to create a record at each DNS provider that the service knows. */
export const providersTable = (): string =>
  parts(
    table(
      [
        "provider",
        "name servers",
        "where to click",
        "field for the name",
        "field for the value",
        "record of an apex",
        "name of an apex",
        "value needs a final dot",
      ],
      PROVIDERS.map(rowOf),
    ),
    `Compared on ${PROVIDERS_COMPARED}.`,
  );
