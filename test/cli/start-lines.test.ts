import { expect, test } from "bun:test";
import { listeningInodes, portHolder } from "../../src/lib/port-holder.ts";
import { startLines } from "../../src/cli/print/start-lines.ts";
import { readConfig } from "../../src/config/config.ts";
import { projectAddresses } from "../../src/platform/projects/addresses.ts";

const NETWORK = {
  lo: [{ address: "127.0.0.1", family: "IPv4", internal: true }],
  eth0: [
    { address: "192.0.2.7", family: "IPv4", internal: false },
    { address: "2001:db8::7", family: "IPv6", internal: false },
    { address: "fe80::1", family: "IPv6", internal: false },
  ],
} as unknown as Parameters<typeof startLines>[2];

const lines = (
  env: Record<string, string>,
  {
    httpsPort = undefined as number | undefined,
    dnsPort = undefined as number | undefined,
    url = "http://localhost:3000",
    hasAdminKey = true,
    signInToken = undefined as string | undefined,
    clusterNode = undefined as string | undefined,
  } = {},
) => {
  const config = readConfig({ flags: {}, env, isTerminal: false });
  return startLines(
    config,
    {
      url,
      httpPort: undefined,
      httpsPort,
      dnsPort,
      sites: projectAddresses(config, 3000).addressOf("*"),
      adminKey: hasAdminKey ? "data/admin.key" : undefined,
      signInToken,
      clusterNode,
    },
    NETWORK,
  );
};

test("a start prints the addresses of this machine by default, and the path of the key", () => {
  expect(lines({})).toEqual([
    "Listening on http://localhost:3000 (this machine only)",
    "Manual: http://localhost:3000/manual",
    "Console: http://localhost:3000/console",
    "Sites: http://PROJECT.localhost:3000/ (this machine only, until PLATFORM_DOMAIN is set)",
    "Admin key (all scopes) in data/admin.key",
  ]);
});

test("a start prints a link that signs the operator in, next to the address of the console", () => {
  const signInToken = "t".repeat(43);
  const printed = lines({ BASE_URL: "https://adopt.example.org" }, { signInToken });
  expect(printed[printed.indexOf("Console: https://adopt.example.org/console") + 1]).toBe(
    `Sign in to the console (single use, expires in 15 minutes): https://adopt.example.org/console/sign-in#${signInToken}`,
  );
});

test("a start on a node of a cluster without the first key prints where that is", () => {
  const printed = lines({}, { hasAdminKey: false, clusterNode: "Node a of the cluster" });
  expect(printed).toContain("Node a of the cluster");
  expect(printed.at(-1)).toBe(
    "Admin key: in the DATA_DIR of the node that created the store, until it is removed there",
  );
  expect(lines({}, { hasAdminKey: false }).join()).not.toContain("Admin key");
});

test("a start prints the machine's addresses in the network if it listens on all of them", () => {
  const printed = lines({ HOST: "0.0.0.0", CONSOLE: "off" });
  expect(printed.slice(0, 2)).toEqual([
    "Listening on http://localhost:3000 and http://192.0.2.7:3000 (all addresses)",
    "Manual: http://192.0.2.7:3000/manual",
  ]);
  expect(printed.join()).not.toContain("Console");
  expect(lines({ HOST: "::" })[0]).toBe(
    "Listening on http://localhost:3000 and http://192.0.2.7:3000 and http://[2001:db8::7]:3000 (all addresses)",
  );
});

test("a start on port 80 prints the machine's addresses without a port", () => {
  const [listening, manual] = lines({ HOST: "0.0.0.0" }, { url: "http://localhost:80" });
  expect(listening).toEndWith(" and http://192.0.2.7 (all addresses)");
  expect(manual).toBe("Manual: http://192.0.2.7/manual");
});

test("a start prints the public address, and no public address of a site below localhost", () => {
  const printed = lines({ BASE_URL: "https://adopt.example.org" });
  expect(printed).toContain("Public address: https://adopt.example.org");
  expect(printed).toContain("Console: https://adopt.example.org/console");
  expect(printed.join()).not.toMatch(/https:..PROJECT\.localhost/);
  expect(lines({ BASE_URL: "https://adopt.example.org", PLATFORM_DOMAIN: "sites.example.org" })).toContain(
    "Sites: https://PROJECT.sites.example.org/",
  );
});

test("a start prints that certificates need consent", () => {
  const printed = lines({ HTTPS_PORT: "8443" }, { httpsPort: 8443 });
  expect(printed).toContain("HTTPS on port 8443 (this machine only), for names that have a certificate");
  expect(printed.at(-1)).toBe("The server orders no certificate until ACME_AGREE_TOS is true");
});

test("a start prints the domains of the name server", () => {
  const env = { HOST: "0.0.0.0", PLATFORM_DOMAIN: "sites.example.org", NAMESERVER: "ns1.example.org" };
  expect(lines(env, { dnsPort: 53 })).toContain(
    "Name server on port 53 (all addresses), for sites.example.org",
  );
  expect(lines({ ...env, PLATFORM_CNAME_TARGET: "cname.example.net" }, { dnsPort: 53 })).toContain(
    "Name server on port 53 (all addresses), for sites.example.org and cname.example.net",
  );
});

test("the sockets that listen on a port are found in the table of Linux", () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0
   1: 0100007F:0BB8 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 100 0 0 10 0
   2: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0 0 10 0
`;
  expect(listeningInodes(table, 3000)).toEqual(["4711"]);
  expect(listeningInodes(table, 80)).toEqual(["4713"]);
  expect(listeningInodes("", 80)).toEqual([]);
});

test.if(process.platform === "linux")("the process that holds a port is named", () => {
  using listener = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  expect(portHolder(listener.port ?? 0)).toEndWith(`(process ${process.pid})`);
  expect(portHolder(1)).toBeUndefined();
});
