import type { Domain } from "./model.ts";
import { CONNECT } from "./words.ts";

/** Without a way back, the provider opens in a new tab. */
const targetOf = (url: URL): "_blank" | undefined =>
  url.searchParams.has("redirect_uri") ? undefined : "_blank";

/** A link to the DNS provider, which can create the records itself. */
export const Connect = ({ offer }: { offer: Domain["domainConnect"] }) => {
  if (!offer) return null;
  const url = new URL(offer.url);
  return (
    <p class="connect">
      <a class="button" href={offer.url} rel="noreferrer" target={targetOf(url)}>
        {CONNECT.label(offer.provider)}
      </a>
      {/* The provider chooses its name, so only the host says where the link leads. */}
      <small>{CONNECT.text(url.host)}</small>
    </p>
  );
};
