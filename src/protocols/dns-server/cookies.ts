import { createHmac, timingSafeEqual } from "node:crypto";
import type { RandomBytes } from "../../lib/random.ts";
import type { Clock } from "../../lib/time.ts";

const CLIENT_BYTES = 8;
/** RFC 9018 section 4: version, 3 reserved bytes, timestamp, hash. */
const SERVER_BYTES = 16;
const STAMP_BYTES = 8;
/** Version 1 means SipHash. 240 to 254 are for private use, and mean here the first 8 bytes of HMAC-SHA-256. */
const VERSION = 240;

/** RFC 9018 section 4.3: a cookie is valid for an hour, clocks may differ by five minutes, and half an hour is fresh. */
const MAX_AGE_SECONDS = 3600;
const MAX_AHEAD_SECONDS = 300;
const FRESH_SECONDS = 1800;

export interface CookieCheck {
  /** True if this client has received a cookie of ours at its address, so the address is not forged. */
  isVerified: boolean;
  /** The COOKIE option for the response: the client's part and ours. */
  cookie: Buffer;
}

const newStamp = (seconds: number): Buffer => {
  const stamp = Buffer.alloc(STAMP_BYTES);
  stamp[0] = VERSION;
  stamp.writeUInt32BE(seconds, 4);
  return stamp;
};

/**
 * DNS cookies (RFC 7873): a client that returns our cookie receives what is sent to its address. The secret lasts as long as
 * the process; afterwards clients get new cookies with their next question.
 */
export const dnsCookies = ({ clock, randomBytes }: { clock: Clock; randomBytes: RandomBytes }) => {
  const secret = randomBytes(32);

  const cookieFor = (client: Buffer, stamp: Buffer, address: string): Buffer => {
    const hmac = createHmac("sha256", secret).update(client).update(stamp).update(address);
    return Buffer.concat([client, stamp, hmac.digest().subarray(0, SERVER_BYTES - STAMP_BYTES)]);
  };

  return {
    /** Checks a COOKIE option of 8 to 40 bytes. */
    check(option: Buffer, address: string): CookieCheck {
      const now = Math.floor(clock.now() / 1000);
      const client = option.subarray(0, CLIENT_BYTES);
      const fresh = () => cookieFor(client, newStamp(now), address);
      if (option.length !== CLIENT_BYTES + SERVER_BYTES) return { isVerified: false, cookie: fresh() };
      const stamp = option.subarray(CLIENT_BYTES, CLIENT_BYTES + STAMP_BYTES);
      const age = now - stamp.readUInt32BE(4);
      const isCurrent = age <= MAX_AGE_SECONDS && age >= -MAX_AHEAD_SECONDS;
      const isVerified = isCurrent && timingSafeEqual(cookieFor(client, stamp, address), option);
      return { isVerified, cookie: isVerified && age < FRESH_SECONDS ? option : fresh() };
    },
  };
};

export type DnsCookies = ReturnType<typeof dnsCookies>;
