import { useLocation as useRouterLocation } from "preact-iso/router";
import { navigate } from "./navigation.ts";

export { useRoute } from "preact-iso/router";

/**
 * The current address, and `route(url, isReplacing)` to go to another. Use this in place of the router's own, which scrolls to
 * the top. Links need nothing: a press on any link below /console is followed here.
 */
export const useLocation = () => {
  const { url, path, query } = useRouterLocation();
  return { url, path, query, route: navigate };
};
