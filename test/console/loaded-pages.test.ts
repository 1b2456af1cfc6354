import { expect, test } from "bun:test";
import { type InfiniteData, InfiniteQueryObserver, QueryClient } from "@tanstack/preact-query";
import { withLoadedPages } from "../../src/console/ui/parts/loaded-pages.ts";

/** A list of names. Its pages are read when `respond` is called. */
const listOf = () => {
  const queries = new QueryClient();
  const requests: PromiseWithResolvers<string>[] = [];
  const observer = new InfiniteQueryObserver(queries, {
    queryKey: ["list"],
    queryFn: () => {
      const request = Promise.withResolvers<string>();
      requests.push(request);
      return request.promise;
    },
    initialPageParam: 0,
    getNextPageParam: (_, pages) => pages.length,
    structuralSharing: withLoadedPages,
  });
  return {
    queries,
    observer,
    async respond(page: string) {
      while (requests.length === 0) await Bun.sleep(1);
      requests.shift()!.resolve(page);
    },
    pages: () => queries.getQueryData<InfiniteData<string>>(["list"])?.pages,
    rename(from: string, to: string) {
      queries.setQueryData<InfiniteData<string>>(
        ["list"],
        (list) => list && { ...list, pages: list.pages.map((page) => (page === from ? to : page)) },
      );
    },
  };
};

test("a change that is patched in while the next page loads is kept", async () => {
  const { observer, respond, pages, rename } = listOf();
  const stop = observer.subscribe(() => {});
  await respond("Bella");
  await Bun.sleep(5);
  const next = observer.fetchNextPage();
  await Bun.sleep(5);
  rename("Bella", "Bello");
  await respond("Milo");
  await next;
  expect(pages()).toEqual(["Bello", "Milo"]);
  stop();
});

test("reading all pages again replaces them", async () => {
  const { observer, respond, pages, rename } = listOf();
  const stop = observer.subscribe(() => {});
  await respond("Bella");
  await Bun.sleep(5);
  const again = observer.refetch();
  await Bun.sleep(5);
  rename("Bella", "Bello");
  await respond("Luna");
  await again;
  expect(pages()).toEqual(["Luna"]);
  stop();
});
