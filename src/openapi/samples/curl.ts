import { JSON_NOTATION, literal } from "./literal.ts";
import type { SampleRequest } from "./sample-request.ts";

/** A word for a POSIX shell, which expands nothing between single quotes. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const bodyOptions = (body: SampleRequest["body"]): string[] => {
  if (!body) return [];
  const type = `-H ${quote(`Content-Type: ${body.type}`)}`;
  return "file" in body
    ? [type, `--data-binary ${quote(`@${body.file}`)}`]
    : [type, `-d ${quote(literal(body.json, JSON_NOTATION))}`];
};

/** curl uses POST for a request with a body. */
const methodOption = ({ method, body }: SampleRequest): string[] =>
  method === (body ? "POST" : "GET") ? [] : [`-X ${method}`];

/** The request as a command of curl. */
export const curlSample = (request: SampleRequest): string =>
  [
    `curl${request.response === "stream" ? " -N" : ""} ${quote(request.url)}`,
    ...methodOption(request),
    ...(request.isKeyed ? ['-H "Authorization: Bearer $API_KEY"'] : []),
    ...bodyOptions(request.body),
  ].join(" \\\n  ");
