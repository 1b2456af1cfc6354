import type { Warning } from "../../http/health.ts";

/** The parts of the platform that the operator provides for custom domains, with advice for each. */
const PLATFORM_PARTS = {
  wildcard: "Create a wildcard record in the zone of PLATFORM_DOMAIN, with the addresses of this service.",
  target: "Create a wildcard record below PLATFORM_CNAME_TARGET, with the addresses of this service.",
  caa: "Change the CAA records of PLATFORM_DOMAIN so that they allow the CA.",
  http: "Forward port 80 of the address to HTTP_PORT.",
  https: "Forward port 443 of the address to HTTPS_PORT.",
} as const;

type PlatformPart = keyof typeof PLATFORM_PARTS;
const PLATFORM_PART_NAMES = Object.keys(PLATFORM_PARTS) as PlatformPart[];

/** Something that the operator must correct. */
export interface PlatformFault {
  part: PlatformPart;
  /** A sentence that names it. */
  detail: string;
}

/** One sentence for the operator: the problems and their remedies. */
export const describeFaults = (faults: readonly PlatformFault[]): string => {
  const parts = new Set(faults.map(({ part }) => part));
  return [...faults.map(({ detail }) => detail), ...[...parts].map((part) => PLATFORM_PARTS[part])].join(" ");
};

/** How many faults each part has, for `/metrics`. */
export const faultCounts = (faults: readonly PlatformFault[]): Map<string, number> =>
  new Map(PLATFORM_PART_NAMES.map((name) => [name, faults.filter(({ part }) => part === name).length]));

/** The warning of `/readyz` and `status`. */
export const platformWarnings = (faults: readonly PlatformFault[]): Warning[] =>
  faults.length === 0
    ? []
    : [
        {
          code: "platform_unready",
          count: faults.length,
          message: `This service is not ready for custom domains. ${describeFaults(faults)} To check the repair, run adoption-store doctor.`,
        },
      ];
