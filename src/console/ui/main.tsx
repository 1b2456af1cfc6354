import { QueryClient, QueryClientProvider } from "@tanstack/preact-query";
import { render } from "preact";
import { ApiError } from "./api/client.ts";
import { App } from "./app.tsx";
import { keepFocus } from "./parts/focus.ts";
import { startNavigation } from "./parts/navigation.ts";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: "always",
      staleTime: 10_000,
      // A request that was refused would be refused again.
      retry: (count, error) =>
        count < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
    // Offline requests fail at once. A deletion that its user has cancelled must not run later.
    mutations: { networkMode: "always" },
  },
});

startNavigation();
keepFocus();
render(
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>,
  document.getElementById("console")!,
);
