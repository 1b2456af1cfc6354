import { type Notation, literal } from "./literal.ts";
import type { SampleRequest } from "./sample-request.ts";

const NOTATION: Notation = {
  true: "true",
  false: "false",
  null: "null",
  bareKeys: true,
  trailingComma: true,
  padded: true,
  indent: 2,
};

const headerLines = ({ isKeyed, body }: SampleRequest): string[] => [
  ...(isKeyed ? ["    authorization: `Bearer ${process.env.API_KEY}`,"] : []),
  ...(body ? [`    "content-type": ${JSON.stringify(body.type)},`] : []),
];

const bodyLine = (body: SampleRequest["body"]): string[] => {
  if (!body) return [];
  const value =
    "file" in body
      ? `await readFile(${JSON.stringify(body.file)})`
      : `JSON.stringify(${literal(body.json, NOTATION, 2)})`;
  return [`  body: ${value},`];
};

const optionLines = (request: SampleRequest): string[] => {
  const headers = headerLines(request);
  return [
    ...(request.method === "GET" ? [] : [`  method: ${JSON.stringify(request.method)},`]),
    ...(headers.length > 0 ? ["  headers: {", ...headers, "  },"] : []),
    ...bodyLine(request.body),
  ];
};

const OUTPUT: Record<SampleRequest["response"], string[]> = {
  json: ["console.log(await response.json());"],
  text: ["console.log(await response.text());"],
  none: ["console.log(response.status);"],
  stream: [
    "for await (const text of response.body.pipeThrough(new TextDecoderStream())) {",
    "  process.stdout.write(text);",
    "}",
  ],
};

/** The request with `fetch`, as a module for Node.js, Bun or Deno. */
export const javascriptSample = (request: SampleRequest): string => {
  const url = JSON.stringify(request.url);
  const options = optionLines(request);
  const call = options.length > 0 ? [`${url}, {`, ...options, "}"].join("\n") : url;
  return [
    ...(request.body && "file" in request.body ? ['import { readFile } from "node:fs/promises";', ""] : []),
    `const response = await fetch(${call});`,
    "if (!response.ok) throw new Error(await response.text());",
    ...OUTPUT[request.response],
  ].join("\n");
};
