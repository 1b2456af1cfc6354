/** A message of a stream, from https://html.spec.whatwg.org/multipage/server-sent-events.html. */
export interface Message {
  /** The last id that the stream has sent, with this message or before it. */
  id: string | undefined;
  /** The event's name. */
  event: string;
  /** Undefined if the message has none: it only sets `id` or `retryMs`. */
  data: string | undefined;
  /** How long to wait before a reconnection. */
  retryMs: number | undefined;
}

const LINE_END = /\r\n|\n|\r(?!$)/;

/** The bytes of a body. Safari has no `for await` for it. */
const chunksOf = async function* (body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    // Fails if the connection has failed already.
    await reader.cancel().catch(() => {});
  }
};

/** The field of a line: a name, and a value without its first space. */
const fieldOf = (line: string): [name: string, value: string] => {
  const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
  return [name, value];
};

const messageOf = (lines: readonly string[], lastId: string | undefined): Message => {
  const message: Message = { id: lastId, event: "message", data: undefined, retryMs: undefined };
  for (const [name, value] of lines.map(fieldOf)) {
    if (name === "id") message.id = value;
    else if (name === "event") message.event = value;
    else if (name === "data") message.data = message.data === undefined ? value : `${message.data}\n${value}`;
    else if (name === "retry" && /^\d+$/.test(value)) message.retryMs = Number(value);
  }
  return message;
};

/** Reads a stream to its end. @param onChunk called whenever something arrives, comments included */
export const messagesOf = async function* (
  body: ReadableStream<Uint8Array>,
  onChunk: () => void,
): AsyncGenerator<Message, void, undefined> {
  let rest = "";
  let lines: string[] = [];
  let lastId: string | undefined;
  for await (const chunk of chunksOf(body)) {
    onChunk();
    const parts = (rest + chunk).split(LINE_END);
    rest = parts.pop() ?? "";
    for (const line of parts) {
      if (line !== "") lines.push(line);
      else if (lines.length > 0) {
        const message = messageOf(lines, lastId);
        lastId = message.id;
        lines = [];
        yield message;
      }
    }
  }
};
