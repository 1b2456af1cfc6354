import { QueryClient, QueryClientProvider } from "@tanstack/preact-query";
import { render } from "preact";
import { Refusal } from "./api/client.ts";
import { App } from "./app.tsx";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: "always",
      staleTime: 10_000,
      // What was refused stays refused.
      retry: (count, error) =>
        count < 2 && !(error instanceof Refusal && error.status >= 400 && error.status < 500),
    },
    // What is refused now is not done later, when nobody looks: a cancelled deletion stays cancelled.
    mutations: { networkMode: "always" },
  },
});

render(
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>,
  document.getElementById("console")!,
);
