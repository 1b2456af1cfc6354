import { type DatabaseUrl, describeDatabaseUrl } from "../lib/database-url.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { reasonOf } from "../lib/reason.ts";

/** Says what to look at when the engine of the cluster cannot be used, without credentials. */
export const engineError = (databaseUrl: DatabaseUrl, error: unknown): OperatorError =>
  new OperatorError(
    `DATABASE_URL: ${describeDatabaseUrl(databaseUrl)} cannot be used (${reasonOf(error)}): check the address, the credentials and the network, and that most members run; adoption-store cluster status says more`,
    { cause: error },
  );
