import { isIPv6 } from "node:net";
import { attempt } from "./attempt.ts";

/** The location of a cluster's log, from DATABASE_URL. It holds a password: print `describeDatabaseUrl` instead. */
export interface DatabaseUrl {
  readonly engine: Engine;
  /** In the order of the URL, at least one. */
  readonly hosts: readonly EngineHost[];
  /** Undefined: no password is sent, so a client certificate identifies this node, or nothing on this machine. */
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
  /** etcd: the prefix of all keys, without slashes at its ends. PostgreSQL: the name of the database. */
  readonly path: string;
  /** The name of the log: several clusters can share a PostgreSQL database. */
  readonly log: string;
  /** Undefined: no TLS, which is possible on this machine only. */
  readonly tls: EngineTls | undefined;
}

export type Engine = "etcd" | "postgres";

export interface EngineHost {
  /** A name or an address, an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Paths of PEM files. */
export interface EngineTls {
  /** The CAs to trust; undefined: those of the system. */
  readonly ca: string | undefined;
  /** A certificate and its key that identify this node; both or neither. */
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** Names a correct form, and repeats nothing that may be a part of a password. */
export class InvalidDatabaseUrl extends Error {
  override name = "InvalidDatabaseUrl";
}

const ENGINES: Readonly<Record<string, Engine>> = {
  etcd: "etcd",
  postgres: "postgres",
  postgresql: "postgres",
};
const PORTS: Readonly<Record<Engine, number>> = { etcd: 2379, postgres: 5432 };
const EXAMPLES: Readonly<Record<Engine, string>> = {
  etcd: "etcd://USER:PASSWORD@etcd1.example.org,etcd2.example.org,etcd3.example.org/adoption-store?ca=/etc/etcd/ca.pem",
  postgres: "postgres://USER:PASSWORD@db.example.org/adoption_store?ca=/etc/postgresql/ca.pem",
};
const FILES = ["ca", "cert", "key"] as const;
const OPTIONS: Readonly<Record<Engine, readonly string[]>> = {
  etcd: FILES,
  postgres: [...FILES, "log", "sslmode"],
};
const DEFAULT_NAME = "adoption-store";
const MAX_HOSTS = 16;
const MAX_LENGTH = 4096;

/** Scheme, credentials, hosts, path and query. A password that holds one of `@ / ? #` must be percent-encoded. */
const FORM = /^([a-z]+):\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const HOST = /^(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?))(?::([0-9]{1,5}))?$/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/;
const PREFIX = /^[\w.-]{1,64}(?:\/[\w.-]{1,64}){0,7}$/;
const NAME = /^[\w.-]{1,63}$/;

const refuse = (reason: string): never => {
  throw new InvalidDatabaseUrl(reason);
};

const decode = (text: string, what: string): string => {
  const decoded = attempt(() => decodeURIComponent(text));
  if (decoded !== undefined && !decoded.includes("\0")) return decoded;
  return refuse(`${what} is not percent-encoded: write % as %25, @ as %40, / as %2F, ? as %3F and # as %23`);
};

const hostOf =
  (engine: Engine) =>
  (text: string, index: number): EngineHost => {
    const [, address, name, digits] = HOST.exec(text) ?? [];
    const port = digits === undefined ? PORTS[engine] : Number(digits);
    if ((address ?? name) === undefined || (address !== undefined && !isIPv6(address)))
      return refuse(
        `host ${index + 1} must be a name or an address with an optional port, such as db.example.org:${PORTS[engine]} or [2001:db8::1]; in a password, write @ as %40, / as %2F, ? as %3F and # as %23`,
      );
    if (port < 1 || port > 65_535) return refuse(`the port of host ${index + 1} must be from 1 to 65535`);
    return { host: (address ?? name ?? "").toLowerCase(), port };
  };

const hostsOf = (engine: Engine, text: string): EngineHost[] => {
  const parts = text.split(",");
  return parts.length > MAX_HOSTS
    ? refuse(`there are more than ${MAX_HOSTS} hosts: name the members of one ${engine}`)
    : parts.map(hostOf(engine));
};

const credentialsOf = (text: string | undefined): DatabaseUrl["credentials"] => {
  if (text === undefined) return undefined;
  const colon = text.indexOf(":");
  const user = decode(colon < 0 ? text : text.slice(0, colon), "the user");
  const password = decode(colon < 0 ? "" : text.slice(colon + 1), "the password");
  return user === "" || password === ""
    ? refuse("before the @ there must be both a user and a password: USER:PASSWORD@")
    : { user, password };
};

const pathOf = (engine: Engine, text: string): string => {
  const path = decode(text, "the path").replace(/\/+$/, "");
  if (engine === "etcd")
    return PREFIX.test(path || DEFAULT_NAME)
      ? path || DEFAULT_NAME
      : refuse(
          "the prefix after the hosts must be words of letters, digits, . _ and -, such as /adoption-store",
        );
  return NAME.test(path)
    ? path
    : refuse("the name of the database must follow the hosts, such as /adoption_store");
};

const optionsOf = (engine: Engine, query: string): ReadonlyMap<string, string> => {
  const options = new Map<string, string>();
  for (const part of query.split("&").filter((text) => text !== "")) {
    const [, name = "", value = ""] = /^([a-z]+)=(.+)$/.exec(part) ?? [];
    if (!OPTIONS[engine].includes(name) || options.has(name))
      return refuse(
        `the options after the ? must be ${OPTIONS[engine].join(", ")}, each once and with a value, such as ?ca=/etc/ssl/ca.pem`,
      );
    options.set(name, decode(value, `the option ${name}`));
  }
  for (const name of FILES)
    if (options.has(name) && !options.get(name)?.startsWith("/"))
      refuse(`the option ${name} must be the absolute path of a file, such as /etc/ssl/${name}.pem`);
  if (options.has("cert") !== options.has("key"))
    refuse("the options cert and key belong together: write both, or neither");
  return options;
};

const logOf = (name = DEFAULT_NAME): string =>
  NAME.test(name) ? name : refuse("the option log must be a word of letters, digits, . _ and -");

/** Modes that encrypt. The certificate is verified in each of them. */
const SSL_MODES = ["require", "verify-ca", "verify-full"];

/** Elsewhere TLS is always on, and always verified: the traffic contains keys, sessions and personal data. */
const tlsOf = (options: ReadonlyMap<string, string>, isLocal: boolean): EngineTls | undefined => {
  const mode = options.get("sslmode");
  const isOff = mode !== undefined && !SSL_MODES.includes(mode);
  if (isOff && (!isLocal || mode !== "disable"))
    return refuse(
      isLocal
        ? `the option sslmode must be disable, ${SSL_MODES.join(", ")}`
        : "outside this machine TLS is always on: remove the option sslmode, or write sslmode=verify-full",
    );
  const [ca, cert, key] = FILES.map((name) => options.get(name));
  const isWanted = mode !== undefined || ca !== undefined || cert !== undefined;
  return !isOff && (!isLocal || isWanted) ? { ca, cert, key } : undefined;
};

/** @throws InvalidDatabaseUrl */
export const parseDatabaseUrl = (text: string): DatabaseUrl => {
  const [, scheme = "", userinfo, hostList = "", path = "", query = ""] =
    (text.length <= MAX_LENGTH && FORM.exec(text)) || [];
  const engine = ENGINES[scheme];
  if (engine === undefined)
    return refuse(
      `it must be written as ${EXAMPLES.etcd} or ${EXAMPLES.postgres}; in a password, write @ as %40, / as %2F, ? as %3F and # as %23`,
    );
  const hosts = hostsOf(engine, hostList);
  const isLocal = hosts.every(({ host }) => LOOPBACK.test(host));
  const options = optionsOf(engine, query);
  const credentials = credentialsOf(userinfo);
  if (!isLocal && !credentials && !options.has("cert"))
    return refuse(
      `outside this machine the engine must know who writes: put USER:PASSWORD@ before the hosts, or add the options cert and key, as in ${EXAMPLES[engine]}`,
    );
  return {
    engine,
    hosts,
    credentials,
    path: pathOf(engine, path),
    log: logOf(options.get("log")),
    tls: tlsOf(options, isLocal),
  };
};

/** Host and port as a URL has them. */
export const describeHost = ({ host, port }: EngineHost): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`;

/** The URL without credentials and options, for people and logs. */
export const describeDatabaseUrl = ({ engine, hosts, path }: DatabaseUrl): string =>
  `${engine}://${hosts.map(describeHost).join(",")}/${path}`;
