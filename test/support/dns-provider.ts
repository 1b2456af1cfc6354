import { createTestCa } from "./certificates.ts";

/** The host names of the simulated provider. */
export const PROVIDER_HOST = "connect.provider.test";

/** The body of a response with status 200, or a response. */
type Path = string | ((request: Request) => Response);

/** A DNS provider with Domain Connect, over HTTPS on loopback. It ends with the scope that started it. */
export const dnsProvider = async (certified = [PROVIDER_HOST]) => {
  const ca = await createTestCa();
  const paths = new Map<string, Path>();
  const requests: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: await ca.issue(certified),
    fetch(request) {
      requests.push(request.url);
      const found = paths.get(new URL(request.url).pathname);
      if (found === undefined) return new Response("no such path", { status: 404 });
      return typeof found === "string" ? new Response(found) : found(request);
    },
  });
  const authority = `${PROVIDER_HOST}:${server.port}`;
  return {
    /** The root certificate that its clients must trust, PEM. */
    root: ca.root,
    authority,
    /** What it responds, by path. All others are 404. */
    paths,
    /** The URLs of all requests, with the host that each named. */
    requests,
    /** Its settings, as for every zone that it holds. */
    settings: {
      providerId: "provider.test",
      providerName: "Provider",
      providerDisplayName: "The Provider",
      urlSyncUX: `https://${authority}/sync`,
      urlAPI: `https://${authority}/api`,
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
};
