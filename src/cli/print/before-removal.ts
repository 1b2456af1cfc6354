import { isServed } from "../../domains/stage.ts";
import type { ListedDomain } from "../../domains/reads.ts";
import type { WireDomain } from "./domain.ts";
import { print } from "./output.ts";

const isWildcard = (hostname: string): boolean => hostname.startsWith("*.");

/** Explains how to redirect a domain before its removal. A wildcard cannot be redirected, and is not the primary domain. */
export const printBeforeRemoval = (
  { hostname, role }: WireDomain,
  project: string,
  all: readonly ListedDomain[],
) => {
  print(`${hostname} is live: its traffic stops being served immediately.`);
  if (isWildcard(hostname)) return;
  const other = all.find(
    (one) => one.hostname !== hostname && !isWildcard(one.hostname) && isServed(one.stage),
  )?.hostname;
  print("If others know its address, redirect it first, and remove it later:");
  if (other === undefined)
    return print(`  adoption-store domains add OTHER --project ${project} --wait   (where to)`);
  if (role === "primary") print(`  adoption-store domains primary ${other} --project ${project}`);
  print(`  adoption-store domains redirect ${hostname} --project ${project}`);
};
