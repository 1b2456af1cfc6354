import { writeYaml } from "../http/yaml.ts";
import { postmanCollection } from "./postman.ts";
import type { DocumentName } from "./sections.ts";

interface Format {
  /** The end of its address, after `/openapi`. */
  suffix: string;
  type: string;
  /** @param base the absolute address that the document's paths are relative to */
  write(document: object, base: string): string;
}

/** The forms in which an OpenAPI document can be downloaded and printed. */
export const FORMATS = {
  json: { suffix: ".json", type: "application/json", write: (document) => JSON.stringify(document) },
  // RFC 9512 section 2.1.
  yaml: { suffix: ".yaml", type: "application/yaml", write: (document) => writeYaml(document) },
  postman: {
    suffix: ".postman.json",
    type: "application/json",
    write: (document, base) => JSON.stringify(postmanCollection(document, base)),
  },
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof FORMATS;

export const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[];

const PATHS: Record<DocumentName, string> = { store: "/openapi", platform: "/platform/openapi" };

/** The address of a document in a format: `/platform/openapi.yaml`. */
export const documentPath = (name: DocumentName, format: FormatName): string =>
  `${PATHS[name]}${FORMATS[format].suffix}`;
