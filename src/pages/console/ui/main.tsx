import { MutationCache, QueryClient, QueryClientProvider } from "@tanstack/preact-query";
import { render } from "preact";
import { ApiError, onWrite } from "./api/client.ts";
import { App } from "./app.tsx";
import { AUDIT } from "./audit/queries.ts";
import { keepFocus, startNavigation } from "./parts/navigation.ts";
import { restartReads } from "./parts/reads.ts";

const queries: QueryClient = new QueryClient({
  // Whatever was changed was also recorded.
  mutationCache: new MutationCache({
    onSuccess: () => void queries.invalidateQueries({ queryKey: AUDIT }),
  }),
  defaultOptions: {
    queries: {
      networkMode: "always",
      staleTime: 10_000,
      // A request that was refused would be refused again.
      retry: (count, error) =>
        count < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
    // Offline requests fail immediately. A deletion that its user has cancelled must not run later.
    mutations: { networkMode: "always" },
  },
});

onWrite(() => restartReads(queries));
startNavigation();
keepFocus();
render(
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>,
  document.getElementById("console")!,
);
