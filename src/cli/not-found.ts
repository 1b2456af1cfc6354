import { Fault } from "../lib/errors.ts";

/** Adds what to do to the error about an id or a name that does not exist. */
export const whenNotFound = <Result>(advice: string, work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    throw error instanceof Fault && error.code === "not_found"
      ? new Fault("not_found", `${error.message.replace(/\.$/, "")}: ${advice}`)
      : error;
  });
