import type { Socket } from "node:net";

/** Sends the reason for a refusal over the unencrypted socket, and ends the socket. */
export type Refusal = (socket: Socket) => void;

/** RFC 8446 sections 5.1 and 6: one record with a fatal alert. */
const alertRecord = (description: number): Buffer => Buffer.from([21, 3, 3, 0, 2, 2, description]);

/**
 * Ends our side and reads on: closing a socket with unread bytes resets the connection, and the client may lose the bytes
 * that were sent to it. The handshake's time limit applies to a client that stays.
 */
const refuseWith =
  (bytes: Uint8Array): Refusal =>
  (socket) => {
    socket.resume();
    socket.end(bytes);
  };

/** RFC 6066 section 3: the server name is unknown. */
export const refuseName: Refusal = refuseWith(alertRecord(112));

/** RFC 8446 section 6.2: the first message is not a valid ClientHello. */
const refuseHello: Refusal = refuseWith(alertRecord(50));

/** The response to plain HTTP on a TLS port. */
export interface PlainHttpResponse {
  contentType: string;
  body: string;
}

export const USE_HTTPS: PlainHttpResponse = {
  contentType: "text/plain; charset=utf-8",
  body: "This port speaks HTTPS: use https:// in the address.\n",
};

/** RFC 9112 section 9.6: the connection closes after this response. */
const badRequest = ({ contentType, body }: PlainHttpResponse): string =>
  [
    "HTTP/1.1 400 Bad Request",
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    "Connection: close",
    "\r\n",
  ].join("\r\n");

/** Methods begin with a capital letter; no TLS record and no SSLv2 hello does. */
const isHttp = ([first = 0]: Uint8Array): boolean => first >= 0x41 && first <= 0x5a;
const isHead = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 5)).toString() === "HEAD ";

/** Refuses a client without a ClientHello, by its first bytes: plain HTTP gets a readable 400, anything else an alert. */
export const refusalsFor = (plainHttp: PlainHttpResponse): ((bytes: Uint8Array) => Refusal) => {
  const head = badRequest(plainHttp);
  const refuseHead = refuseWith(Buffer.from(head));
  const refuseHttp = refuseWith(Buffer.from(head + plainHttp.body));
  return (bytes) => {
    if (!isHttp(bytes)) return refuseHello;
    return isHead(bytes) ? refuseHead : refuseHttp;
  };
};
