/** An answer as it came over the wire. */
export interface Answer {
  status: number;
  headers: Headers;
  body: string;
}

/** Reads a whole HTTP/1.1 answer that ended with its connection; interim ones (1xx) before it are passed over. */
export const readAnswer = (text: string): Answer => {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [statusLine = "", ...lines] = head.split("\r\n");
  const status = Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`no answer: ${JSON.stringify(text)}`);
  if (status < 200) return readAnswer(rest.join("\r\n\r\n"));
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(":")),
    line.slice(line.indexOf(":") + 1).trim(),
  ]);
  return { status, headers: new Headers(headers), body: rest.join("\r\n\r\n") };
};
