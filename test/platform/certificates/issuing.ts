import { certificateRepository } from "../../../src/platform/certificates/repository.ts";
import { certificateEffects } from "../../../src/platform/domains/stage-repository.ts";
import { type AcmeCa, type AcmeCaOptions, acmeCa } from "../../support/acme-ca.ts";
import { type StoreSettings, atEnd, testClock } from "../../support/store.ts";
import { openProject } from "../domains/projects.ts";

/** Any port: nothing listens in these tests. */
const HTTPS_PORT = "8443";

/** The service with HTTPS, and a CA that fetches its challenges as it would over the network. */
export const openIssuing = async (
  options: AcmeCaOptions = {},
  { env = {}, ...settings }: StoreSettings = {},
  directoriesOf: (ca: AcmeCa) => string = ({ directory }) => directory,
) => {
  const clock = testClock(Date.now());
  let fetch: (request: Request) => Response | Promise<Response> = () => new Response();
  const asked: string[] = [];
  const ca: AcmeCa = await acmeCa({
    clock,
    async validate(_type, name, token, thumbprint) {
      asked.push(name);
      const url = `http://${name}/.well-known/acme-challenge/${token}`;
      const answer = await fetch(new Request(url, { headers: { host: name } }));
      return (await answer.text()) === `${token}.${thumbprint}`;
    },
    ...options,
  });
  atEnd(() => ca[Symbol.asyncDispose]());
  const room = await openProject({
    clock,
    // Sleeping takes no time, but the CA's work takes some.
    sleep(ms) {
      clock.advance(ms);
      return Bun.sleep(1);
    },
    env: {
      HTTPS_PORT,
      ACME_DIRECTORY: directoriesOf(ca),
      ACME_AGREE_TOS: "true",
      ...env,
    },
    ...settings,
  });
  const { store, fakeDns } = room;
  const { https } = store;
  if (!https) throw new Error("there is no HTTPS");
  fetch = store.fetch;
  fakeDns.outcome = "records_right";
  const certificates = certificateRepository(store.database, certificateEffects);
  /** Lets time pass, and what is due be dealt with. */
  const pass = async (ms = 0) => {
    clock.advance(ms);
    await https.scheduler.tick();
  };
  const stageOf = async (hostname: string) => (await room.show(hostname)).stage;
  /** Adds and verifies a domain. */
  const verified = async (hostname: string) => {
    await room.add(hostname);
    await room.verify(hostname);
  };
  /** The same, up to the end of the first attempt at its certificate. */
  const attempted = async (hostname: string) => {
    await verified(hostname);
    await pass();
  };
  const problemOf = async (hostname: string) => (await certificates.find(hostname))?.problem;
  const issuedOf = async (hostname: string) => (await certificates.find(hostname))?.issued;
  return {
    ...room,
    ca,
    asked,
    clock,
    https,
    certificates,
    pass,
    stageOf,
    verified,
    attempted,
    problemOf,
    issuedOf,
  };
};

export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;
