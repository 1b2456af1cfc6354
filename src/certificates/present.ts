import { AcmeProblem } from "../protocols/acme/problem.ts";
import type { Attempt } from "./attempt-repository.ts";
import { type DnsChallenges, recordValueOf } from "./dns-challenges.ts";
import { Superseded } from "./place-order.ts";
import type { Proof } from "./preflight.ts";
import type { Certificates } from "./repository.ts";

/** The CA has not decided yet. */
export class Undecided extends Error {
  override name = "Undecided";
}

/** The records of orders that their CAs have not decided, by host name. */
export type UndecidedRecords = Map<string, { name: string; value: string }>;

export interface PresenterOptions {
  certificates: Pick<Certificates, "saveChallenge" | "find">;
  undecided: UndecidedRecords;
  /** Undefined if no record can be published. */
  challenges?: DnsChallenges | undefined;
}

interface ChallengeResponse {
  token: string;
  keyAuthorization: string;
}

/** Presents the response to a challenge by the method of the proof, then runs the work that needs it. */
export const responsePresenter = ({ certificates, challenges, undecided }: PresenterOptions) => {
  /** Keeps the record until the CA has decided, also between attempts. */
  const withRecord = async (
    { hostname, name, value }: { hostname: string; name: string; value: string },
    isPresented: () => Promise<boolean>,
    work: () => Promise<void>,
  ) => {
    undecided.delete(hostname);
    if (!challenges) throw new AcmeProblem({ type: "no_challenge", detail: "No record can be published." });
    await challenges.publish(name, value);
    try {
      await work();
    } catch (error) {
      if (error instanceof Undecided) undecided.set(hostname, { name, value });
      // Another node may continue the same order, with the same record.
      else if (!(error instanceof Superseded && (await isPresented()))) await challenges.remove(name, value);
      throw error;
    }
    await challenges.remove(name, value);
  };

  return async (
    attempt: Attempt,
    proof: Proof,
    { token, keyAuthorization }: ChallengeResponse,
    work: () => Promise<void>,
  ): Promise<void> => {
    const { hostname } = attempt;
    const save = async () => {
      if (!(await certificates.saveChallenge(attempt, token, keyAuthorization))) throw new Superseded();
    };
    // Stored before a record is published: after a crash the next attempt removes it.
    await save();
    if (proof.method !== "dns-01") return work();
    const record = { hostname, name: proof.recordName, value: recordValueOf(keyAuthorization) };
    const isPresented = async () =>
      (await certificates.find(hostname))?.keyAuthorization === keyAuthorization;
    return withRecord(record, isPresented, async () => {
      // It may have taken minutes until the record was there, and the name may have been removed meanwhile.
      await save();
      return work();
    });
  };
};
