import { type Notation, literal } from "./literal.ts";
import type { SampleRequest } from "./sample-request.ts";

const NOTATION: Notation = {
  true: "True",
  false: "False",
  null: "None",
  trailingComma: true,
  padded: false,
  indent: 4,
};

const headerLines = ({ isKeyed, body }: SampleRequest): string[] => [
  ...(isKeyed ? [`        "Authorization": "Bearer " + os.environ["API_KEY"],`] : []),
  ...(body ? [`        "Content-Type": ${JSON.stringify(body.type)},`] : []),
];

const dataLine = (body: SampleRequest["body"]): string[] => {
  if (!body) return [];
  const value =
    "file" in body
      ? `open(${JSON.stringify(body.file)}, "rb").read()`
      : `json.dumps(${literal(body.json, NOTATION, 4)}).encode()`;
  return [`    data=${value},`];
};

const OUTPUT: Record<SampleRequest["response"], string[]> = {
  json: ["    print(json.load(response))"],
  text: ["    print(response.read().decode())"],
  none: ["    print(response.status)"],
  stream: ["    for line in response:", '        print(line.decode(), end="", flush=True)'],
};

const importsOf = ({ isKeyed, body, response }: SampleRequest): string[] => [
  ...(response === "json" || (body && "json" in body) ? ["import json"] : []),
  ...(isKeyed ? ["import os"] : []),
  "import urllib.request",
];

/** The request with Python's standard library, so that it runs without installing anything. */
export const pythonSample = (request: SampleRequest): string => {
  const headers = headerLines(request);
  return [
    ...importsOf(request),
    "",
    "request = urllib.request.Request(",
    `    ${JSON.stringify(request.url)},`,
    ...(request.method === "GET" ? [] : [`    method=${JSON.stringify(request.method)},`]),
    ...(headers.length > 0 ? ["    headers={", ...headers, "    },"] : []),
    ...dataLine(request.body),
    ")",
    "with urllib.request.urlopen(request) as response:",
    ...OUTPUT[request.response],
  ].join("\n");
};
