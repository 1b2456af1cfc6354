import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";

/** What the page gets from the service and passes to the browser. */
interface CreationOptions {
  rp: { id: string };
  user: { id: string };
  challenge: string;
}

interface RequestOptions {
  rpId: string;
  challenge: string;
}

/** What a test may do differently from a well-behaved authenticator and browser. */
export interface Wishes {
  origin?: string;
  /** Present, but not verified by a PIN or a finger. */
  isVerified?: boolean;
  challenge?: string;
  userHandle?: string;
  format?: string;
  /** Merged into the client data, such as `crossOrigin`. */
  clientData?: Record<string, unknown>;
  /** Merged into the attestation statement. */
  statement?: Record<string, unknown>;
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
const sha256 = (data: Uint8Array | string): Buffer => createHash("sha256").update(data).digest();

/** The head of a CBOR item (RFC 8949 section 3). */
const head = (major: number, length: number): Buffer => {
  if (length < 24) return Buffer.of((major << 5) | length);
  if (length < 256) return Buffer.of((major << 5) | 24, length);
  return Buffer.of((major << 5) | 25, length >> 8, length & 255);
};

/** CBOR of integers, byte strings, text, lists and maps. */
const cbor = (value: unknown): Buffer => {
  if (typeof value === "number") return value < 0 ? head(1, -value - 1) : head(0, value);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  const entries = value instanceof Map ? [...value] : Object.entries(value as object);
  return Buffer.concat([
    head(5, entries.length),
    ...entries.flatMap(([key, item]) => [cbor(key), cbor(item)]),
  ]);
};

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const ATTESTED = 0x40;

/** An authenticator in software with one discoverable ES256 credential, and the browser around it (WebAuthn sections 5 and 6). */
export const softAuthenticator = (ownOrigin: string) => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(16);
  let handle = "";
  let count = 0;

  const authenticatorData = (rpId: string, flags: number, attested: Uint8Array = new Uint8Array()) => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(count);
    return Buffer.concat([sha256(rpId), Buffer.of(flags), counter, attested]);
  };
  const clientData = (type: string, challenge: string, wishes: Wishes) =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: wishes.challenge ?? challenge,
        origin: wishes.origin ?? ownOrigin,
        crossOrigin: false,
        ...wishes.clientData,
      }),
    );
  const flagsOf = ({ isVerified = true }: Wishes) => USER_PRESENT | (isVerified ? USER_VERIFIED : 0);
  const sign = (data: Uint8Array) => createSign("sha256").update(data).sign(privateKey);
  const wrap = (response: object) => ({
    id: base64url(id),
    rawId: base64url(id),
    type: "public-key",
    clientExtensionResults: {},
    authenticatorAttachment: "platform",
    response,
  });

  return {
    /** Sets the count of the next signature. */
    setCount: (next: number) => void (count = next),
    /** `navigator.credentials.create`, as JSON. */
    create({ rp, user, challenge }: CreationOptions, wishes: Wishes = {}) {
      handle = user.id;
      const key = new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, "base64url")],
        [-3, Buffer.from(y, "base64url")],
      ]);
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.of(0, id.length), id, cbor(key)]);
      const authData = authenticatorData(rp.id, flagsOf(wishes) | ATTESTED, attested);
      const clientDataJSON = clientData("webauthn.create", challenge, wishes);
      const fmt = wishes.format ?? "none";
      const selfStatement =
        fmt === "packed" ? { alg: -7, sig: sign(Buffer.concat([authData, sha256(clientDataJSON)])) } : {};
      const attStmt = { ...selfStatement, ...wishes.statement };
      return wrap({
        clientDataJSON: base64url(clientDataJSON),
        attestationObject: base64url(cbor({ fmt, attStmt, authData })),
        transports: ["internal", "made-up"],
      });
    },
    /** `navigator.credentials.get`, as JSON. */
    get({ rpId, challenge }: RequestOptions, wishes: Wishes = {}) {
      if (count > 0) count++;
      const authData = authenticatorData(rpId, flagsOf(wishes));
      const clientDataJSON = clientData("webauthn.get", challenge, wishes);
      return wrap({
        clientDataJSON: base64url(clientDataJSON),
        authenticatorData: base64url(authData),
        signature: base64url(sign(Buffer.concat([authData, sha256(clientDataJSON)]))),
        userHandle: wishes.userHandle ?? handle,
      });
    },
  };
};

export type SoftAuthenticator = ReturnType<typeof softAuthenticator>;
