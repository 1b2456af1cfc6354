import type { Config } from "../config/config.ts";
import type { Inspect } from "../dns-checks/inspect.ts";
import { nameChecker, parseCheckable } from "../name-checks/name-check.ts";
import { KEYED_LIMITS, PUBLIC_LIMITS, nameCheckService } from "../name-checks/service.ts";
import { ownNames } from "../dns-checks/own-names.ts";
import type { OfferConnect } from "../dns-records/connect-offer.ts";
import type { Clock } from "../lib/time.ts";

type NameConfig = Parameters<typeof ownNames>[0];

/**
 * Checks of names before they are added: for clients with a key, and for everybody if PUBLIC_DOMAIN_CHECK says so.
 * @param inspectPublic has queues of its own: queries that strangers cause must not delay verifications
 */
export const nameCheckServices = (
  config: Config,
  inspect: Inspect,
  inspectPublic: () => Inspect,
  { clock, offerConnect }: { clock: Clock; offerConnect: OfferConnect | undefined },
) => {
  const targetZone = config.platformCnameTarget;
  const common = { reservedNames: ownNames(config).reserved, clock };
  return {
    nameChecks: nameCheckService({
      ...common,
      check: nameChecker({ inspect, targetZone, offerConnect }),
      limits: KEYED_LIMITS,
      isUrgent: true,
    }),
    publicNameChecks: config.publicDomainCheck
      ? nameCheckService({
          ...common,
          check: nameChecker({ inspect: inspectPublic(), targetZone }),
          limits: PUBLIC_LIMITS,
          isUrgent: false,
          targetZone,
        })
      : undefined,
  };
};

/** The same for one command, which needs no limits. */
export const commandNameCheck = (config: NameConfig, inspect: Inspect) => {
  const check = nameChecker({ inspect, targetZone: config.platformCnameTarget });
  const { reserved } = ownNames(config);
  return (typed: Parameters<typeof parseCheckable>[0]) => check(parseCheckable(typed, reserved), () => true);
};
