import { expect, test } from "bun:test";
import { acmeClient } from "../../../src/protocols/acme/client.ts";
import { readCertificate } from "../../../src/protocols/acme/certificate.ts";
import { certificateIssuer } from "../../../src/platform/certificates/issue.ts";
import { DAY, MINUTE, openIssuing } from "./issuing.ts";

const NAME = "docs.example.org";

type Method = (...values: never[]) => unknown;

/** Counts the steps of those that it guards, and stops after one of them forever, so that its result is lost. */
const mortal = (last: number) => {
  const { promise: died, resolve: die } = Promise.withResolvers<"died">();
  const never = new Promise<never>(() => {});
  let steps = 0;
  const stop = () => {
    die("died");
    return never;
  };
  const step = async (act: () => unknown) => {
    const isLast = ++steps === last;
    const done = await act();
    return isLast ? stop() : done;
  };
  const guard = <Guarded extends object>(guarded: Guarded): Guarded =>
    new Proxy(guarded, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as Method;
        return (...values: never[]) => step(() => method.apply(target, values));
      },
    });
  return { guard, died, steps: () => steps };
};

interface Circumstances {
  isRenewal: boolean;
  /** Whether the CA lists the orders of an account. */
  listsOrders?: boolean;
}

/** Issues until the step, and then continues as a process that was killed there does after its next start. */
const killedBehind = async (last: number, { isRenewal, listsOrders = true }: Circumstances) => {
  const room = await openIssuing({ listsOrders });
  const { ca, certificates, clock, pass, verified, stageOf } = room;
  await verified(NAME);
  await certificates.want([NAME], clock.now());
  if (isRenewal) {
    await pass();
    clock.advance(88 * DAY);
  }
  const { guard, died, steps } = mortal(last);
  const client = guard(acmeClient({ directory: ca.directory }, { fetch, sleep: () => Bun.sleep(1), clock }));
  const guarded = guard(certificates);
  const issue = certificateIssuer({
    ...room.store.context,
    certificates: guarded,
    authorities: [{ directory: ca.directory, limits: {} }],
    clientOf: () => client,
    preflight: async () => ({ method: "http-01" }),
    onChanged: () => {},
    randomFraction: () => 0.5,
    sleep: () => Bun.sleep(1),
  });
  const certificate = await certificates.find(NAME);
  if (!certificate) throw new Error("the name is not known");
  const outcome = await Promise.race([issue(certificate).then(() => "ended"), died]);
  for (let again = 0; again < 3; again++) await pass(2 * MINUTE);
  const issued = (await certificates.find(NAME))?.issued;
  return {
    outcome,
    steps: steps(),
    stage: await stageOf(NAME),
    names: issued && (await readCertificate(issued.chain)).names,
    accounts: ca.accounts().length,
    certificates: ca.certificates.length,
    isLasting: (issued?.notAfter ?? 0) > clock.now() + 60 * DAY,
    orders: ca.orders().length,
  };
};

test.each<[Circumstances, number]>([
  [{ isRenewal: false }, 1],
  [{ isRenewal: true }, 2],
  [{ isRenewal: false, listsOrders: false }, 1],
])(
  "an order that is killed after any step continues, and no certificate, account or key is lost: %j",
  async (which, certificates) => {
    const { steps } = await killedBehind(Number.POSITIVE_INFINITY, which);
    expect(steps).toBeGreaterThan(10);
    for (let last = 1; last <= steps; last++) {
      const { orders, ...found } = await killedBehind(last, which);
      expect({ last, ...found }).toMatchObject({
        last,
        outcome: "died",
        stage: "live",
        names: [NAME],
        accounts: 1,
        certificates,
        isLasting: true,
      });
      // Killed before the order's URL is stored, the service finds the order, or places it again at a CA that lists none.
      expect(orders).toBeLessThanOrEqual(certificates + (which.listsOrders === false ? 1 : 0));
    }
  },
);
