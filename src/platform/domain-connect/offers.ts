import type { Context } from "../../data/context.ts";
import { type Hostname, isWithin } from "../../lib/hostname.ts";
import { lruCache } from "../../lib/lru.ts";
import { type ConnectProvider, type Discovery, templatePath } from "./discovery.ts";
import type { SigningKey } from "./signing-key.ts";
import { type Service, type Template, type TemplateSettings, templateFor } from "./template.ts";

/** Escapes all but the unreserved characters of RFC 3986 section 2.3. `encodeURIComponent` leaves five more as they are. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The query string that is signed (draft-ietf-dconn-domainconnect-05, "Signing Procedure"). */
export const canonicalQuery = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");

/** The signed URL at which the provider asks the holder of a domain to agree to a template. @param template its URL at the provider */
export const applyUrl = (
  template: string,
  parameters: Readonly<Record<string, string>>,
  key: SigningKey,
): string => {
  const query = canonicalQuery(parameters);
  return `${template}/apply?${query}&sig=${encode(key.sign(query))}&key=${key.label}`;
};

/** A name whose records a DNS provider may create. */
interface ConnectRequest {
  hostname: Hostname;
  /** The zone of the name. If it is not known, the registered domain is used. */
  zone: string | undefined;
  /** The label of the project. */
  label: string;
  /** The page to which the provider sends people back. */
  returnTo?: string | undefined;
}

interface OfferOptions {
  settings: TemplateSettings;
  /** Opened on first use. */
  key: () => SigningKey;
  discovery: Discovery;
  /** The addresses of a CNAME target. */
  addressesOf: (target: string) => Promise<readonly string[]>;
}

const MAX_AGE_MS = 60_000;
const MAX_ZONES = 1000;
/** Holders of zones choose the servers, which can be slow. */
const MAX_CONCURRENT = 8;

/** The part of a name left of its zone, "" for the zone itself; undefined if the name cannot be in that zone. */
const hostIn = ({ ascii, apex }: Hostname, zone: string): string | undefined =>
  isWithin(zone, apex) && isWithin(ascii, zone) ? ascii.slice(0, -zone.length - 1) : undefined;

/** The template for a name; undefined for the top of a delegated subdomain, which cannot have the CNAME record that it needs. */
const serviceFor = ({ isApex }: Hostname, host: string): Service | undefined => {
  if (isApex) return "apex";
  return host === "" ? undefined : "subdomain";
};

/** Remembers for a minute whether the provider of a zone supports a template. */
const rememberedProviders = ({ providerOf, supports }: Discovery, clock: Context["clock"]) => {
  const known = lruCache<string, { at: number; provider: Promise<ConnectProvider | undefined> }>({
    maxEntries: MAX_ZONES,
  });
  let running = 0;
  const find = async (zone: string, template: Template): Promise<ConnectProvider | undefined> => {
    running += 1;
    try {
      const provider = await providerOf(zone);
      return provider && (await supports(provider, template)) ? provider : undefined;
    } catch {
      return undefined;
    } finally {
      running -= 1;
    }
  };
  return async (zone: string, template: Template): Promise<ConnectProvider | undefined> => {
    const key = `${zone} ${template.serviceId} ${template.version}`;
    const now = clock.now();
    const last = known.get(key);
    if (last && now - last.at < MAX_AGE_MS) return last.provider;
    if (running >= MAX_CONCURRENT) return undefined;
    const provider = find(zone, template);
    known.set(key, { at: now, provider });
    return provider;
  };
};

/** Offers to create a name's records at the provider of its zone, if the provider supports the template of this service. */
export const connectOffers = (
  { clock }: Pick<Context, "clock">,
  { settings, key, discovery, addressesOf }: OfferOptions,
) => {
  const providerFor = rememberedProviders(discovery, clock);
  /** @returns undefined for an apex if the service's addresses are not known */
  const templateOf = async (service: Service, label: string): Promise<Template | undefined> => {
    const addresses = service === "apex" ? await addressesOf(settings.targetOf(label)) : [];
    return service === "apex" && addresses.length === 0
      ? undefined
      : templateFor(service, settings, addresses);
  };
  return {
    templateOf,
    /** Undefined if nothing can be offered. Does not reject if a server of others fails. */
    async offer({ hostname, zone = hostname.apex, label, returnTo }: ConnectRequest) {
      const host = hostIn(hostname, zone);
      const service = host === undefined ? undefined : serviceFor(hostname, host);
      const template = service && (await templateOf(service, label));
      const provider = template && (await providerFor(zone, template));
      if (!provider || host === undefined) return undefined;
      const parameters = {
        domain: zone,
        ...(host !== "" && { host }),
        label,
        ...(returnTo !== undefined && { redirect_uri: returnTo }),
      };
      return {
        provider: provider.name,
        url: applyUrl(provider.syncUrl + templatePath(template), parameters, key()),
      };
    },
  };
};
