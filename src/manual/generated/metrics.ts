import { METRICS } from "../../http/metrics-catalogue.ts";
import { code, codes, plain, table } from "./markdown.ts";

/** All metrics of `/metrics`. */
export const metricsTable = (): string =>
  table(
    ["metric", "type", "labels", "meaning"],
    Object.entries(METRICS).map(([name, { type, labels, help }]) => [
      code(name),
      type,
      codes(labels),
      plain(help),
    ]),
  );
