/** A small S3 server in this process: enough for the tests that need no other program. It does not check signatures. */
export const objectServer = ({ now: initialClock = Date.now } = {}) => {
  let now = initialClock;
  const objects = new Map<string, { bytes: Uint8Array<ArrayBuffer>; modifiedAt: number }>();
  const requests: string[] = [];
  /** Called before each request; a response that it returns is sent instead. */
  let intercept: (
    method: string,
    name: string,
  ) => Response | undefined | Promise<Response | undefined> = () => undefined;

  const error = (status: number, code: string) =>
    new Response(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`, { status });

  const list = (bucket: string, query: URLSearchParams): Response => {
    const prefix = `${bucket}/${query.get("prefix") ?? ""}`;
    const after = `${bucket}/${query.get("start-after") ?? ""}`;
    const max = Number(query.get("max-keys") ?? PAGE);
    const found = [...objects]
      .filter(([name]) => name.startsWith(prefix) && name > after)
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    const contents = found
      .slice(0, max)
      .map(
        ([name, { bytes, modifiedAt }]) =>
          `<Contents><Key>${name.slice(bucket.length + 1)}</Key><Size>${bytes.length}</Size><LastModified>${new Date(modifiedAt).toISOString()}</LastModified></Contents>`,
      );
    return new Response(
      `<?xml version="1.0"?><ListBucketResult><IsTruncated>${found.length > max}</IsTruncated>${contents.join("")}</ListBucketResult>`,
      { headers: { "content-type": "application/xml" } },
    );
  };

  const respond = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    const name = decodeURIComponent(pathname.slice(1));
    const { method } = request;
    requests.push(`${method} ${name}`);
    const instead = await intercept(method, name);
    if (instead) return instead;
    if (searchParams.has("list-type")) return list(name.replace(/\/$/, ""), searchParams);
    if (method === "PUT") {
      objects.set(name, { bytes: new Uint8Array(await request.arrayBuffer()), modifiedAt: now() });
      return new Response();
    }
    if (method === "DELETE") {
      objects.delete(name);
      return new Response(null, { status: 204 });
    }
    const object = objects.get(name);
    if (!object) return method === "HEAD" ? new Response(null, { status: 404 }) : error(404, "NoSuchKey");
    const headers = { "last-modified": new Date(object.modifiedAt).toUTCString() };
    return method === "HEAD"
      ? new Response(null, { headers: { ...headers, "content-length": String(object.bytes.length) } })
      : new Response(object.bytes, { headers });
  };

  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: respond });
  return {
    endpoint: `http://127.0.0.1:${server.port}`,
    /** For BLOBS_URL. */
    url: `s3://key:secret@sites/store?endpoint=http://127.0.0.1:${server.port}`,
    /** By bucket and name. */
    objects,
    /** Method and name of each request so far. */
    requests,
    error,
    intercept(by: typeof intercept) {
      intercept = by;
    },
    /** The time of objects that are stored from now on. */
    setClock(clock: () => number) {
      now = clock;
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
};

const PAGE = 1000;

export type ObjectServer = ReturnType<typeof objectServer>;
